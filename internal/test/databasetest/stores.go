package databasetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/postgres"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/redis"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// storeVariable is set in the processes of [OnEveryStore]. It is the address of a server, or
// sqlite:.
const storeVariable = "BOWLINE_TEST_STORE"

// OnEveryStore runs the tests of the package again in the nightly run, with stores in SQLite,
// PostgreSQL and Redis: the tests of the stores themselves show that all of them do the same. Each
// store has a process of its own. The tests get the addresses of their stores from [Store].
func OnEveryStore(t *testing.T) {
	t.Helper()
	if os.Getenv(storeVariable) != "" { // this is one of the processes
		return
	}
	gatetest.SkipUnlessNightly(t, "this test runs the others again with other stores")
	stores := map[string]func(*testing.T) (base string){
		"SQLite":     func(*testing.T) string { return "sqlite:" },
		"PostgreSQL": func(t *testing.T) string { return Postgres(t).base },
		"Redis":      func(t *testing.T) string { return Redis(t).base },
	}
	for name, start := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=9m") //nolint:gosec // the test itself, with the race detector if it has that
			cmd.Env = append(os.Environ(), storeVariable+"="+start(t))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("with this store: %v\n%s", err, out)
			}
		})
	}
}

// Store returns the address of a new, empty store of an authorization server for a test. The
// store is in memory, unless [OnEveryStore] runs the test again.
//
// All stores work in bubbles of testing/synctest too: the clock of a bubble stands still while a
// goroutine waits for the network.
func Store(t testing.TB) (address string) {
	t.Helper()
	base := os.Getenv(storeVariable)
	switch scheme, _, _ := strings.Cut(base, ":"); scheme {
	case "sqlite":
		return base + filepath.Join(t.TempDir(), "oauth.db")
	case "postgres":
		return postgresAt(base).URL(t)
	case "redis":
		return redisAt(base).URL(t)
	}
	return "memory:"
}

// Drivers returns the drivers of all stores.
func Drivers() []store.Driver {
	return []store.Driver{memory.Driver(), sqlite.Driver(), postgres.Driver(), redis.Driver()}
}
