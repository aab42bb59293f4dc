//go:build unix

package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyTheUserOfTheProcessMayReadTheFiles(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(path string) error{
		"a new file in a new folder": func(string) error { return nil },
		"a file that others may read too": func(path string) error {
			return errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o644))
		}, //nolint:gosec // what is tested
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "storage", "app.db")
			if err := before(path); err != nil {
				t.Fatal(err)
			}
			if err := open(t, path).Migrate(t.Context(), "notes", makeNotes); err != nil {
				t.Fatal(err)
			}
			modes := map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600}
			for file, mode := range modes {
				if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
					t.Errorf("%s: %v, %v, want mode %o", file, info, err, mode)
				}
			}
		})
	}
}
