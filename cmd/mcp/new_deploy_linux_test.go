package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/test/dockertest"
)

// An app that mcp new writes makes an image of its static program. There, an unprivileged user makes keys and a user in a new folder, and
// serves. The unit of systemd is right.
func TestANewAppIsDeployed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles the framework; to run it: go test, without -short")
	}
	for name, flags := range map[string][]string{"plain": nil, "guarded": {"--auth"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDeployment(t, name, flags...)
			d.checkUnit(t)
			d.checkRoot(t)
			url, token := "http://"+d.addr+"/mcp/"+name, ""
			if name == "guarded" {
				d.refuses(t, "there are no keys at storage/oauth.keys", "serve")
				d.runs(t, "", "key:generate")
				d.runs(t, "correct horse battery\n", "user:create", "ana@example.com", "--password-stdin")
				token = regexp.MustCompile(`bowline_pat_[\w-]+`).FindString(d.runs(t, "", "token:create", "CI", "--user", "ana@example.com"))
			}
			d.serve(t)
			call := mcpCommand(t, "call", url, "echo", "message=Hello from an empty root", "--header", "Authorization: Bearer "+token)
			if out, err := call.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "Hello from an empty root" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// A deployment is a new app with its image.
type deployment struct {
	name, folder string // of the app
	bin          string // the folder with the command docker
	addr         string // where it serves
}

// newDeployment writes an app, and makes its program and its image by the commands of its Dockerfile.
func newDeployment(t *testing.T, name string, flags ...string) *deployment {
	t.Helper()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &deployment{name: name, bin: dockertest.Folder(t), addr: free.Addr().String()}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	d.folder = filepath.Join(parent, name)
	if out, err := mcpCommand(t, append([]string{"new", name, "--dir", parent, "--framework", module}, flags...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	settings := "APP_KEY=0123456789abcdef0123456789abcdef\nAPP_URL=https://mcp.example.com\n"
	if err := os.WriteFile(filepath.Join(d.folder, ".env"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(d.folder, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^#   (.*)$`).FindAllStringSubmatch(string(file), -1)
	if len(commands) != 3 {
		t.Fatalf("the Dockerfile shows other commands:\n%s", file)
	}
	for _, command := range commands {
		run := exec.CommandContext(t.Context(), "sh", "-c", command[1])
		run.Dir, run.Env = d.folder, append(os.Environ(), "PATH="+d.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command[1], err, out)
		}
	}
	return d
}

// checkUnit checks the unit of systemd, with the program where it is here.
func (d *deployment) checkUnit(t *testing.T) {
	t.Helper()
	analyze := dockertest.Require(t, "systemd-analyze", "systemd")
	unit, err := os.ReadFile(filepath.Join(d.folder, "deploy", d.name+".service"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), d.name+".service")
	unit = bytes.Replace(unit, []byte("ExecStart=/usr/local/bin/"), []byte("ExecStart="+d.folder+"/"), 1)
	if err := os.WriteFile(path, unit, 0o600); err != nil {
		t.Fatal(err)
	}
	// From 0 for the least to 10 for the most exposed one. The program needs the network.
	for _, args := range [][]string{{"verify", path}, {"security", "--offline=yes", "--threshold=20", path}} {
		if out, err := exec.CommandContext(t.Context(), analyze, args...).CombinedOutput(); err != nil || args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, out)
		}
	}
}

// checkRoot checks that the image has the program and the certificates alone, which are root's, and an empty folder of its user.
func (d *deployment) checkRoot(t *testing.T) {
	t.Helper()
	root, found := dockertest.Root(t, d.bin, d.name), map[string]uint32{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && path != filepath.Join(root, "var/lib", d.name) {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		found[strings.TrimPrefix(path, root)] = info.Sys().(*syscall.Stat_t).Uid //nolint:forcetypeassert // on Linux it is
		return nil
	})
	want := map[string]uint32{"/etc/ssl/certs/ca-certificates.crt": 0, "/usr/local/bin/" + d.name: 0, "/var/lib/" + d.name: 65532}
	if err != nil || fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("%v: the image has %v, want %v", err, found, want)
	}
}

// command returns a command of the program in a container.
func (d *deployment) command(ctx context.Context, args ...string) *exec.Cmd {
	args = append([]string{"run", "--volume", "/srv/" + d.name + ":/var/lib/" + d.name, "--env-file", ".env", d.name}, args...)
	command := exec.CommandContext(ctx, filepath.Join(d.bin, "docker"), args...)
	command.Dir, command.Env = d.folder, append(os.Environ(), "DOCKER_ADDR="+d.addr)
	return command
}

// runs runs a command of the program, and returns what it prints.
func (d *deployment) runs(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	command := d.command(t.Context(), args...)
	command.Stdin = strings.NewReader(stdin)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// refuses runs a command of the program that fails.
func (d *deployment) refuses(t *testing.T, want string, args ...string) {
	t.Helper()
	if out, err := d.command(t.Context(), args...).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%q: %v, want %s\n%s", args, err, want, out)
	}
}

// serve starts the program, which ends with the test after it is stopped.
func (d *deployment) serve(t *testing.T) {
	t.Helper()
	command, log := d.command(context.WithoutCancel(t.Context())), &bytes.Buffer{}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM) // an error means that it has ended, which is one of Wait too
		if err := command.Wait(); err != nil {
			t.Errorf("%v\n%s", err, log)
		}
	})
	for range 200 {
		if connection, err := net.Dial("tcp", d.addr); err == nil {
			_ = connection.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the program doesn't listen")
}
