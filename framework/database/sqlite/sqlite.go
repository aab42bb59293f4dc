// Package sqlite opens SQLite databases, which are files. It needs no server and no cgo.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/bowline-mcp/bowline/framework/database/sqldb"
)

// Open opens the database in a file, which it makes with its folder if there is none. Only
// the user of the process may read it.
//
// A change that has been committed survives a loss of power. Other processes may use the
// file at the same time, if they are on the same machine: it must not be on a network drive.
func Open(ctx context.Context, path string) (*sqldb.DB, error) {
	isNew, err := prepare(path)
	if err != nil {
		return nil, err
	}
	pragmas := []string{"busy_timeout(5000)", "journal_mode(WAL)", "journal_size_limit(" + maxJournal + ")", "synchronous(FULL)", "foreign_keys(1)"}
	if isNew { // later it would need the lock, and change nothing
		pragmas = slices.Insert(pragmas, 1, "auto_vacuum(INCREMENTAL)")
	}
	// One connection writes, so that writers of this process queue in it and don't have to
	// wait for the lock of the file. A transaction takes that lock when it begins: one that
	// reads first could not get it later.
	writes, err := open(path, url.Values{"_txlock": {"immediate"}, "_pragma": pragmas})
	if err != nil {
		return nil, err
	}
	writes.SetMaxOpenConns(1)
	if err := writes.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the SQLite database %s: %w", path, err), writes.Close())
	}
	reads, err := open(path, url.Values{"_pragma": {"busy_timeout(5000)", "query_only(1)"}})
	if err != nil {
		return nil, errors.Join(err, writes.Close())
	}
	reads.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
	return sqldb.New(reads, writes, sqldb.Dialect{Bytes: "BLOB", Key: "TEXT", ID: "INTEGER PRIMARY KEY AUTOINCREMENT", OneWriter: true, Busy: isBusy, Shrink: shrink}), nil
}

// maxJournal is how large the write-ahead log stays at most, in bytes. SQLite begins to write
// it back at 4 MB.
const maxJournal = "8000000"

// isBusy reports whether another connection has kept the lock of the file for too long.
func isBusy(err error) bool {
	failed, ok := errors.AsType[*sqlite.Error](err)
	return ok && (failed.Code()&0xff == lib.SQLITE_BUSY || failed.Code()&0xff == lib.SQLITE_LOCKED)
}

// shrink makes the file smaller by the pages that are not used. A file that an older version
// of this package made can't do that, and is written anew once.
func shrink(ctx context.Context, db *sql.DB) error {
	var mode int
	if err := db.QueryRowContext(ctx, `PRAGMA auto_vacuum`).Scan(&mode); err != nil {
		return err
	}
	if mode == 0 {
		if _, err := db.ExecContext(ctx, `PRAGMA auto_vacuum = INCREMENTAL; VACUUM`); err != nil {
			return err
		}
	}
	for _, pragma := range []string{`incremental_vacuum`, `wal_checkpoint(PASSIVE)`} { // which waits for nobody
		rows, err := db.QueryContext(ctx, `PRAGMA `+pragma)
		if err != nil {
			return err
		}
		for rows.Next() { // one for each page that is removed
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the file and its folder, and reports whether the file is empty.
func prepare(path string) (isNew bool, err error) {
	if path == "" {
		return false, errors.New("the SQLite database has no path; give one, such as storage/app.db")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator chooses the path
	if err != nil {
		return false, err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		err = file.Chmod(0o600)
	}
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("the SQLite database %s may be read by others and is not the process's own file; run chmod 600 %s: %w", path, path, err)
	}
	return err == nil && info.Size() == 0, errors.Join(err, file.Close())
}

func open(path string, options url.Values) (*sql.DB, error) {
	address := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: options.Encode()}
	return sql.Open("sqlite", address.String())
}
