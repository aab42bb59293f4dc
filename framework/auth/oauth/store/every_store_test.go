package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/postgres"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/redis"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/storetest"
	"github.com/bowline-mcp/bowline/internal/databasetest"
)

// All stores do the same. One test binary has them all, since it takes longer to link than to run.

func TestTheStoreInMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
}

func TestTheStoreInSQLite(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t testing.TB) string {
		t.Helper()
		return filepath.Join(t.TempDir(), "oauth.db")
	}, sqlite.Open)
}

func TestTheStoreInPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, databasetest.Postgres(t).URL, postgres.Open)
}

func TestTheStoreInRedis(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, databasetest.Redis(t).URL, redis.Open)
}

func TestTheFilesOfSQLiteHaveNoSecret(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	opened, err := sqlite.Open(t.Context(), filepath.Join(folder, "oauth.db"))
	if err != nil {
		t.Fatal(err)
	}
	secrets := storetest.Fill(t, opened)
	for range 2 { // with the write-ahead log, and without
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || len(files) == 0 {
			t.Fatal("there are no files", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file) //nolint:gosec // a test
			if err != nil {
				t.Fatal(err)
			}
			storetest.HasNone(t, filepath.Base(file), string(text), secrets)
		}
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
