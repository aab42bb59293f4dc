package interop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A program is an app under test: one binary, and one process that serves all HTTP
// clients of both eras at the same time.
type program struct {
	binary string
	addr   string
	cmd    *exec.Cmd
	log    lockedBuffer
	done   chan error
}

// start builds a program of the repository and starts "serve". When the test and its
// subtests have ended, it stops the process, which must exit with status 0.
func start(t *testing.T, folder string, env ...string) *program {
	t.Helper()
	return launch(t, build(t, folder), env...)
}

// build builds a program of the repository.
func build(t *testing.T, folder string) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "app")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..", folder)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s does not build: %v\n%s", folder, err, out)
	}
	return binary
}

// launch starts a program that is built already, as start does.
func launch(t *testing.T, binary string, env ...string) *program {
	t.Helper()
	dir := t.TempDir()
	app := &program{binary: binary, done: make(chan error, 1), addr: freeAddr(t)}
	if err := app.serve(dir, append(append(appEnv(dir), "APP_ADDR="+app.addr), env...)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.stop(); err != nil {
			t.Errorf("the app did not stop cleanly after SIGTERM: %v", err)
		}
		if t.Failed() {
			t.Logf("what the app logged:\n%s", app.log.String())
		}
	})
	if err := app.waitReady(); err != nil {
		t.Fatal(err)
	}
	return app
}

// serve starts the process.
func (p *program) serve(dir string, env []string) error {
	cmd := exec.Command(p.binary, "serve")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &p.log, &p.log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the app: %w", err)
	}
	p.cmd = cmd
	go func() { p.done <- cmd.Wait() }()
	return nil
}

// restart ends the process by a signal, and starts another at the same address.
func (p *program) restart(signal os.Signal) error {
	if signal == syscall.SIGTERM {
		if err := p.stop(); err != nil {
			return err
		}
	} else {
		if err := p.cmd.Process.Signal(signal); err != nil {
			return err
		}
		if err := <-p.done; err == nil {
			return fmt.Errorf("the program ended by itself, before the signal %v", signal)
		}
	}
	if err := p.serve(p.cmd.Dir, p.cmd.Env); err != nil {
		return err
	}
	return p.waitReady()
}

// run runs a command of the program with a text on its standard input, and returns what it
// prints.
func (p *program) run(t *testing.T, input string, command ...string) string {
	t.Helper()
	cmd := exec.CommandContext(testContext(t), p.binary, command...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.cmd.Dir, p.cmd.Env, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

func (p *program) waitReady() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.addr+"/readyz", nil)
	if err != nil {
		return err
	}
	for {
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("it answered %s", response.Status)
		}
		select {
		case exit := <-p.done:
			p.done <- exit
			return fmt.Errorf("the app ended before it served: %s", p.cmd.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("GET /readyz did not answer 200 within 10 s: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop interrupts the process, as an operator would, and waits for exit status 0.
func (p *program) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case err := <-p.done:
		return err
	case <-time.After(15 * time.Second):
		_ = p.cmd.Process.Kill()
		return errors.New("still running after 15 s")
	}
}

// freeAddr returns a loopback address on which no process listens. Connections don't get its port from
// the system, which begins at 32768.
func freeAddr(t *testing.T) string {
	t.Helper()
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000))
		if listener, err := net.Listen("tcp", addr); err == nil {
			_ = listener.Close()
			return addr
		}
	}
	t.Fatal("no port is free")
	return ""
}

// appEnv returns the environment of the app. It excludes the APP_ variables of the
// developer, which could change results.
func appEnv(dir string) []string {
	return []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
}

// goEnv returns the settings with which a go command in another home finds what is compiled already.
func goEnv(t *testing.T) (variables []string) {
	t.Helper()
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		variables = append(variables, name+"="+strings.TrimSpace(string(out)))
	}
	return variables
}

// A lockedBuffer collects the output of a process. Other goroutines can read it meanwhile.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
