// Package databasetest starts database servers for tests: those of Debian's packages
// postgresql and redis-server, on free ports of the loopback interface.
package databasetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/database/postgres"
	"github.com/bowline-mcp/bowline/framework/database/redis"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// A Server is a database server. It ends with the test that started it.
type Server struct {
	base   string // URL of the server
	create func(ctx context.Context, base string) (url string, err error)
}

// URL returns the URL of a new, empty database.
func (s *Server) URL(t testing.TB) string {
	t.Helper()
	url, err := s.create(t.Context(), s.base)
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// Postgres starts a PostgreSQL server in the gate. Without the program it fails the test there, and elsewhere it skips the test.
func Postgres(t *testing.T) *Server {
	t.Helper()
	gatetest.SkipUnlessGate(t, "this test starts a PostgreSQL server")
	initdb, postgres := program(t, "initdb"), program(t, "postgres")
	folder := t.TempDir()
	run := as(t, folder)
	data := filepath.Join(folder, "data")
	if out, err := run(initdb, "--pgdata", data, "--username", "postgres", "--auth", "trust", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	port := freePort(t)
	settings := []string{"listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=400", "fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off"}
	args := []string{"-D", data, "-p", port}
	for _, setting := range settings { // no test needs what is kept to survive a crash of the machine
		args = append(args, "-c", setting)
	}
	start(t, run(postgres, args...))
	server := postgresAt("postgres://postgres@127.0.0.1:" + port + "/postgres")
	await(t, "postgres", func(ctx context.Context) error { return execute(ctx, server.base, `SELECT 1`) })
	return server
}

// postgresAt returns the server at a URL. Each database is a schema, which takes less time and
// space than a database of PostgreSQL.
func postgresAt(base string) *Server {
	return &Server{base, func(ctx context.Context, base string) (string, error) {
		name := "test_" + strings.ToLower(rand.Text())
		return base + "?search_path=" + name, execute(ctx, base, `CREATE SCHEMA `+name)
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

// databases is how many databases a Redis server has.
const databases = 1000

// Redis starts a Redis server, as [Postgres] does.
func Redis(t *testing.T) *Server {
	t.Helper()
	gatetest.SkipUnlessGate(t, "this test starts a Redis server")
	folder, port := t.TempDir(), freePort(t)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program(t, "redis-server"), "--port", port, "--bind", "127.0.0.1", "--databases", strconv.Itoa(databases), //nolint:gosec // a test
		"--appendonly", "yes", "--appendfsync", "no", "--maxmemory-policy", "noeviction", "--save", "", "--dir", folder)
	start(t, cmd)
	server := redisAt("redis://127.0.0.1:" + port)
	await(t, "redis-server", func(ctx context.Context) error {
		client, err := redis.Open(ctx, server.base)
		if err != nil {
			return err
		}
		return client.Close()
	})
	return server
}

// redisAt returns the server at a URL. The first of its databases counts the others.
func redisAt(base string) *Server {
	return &Server{base, func(ctx context.Context, base string) (string, error) {
		client, err := redis.Open(ctx, base)
		if err != nil {
			return "", err
		}
		n, err := client.Incr(ctx, "databases").Result()
		if err == nil && n >= databases {
			err = fmt.Errorf("the Redis server has only %d databases", databases)
		}
		return fmt.Sprintf("%s/%d", base, n), errors.Join(err, client.Close())
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
	gatetest.Missing(t, name+" is missing; to run this test: apt-get install postgresql redis-server")
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
