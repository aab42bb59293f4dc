// Package databasetest starts database servers for tests: those of Debian's packages
// postgresql and redis-server, on free ports of the loopback interface.
package databasetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/store/postgres"
	"github.com/bowline-mcp/bowline/framework/store/redis"
)

// A Server is a database server. It ends with the test that started it.
type Server struct {
	// URL returns the URL of a new, empty database.
	URL func(t testing.TB) string
}

// Postgres starts a PostgreSQL server. Without the program it skips the test, or fails it in
// CI.
func Postgres(t *testing.T) *Server {
	t.Helper()
	initdb, postgres := program(t, "initdb"), program(t, "postgres")
	folder := t.TempDir()
	run := as(t, folder)
	data := filepath.Join(folder, "data")
	if out, err := run(initdb, "--pgdata", data, "--username", "postgres", "--auth", "trust", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	port := freePort(t)
	start(t, run(postgres, "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=400"))
	url := "postgres://postgres@127.0.0.1:" + port + "/"
	await(t, "postgres", func(ctx context.Context) error { return execute(ctx, url+"postgres", `SELECT 1`) })
	var made atomic.Int64
	return &Server{func(t testing.TB) string {
		t.Helper()
		name := fmt.Sprint("test", made.Add(1))
		if err := execute(t.Context(), url+"postgres", `CREATE DATABASE `+name); err != nil {
			t.Fatal(err)
		}
		return url + name
	}}
}

func execute(ctx context.Context, url, statement string) error {
	db, err := postgres.Open(ctx, url)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, statement)
	return errors.Join(err, db.Close())
}

// Redis starts a Redis server. Without the program it skips the test, or fails it in CI.
func Redis(t *testing.T) *Server {
	t.Helper()
	const databases = 1000
	folder, port := t.TempDir(), freePort(t)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program(t, "redis-server"), "--port", port, "--bind", "127.0.0.1", "--databases", strconv.Itoa(databases), //nolint:gosec // a test
		"--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction", "--save", "", "--dir", folder)
	start(t, cmd)
	await(t, "redis-server", func(ctx context.Context) error {
		client, err := redis.Open(ctx, "redis://127.0.0.1:"+port)
		if err != nil {
			return err
		}
		return client.Close()
	})
	var made atomic.Int64
	return &Server{func(t testing.TB) string {
		t.Helper()
		n := made.Add(1)
		if n >= databases {
			t.Fatalf("the server has %d databases", databases)
		}
		return fmt.Sprintf("redis://127.0.0.1:%s/%d", port, n)
	}}
}

// program returns the path of a program, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name); len(found) > 0 {
		return found[len(found)-1]
	}
	const install = "apt-get install postgresql redis-server"
	if os.Getenv("BOWLINE_CI") != "" {
		t.Fatalf("%s is missing; run %s", name, install)
	}
	t.Skipf("%s is missing; to run this test: %s", name, install)
	return ""
}

// as returns a function for commands that run as another user if the test runs as root, as
// which PostgreSQL doesn't start. The user owns the folder.
func as(t *testing.T, folder string) func(name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	if os.Geteuid() != 0 {
		return func(name string, args ...string) *exec.Cmd { return exec.CommandContext(ctx, name, args...) } //nolint:gosec // a test
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(owner.Uid)
	gid, _ := strconv.Atoi(owner.Gid)
	if err := os.Chown(folder, uid, gid); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(folder), 0o711); err != nil { //nolint:gosec // the folders of other tests stay closed
		t.Fatal(err)
	}
	return func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "setpriv", append([]string{"--reuid", owner.Uid, "--regid", owner.Gid, "--clear-groups", "--", name}, args...)...) //nolint:gosec // a test
		cmd.Dir = folder
		return cmd
	}
}

// start starts a server and stops it after the test.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // both servers stop at once
		_ = cmd.Wait()
	})
}

// await waits until a server answers.
func await(t *testing.T, name string, ping func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		err := ping(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s does not answer: %v", name, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // a test
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}
