package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/database/sqldb"
	"github.com/bowline-mcp/bowline/framework/database/sqlite"
)

func open(t *testing.T, path string) *sqldb.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

const makeNotes = `CREATE TABLE notes (id {key} PRIMARY KEY, body {bytes})`

func TestAFileThatCannotBeOpenedIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("This is not a database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":                            "give one, such as storage/app.db",
		folder:                        folder,
		filepath.Join(text, "app.db"): text,
		text:                          text + ": file is not a database",
	} {
		db, err := sqlite.Open(t.Context(), path)
		if err == nil {
			_ = db.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q in it", path, err, want)
		}
	}
}

func TestAPathMayHaveAnyCharacter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "50% of #1?mode=memory&x=ü.db")
	if err := open(t, path).Migrate(t.Context(), "notes", makeNotes); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the file is not at its path: %v, %v", info, err)
	}
}

func TestAMigrationRunsOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.db")
	var all sync.WaitGroup
	for range 8 { // as many programs start at once
		db := open(t, path)
		all.Go(func() {
			if err := db.Migrate(t.Context(), "notes", makeNotes, `INSERT INTO notes (id) VALUES ('first')`); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	db := open(t, path)
	if err := db.Migrate(t.Context(), "notes", makeNotes, `INSERT INTO notes (id) VALUES ('first')`, `INSERT INTO notes (id) VALUES ('second')`); err != nil {
		t.Fatal(err)
	}
	var notes int
	if err := db.Get(t.Context(), []any{&notes}, `SELECT count(*) FROM notes`); err != nil || notes != 2 {
		t.Errorf("%d notes, %v; want 2", notes, err)
	}
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	err := db.Migrate(t.Context(), "notes", makeNotes, `INSERT INTO letters (id) VALUES ('a')`)
	if err == nil || !strings.Contains(err.Error(), "migrate the tables of notes to version 2") {
		t.Errorf("the error is %v", err)
	}
	if err := db.Get(t.Context(), []any{new(string)}, `SELECT id FROM notes`); err == nil || errors.Is(err, sql.ErrNoRows) {
		t.Errorf("the first step was kept: %v", err)
	}
	if err := db.Migrate(t.Context(), "notes", makeNotes); err != nil {
		t.Errorf("a migration after one that failed: %v", err)
	}
}

func TestAnOlderProgramRefusesTheTablesOfANewerOne(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	if err := db.Migrate(t.Context(), "notes", makeNotes, `INSERT INTO notes (id) VALUES ('a')`); err != nil {
		t.Fatal(err)
	}
	err := db.Migrate(t.Context(), "notes", makeNotes)
	if want := "the tables of notes have version 2, but this program knows only 1; use a newer version of the program"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// One that has read first could not get the lock of the file afterwards.
func TestTransactionsOfTwoProgramsRunOneAfterTheOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.db")
	first, second := open(t, path), open(t, path)
	var order []string
	var all sync.WaitGroup
	err := first.Transact(t.Context(), func(sqldb.Tx) error {
		all.Go(func() {
			err := second.Transact(t.Context(), func(sqldb.Tx) error {
				order = append(order, "second")
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		time.Sleep(100 * time.Millisecond)
		order = append(order, "first")
		return nil
	})
	all.Wait()
	if err != nil || strings.Join(order, ", ") != "first, second" {
		t.Errorf("the transactions run in the order %v, %v", order, err)
	}
}

func TestACommittedChangeIsOnTheDisk(t *testing.T) {
	t.Parallel()
	const full = 2
	var level int
	if err := open(t, filepath.Join(t.TempDir(), "app.db")).ExecGet(t.Context(), []any{&level}, `PRAGMA synchronous`); err != nil || level != full {
		t.Errorf("PRAGMA synchronous is %d, %v; want %d", level, err, full)
	}
}

func TestAQueryChangesNothing(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	if err := db.Migrate(t.Context(), "notes", makeNotes); err != nil {
		t.Fatal(err)
	}
	if err := db.Get(t.Context(), []any{new(string)}, `INSERT INTO notes (id) VALUES ('a') RETURNING id`); err == nil {
		t.Error("a query inserted a note")
	}
}

func TestATransactionThatFailsIsUndone(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	if err := db.Migrate(t.Context(), "notes", makeNotes); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	err := db.Transact(t.Context(), func(tx sqldb.Tx) error {
		if _, err := tx.Exec(t.Context(), `INSERT INTO notes (id) VALUES ('a')`); err != nil {
			t.Error(err)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("the error is %v", err)
	}
	if err := db.Get(t.Context(), []any{new(string)}, `SELECT id FROM notes`); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("the note was kept: %v", err)
	}
}

// fill adds rows of 20 MB and removes them.
func fill(t *testing.T, db *sqldb.DB) {
	t.Helper()
	body := make([]byte, 1<<20)
	for n := range 20 {
		if _, err := db.Exec(t.Context(), `INSERT INTO notes VALUES ($1, $2)`, n, body); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(t.Context(), `DELETE FROM notes`); err != nil {
		t.Fatal(err)
	}
}

// size returns the size of a database with its log.
func size(t *testing.T, path string) (bytes int64) {
	t.Helper()
	for _, file := range []string{path, path + "-wal"} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
	}
	return bytes
}

func TestAFileGivesItsSpaceBack(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, prepare := range map[string]func(path string) error{
		"new": func(string) error { return nil },
		"old": func(path string) error { // as made by an older version
			db, err := sql.Open("sqlite", path)
			if err != nil {
				return err
			}
			_, err = db.ExecContext(t.Context(), `CREATE TABLE old (id TEXT)`)
			return errors.Join(err, db.Close())
		},
	} {
		path := filepath.Join(folder, name)
		if err := prepare(path); err != nil {
			t.Fatal(err)
		}
		db := open(t, path)
		if err := db.Migrate(t.Context(), "notes", makeNotes); err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			fill(t, db)
			before := size(t, path)
			if err := db.Shrink(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(t.Context(), `INSERT INTO notes VALUES ('next', 'x')`); err != nil { // which begins the log anew
				t.Fatal(err)
			}
			if after := size(t, path); before < 20<<20 || after > 10_000_000 {
				t.Errorf("%s, round %d: the files have %d bytes before and %d after", name, round, before, after)
			}
		}
	}
}

func TestALockedFileIsBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.db")
	db, other := open(t, path), open(t, path)
	if err := db.Migrate(t.Context(), "notes", makeNotes); err != nil {
		t.Fatal(err)
	}
	err := db.Transact(t.Context(), func(sqldb.Tx) error {
		_, err := other.Exec(t.Context(), `INSERT INTO notes VALUES ('a', 'b')`)
		return err
	})
	if busy, ok := errors.AsType[*sqldb.BusyError](err); !ok || !busy.Busy() || !strings.Contains(err.Error(), "the database is busy: ") {
		t.Errorf("the error is %v", err)
	}
	if _, err := other.Exec(t.Context(), `INSERT INTO nothing VALUES (1)`); err == nil || strings.Contains(err.Error(), "is busy") {
		t.Errorf("the error of a wrong statement is %v", err)
	}
}
