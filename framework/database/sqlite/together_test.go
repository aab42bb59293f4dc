package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/database/sqldb"
)

// notes returns a database with an empty table.
func notes(t *testing.T) *sqldb.DB {
	t.Helper()
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	if err := db.Migrate(t.Context(), "notes", makeNotes); err != nil {
		t.Fatal(err)
	}
	return db
}

// count returns how many notes have been committed.
func count(t *testing.T, db *sqldb.DB) (n int) {
	t.Helper()
	if err := db.Get(t.Context(), []any{&n}, `SELECT count(*) FROM notes`); err != nil {
		t.Error(err)
	}
	return n
}

// insert inserts a note.
func insert(ctx context.Context, id any) func(sqldb.Tx) error {
	return func(tx sqldb.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO notes (id) VALUES ($1)`, id)
		return err
	}
}

// whileOthersWait runs transactions that all wait for a first one, which inserts a note. The error of
// the first is the first of the errors.
func whileOthersWait(t *testing.T, db *sqldb.DB, others ...func() error) []error {
	t.Helper()
	var all sync.WaitGroup
	errs := make([]error, 1+len(others))
	errs[0] = db.Transact(t.Context(), func(tx sqldb.Tx) error {
		for n, other := range others {
			all.Go(func() { errs[1+n] = other() })
		}
		time.Sleep(200 * time.Millisecond) // until they wait
		return insert(t.Context(), "first")(tx)
	})
	all.Wait()
	return errs
}

// A commit waits for the disk.
func TestTransactionsThatWaitAreCommittedTogether(t *testing.T) {
	t.Parallel()
	const together, more = 64, 6
	db := notes(t)
	var lock sync.Mutex
	seen := map[int]int{}
	others := make([]func() error, together+more-1)
	for n := range others {
		others[n] = func() error {
			return db.Transact(t.Context(), func(tx sqldb.Tx) error {
				lock.Lock()
				seen[count(t, db)]++
				lock.Unlock()
				return insert(t.Context(), n)(tx)
			})
		}
	}
	if err := errors.Join(whileOthersWait(t, db, others...)...); err != nil {
		t.Error(err)
	}
	if seen[0] != together-1 || seen[together] != more {
		t.Errorf("so many transactions ran after so many were committed: %v", seen)
	}
	if n := count(t, db); n != together+more {
		t.Errorf("there are %d notes, want %d", n, together+more)
	}
}

// One of them sees what the others of its batch did, so its error counts only after the commit.
func TestATransactionThatFailsUndoesNoOther(t *testing.T) {
	t.Parallel()
	db := notes(t)
	failed, gone := errors.New("failed"), errors.New("gone")
	within, end := context.WithCancelCause(t.Context())
	errs := whileOthersWait(t, db,
		func() error { return db.Transact(t.Context(), insert(t.Context(), "second")) },
		func() error {
			err := db.Transact(t.Context(), func(tx sqldb.Tx) error {
				return errors.Join(insert(t.Context(), "undone")(tx), failed)
			})
			if n := count(t, db); n < 1 {
				t.Errorf("it fails before the others are committed, with %d notes", n)
			}
			return err
		},
		func() error {
			return db.Transact(within, func(tx sqldb.Tx) error {
				err := insert(within, "undone too")(tx)
				end(gone)
				return errors.Join(err, insert(within, "not begun")(tx))
			})
		},
		func() (err error) {
			defer func() { err, _ = recover().(error) }()
			return db.Transact(t.Context(), func(tx sqldb.Tx) error {
				_ = insert(t.Context(), "thrown")(tx)
				panic(failed)
			})
		},
		func() error { return db.Transact(t.Context(), insert(t.Context(), "fifth")) },
	)
	for n, want := range []error{nil, nil, failed, context.Canceled, failed, nil} {
		if !errors.Is(errs[n], want) {
			t.Errorf("the error of the transaction %d is %v, want %v", n, errs[n], want)
		}
	}
	if n := count(t, db); n != 3 {
		t.Errorf("there are %d notes, want 3", n)
	}
}

// A full disk undoes all.
func TestAnErrorOfTheDatabaseIsThatOfAllTransactions(t *testing.T) {
	t.Parallel()
	db := notes(t)
	failed := errors.New("failed")
	undoAll := func() error {
		return db.Transact(t.Context(), func(tx sqldb.Tx) error {
			_, err := tx.Exec(t.Context(), `ROLLBACK`)
			return errors.Join(err, failed)
		})
	}
	if errs := whileOthersWait(t, db, undoAll); !errors.Is(errs[0], failed) || !errors.Is(errs[1], failed) || count(t, db) != 0 {
		t.Errorf("the errors are %v, and there are %d notes", errs, count(t, db))
	}
	if err := undoAll(); err == nil || err.Error() != failed.Error() {
		t.Errorf("alone, the error is %v", err)
	}
	if err := db.Transact(t.Context(), insert(t.Context(), "after")); err != nil || count(t, db) != 1 {
		t.Errorf("afterwards: %v", err)
	}
}

func TestATransactionThatWaitsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	db := notes(t)
	waiting, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	ended := make(chan error, 1)
	err := db.Transact(t.Context(), func(sqldb.Tx) error {
		go func() { ended <- db.Transact(waiting, insert(t.Context(), "undone")) }()
		select {
		case err := <-ended:
			return err
		case <-time.After(10 * time.Second):
			return errors.New("it waits")
		}
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	if err := db.Transact(waiting, insert(t.Context(), "undone")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("alone, the error is %v", err)
	}
	if err := db.Get(t.Context(), []any{new(string)}, `SELECT id FROM notes WHERE id = 'undone'`); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("its note: %v", err)
	}
}

func TestALockedFileIsNotWaitedForBeyondTheContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.db")
	db, other := open(t, path), open(t, path)
	waiting, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	begun := time.Now()
	err := db.Transact(t.Context(), func(sqldb.Tx) error {
		return other.Transact(waiting, func(sqldb.Tx) error { return nil })
	})
	if took := time.Since(begun); err == nil || took > 2*time.Second {
		t.Errorf("after %v the error is %v", took, err)
	}
	if err := other.Transact(t.Context(), func(sqldb.Tx) error { return nil }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
