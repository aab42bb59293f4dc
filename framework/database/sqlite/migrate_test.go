package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bowline-mcp/bowline/internal/test/databasetest"
)

func TestMigrationsAreFiles(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	databasetest.MigratesFiles(t, db)
}

func TestMigrationsAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	for name, want := range map[string]string{
		"0001_a.sql 0003_b.sql": "the migration 0003_b.sql of notes has the place of number 2; begin its name with 0002_",
		"0001_a.sql 0001_b.sql": "the migration 0001_b.sql of notes has the place of number 2; begin its name with 0002_",
		"a.sql":                 "the migration a.sql of notes has the place of number 1; begin its name with 0001_",
	} {
		files := fstest.MapFS{"README.md": {Data: []byte("Not SQL.")}}
		for file := range strings.FieldsSeq(name) {
			files[file] = &fstest.MapFile{Data: []byte(makeNotes)}
		}
		if err := db.MigrateFiles(t.Context(), "notes", files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
	}
}

func TestColumnsHoldListsAndTimes(t *testing.T) {
	t.Parallel()
	databasetest.HoldsColumns(t, open(t, filepath.Join(t.TempDir(), "app.db")))
}
