package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/storetest"
)

func open(t *testing.T, path string) store.Store {
	t.Helper()
	opened, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "oauth.db"))
	})
}

func TestProcessesShareAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "oauth.db")
	storetest.Durable(t, func(t *testing.T) store.Store {
		t.Helper()
		return open(t, path)
	})
}

func TestTheFilesHaveNoSecret(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	opened := open(t, filepath.Join(folder, "oauth.db"))
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
