package databasetest

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bowline-mcp/bowline/framework/database/sqldb"
)

// MigratesFiles tests the migrations of an empty database: they run in order, and if one fails, even after its first statement, the
// database is as it was.
func MigratesFiles(t *testing.T, db *sqldb.DB) {
	t.Helper()
	files := fstest.MapFS{
		"migrations/0001_create_notes.sql": {Data: []byte("-- Notes.\nCREATE TABLE \"notes\" (\n\t\"id\" {id},\n\t\"title\" TEXT NOT NULL\n);\n")},
		"migrations/0002_add_mood.sql":     {Data: []byte("ALTER TABLE \"notes\" ADD COLUMN \"mood\" TEXT;\nUPDATE \"nothing\" SET id = 1;\n")},
	}
	err := db.MigrateFiles(t.Context(), "notes", files)
	if err == nil || !strings.Contains(err.Error(), "migrate the tables of notes to version 2") {
		t.Fatalf("the error is %v", err)
	}
	for _, left := range []string{`SELECT 1 FROM "notes"`, `SELECT 1 FROM bowline_migrations`} {
		if _, err := db.Exec(t.Context(), left); err == nil {
			t.Errorf("a migration that failed leaves what %s reads", left)
		}
	}
	broken := files["migrations/0002_add_mood.sql"]
	delete(files, "migrations/0002_add_mood.sql")
	if err := db.MigrateFiles(t.Context(), "notes", files); err != nil {
		t.Fatal(err)
	}
	files["migrations/0002_add_mood.sql"] = broken
	if err := db.MigrateFiles(t.Context(), "notes", files); err == nil {
		t.Fatal("the second migration doesn't fail")
	}
	// SQLite reads a name in double quotes that it doesn't know as text, so the name has none.
	if err := db.Get(t.Context(), []any{new(string)}, `SELECT notes.mood FROM notes`); err == nil || !strings.Contains(err.Error(), "mood") {
		t.Errorf("a migration that failed leaves its column: %v", err)
	}
	var first, second int64
	err = db.ExecGet(t.Context(), []any{&first}, `INSERT INTO "notes" ("title") VALUES ('a') RETURNING "id"`)
	if err != nil || first != 1 {
		t.Fatalf("the first id is %d, %v", first, err)
	}
	if _, err := db.Exec(t.Context(), `DELETE FROM "notes"`); err != nil {
		t.Fatal(err)
	}
	if err := db.ExecGet(t.Context(), []any{&second}, `INSERT INTO "notes" ("title") VALUES ('b') RETURNING "id"`); err != nil || second != 2 {
		t.Errorf("the id after a row that is gone is %d, %v; want 2", second, err)
	}
}

// HoldsColumns tests the columns for Go values that a database has no type for.
func HoldsColumns(t *testing.T, db *sqldb.DB) {
	t.Helper()
	if err := db.Migrate(t.Context(), "columns", `CREATE TABLE columns (id {id}, tags TEXT NOT NULL, begins TEXT NOT NULL, ends TEXT)`); err != nil {
		t.Fatal(err)
	}
	type row struct {
		tags   []string
		begins time.Time
		ends   *time.Time
	}
	noon := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	for _, want := range []row{{nil, noon, nil}, {[]string{"a,b", `"c"`, ""}, noon, &noon}} {
		local := want.begins.In(time.FixedZone("", 3600)) // the same point in time
		var id int64
		err := db.ExecGet(t.Context(), []any{&id}, `INSERT INTO columns (tags, begins, ends) VALUES ($1, $2, $3) RETURNING id`,
			sqldb.Strings(&want.tags), sqldb.Time(&local), sqldb.Time(&want.ends))
		if err != nil {
			t.Fatal(err)
		}
		got := row{[]string{"before"}, time.Time{}, &time.Time{}}
		err = db.Get(t.Context(), []any{sqldb.Strings(&got.tags), sqldb.Time(&got.begins), sqldb.Time(&got.ends)}, `SELECT tags, begins, ends FROM columns WHERE id = $1`, id)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, %v; want %+v", got, err, want)
		}
	}
	if _, err := db.Exec(t.Context(), `UPDATE columns SET tags = 'x', begins = 'x', ends = 'x'`); err != nil {
		t.Fatal(err)
	}
	for column, into := range map[string]any{"tags": sqldb.Strings(&[]string{}), "begins": sqldb.Time(&time.Time{}), "ends": sqldb.Time(new(*time.Time)), "1": sqldb.Strings(&[]string{})} {
		if err := db.Get(t.Context(), []any{into}, `SELECT `+column+` FROM columns`); err == nil {
			t.Errorf("the column %s is read", column)
		}
	}
}
