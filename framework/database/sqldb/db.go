// Package sqldb is an SQL database with migrations. Packages sqlite and postgres open one.
// Parts of the framework keep their records in it, each in its own tables.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// A DB is an open database. Statements have the form that SQLite and PostgreSQL both
// understand, with parameters such as $1.
type DB struct {
	reads, writes *sql.DB
	dialect       Dialect
	writer        *writer // nil if many transactions write at the same time
}

// A Dialect has the differences between databases.
type Dialect struct {
	Bytes string // the type of a column with binary data; migrations write it as {bytes}
	Key   string // the type of a column with text that is compared by its bytes: {key}
	Lock  string // a statement that lets one transaction migrate at a time, or ""

	// OneWriter means that one transaction writes at a time.
	OneWriter bool

	// Busy reports whether an error means that the database can't answer at the moment. It is
	// nil if no error means that.
	Busy func(error) bool

	// Shrink gives the space of removed rows back to the system. It is nil if the database
	// does that by itself.
	Shrink func(ctx context.Context, db *sql.DB) error
}

// A BusyError means that the database can't answer at the moment, such as since another
// process has locked it for too long.
type BusyError struct{ Err error }

func (e *BusyError) Error() string { return "the database is busy: " + e.Err.Error() }

// Unwrap returns the error of the database.
func (e *BusyError) Unwrap() error { return e.Err }

// Busy returns true.
func (*BusyError) Busy() bool { return true }

// failed returns an error of the database as the methods return it.
func (d *DB) failed(err error) error {
	if err != nil && d.dialect.Busy != nil && d.dialect.Busy(err) {
		return &BusyError{err}
	}
	return err
}

// Shrink gives the space of removed rows back to the system.
func (d *DB) Shrink(ctx context.Context) error {
	if d.dialect.Shrink == nil {
		return nil
	}
	return d.failed(d.dialect.Shrink(ctx, d.writes))
}

// New returns a database. Reads and writes may be the same. The database closes both.
func New(reads, writes *sql.DB, dialect Dialect) *DB {
	db := &DB{reads: reads, writes: writes, dialect: dialect}
	if dialect.OneWriter {
		db.writer = &writer{db: writes}
	}
	return db
}

// Query runs a query and calls each for its rows.
func (d *DB) Query(ctx context.Context, each func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := d.reads.QueryContext(ctx, query, args...)
	if err != nil {
		return d.failed(err)
	}
	defer rows.Close() //nolint:errcheck // Err has the error
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return d.failed(rows.Err())
}

// Get reads the first row of a query. The error is sql.ErrNoRows if there is none.
func (d *DB) Get(ctx context.Context, into []any, query string, args ...any) error {
	return d.failed(d.reads.QueryRowContext(ctx, query, args...).Scan(into...))
}

// Exec runs a statement and returns how many rows it changed.
func (d *DB) Exec(ctx context.Context, statement string, args ...any) (changed int, err error) {
	changed, err = changes(d.writes.ExecContext(ctx, statement, args...))
	return changed, d.failed(err)
}

// ExecGet runs a statement that returns a row. The error is sql.ErrNoRows if it returns none.
func (d *DB) ExecGet(ctx context.Context, into []any, statement string, args ...any) error {
	return d.failed(d.writes.QueryRowContext(ctx, statement, args...).Scan(into...))
}

func changes(result sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// A Tx is a transaction.
type Tx struct {
	tx     *sql.Tx
	shared bool // with other transactions, which an interrupted statement would undo
}

// Exec runs a statement and returns how many rows it changed.
func (t Tx) Exec(ctx context.Context, statement string, args ...any) (changed int, err error) {
	if t.shared {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		ctx = context.WithoutCancel(ctx)
	}
	return changes(t.tx.ExecContext(ctx, statement, args...))
}

// Transact runs a function in a transaction, which is undone if the function returns an error. In SQLite,
// where one transaction writes at a time, those that wait are committed together, and the end of the
// context doesn't interrupt a statement that has begun.
func (d *DB) Transact(ctx context.Context, do func(Tx) error) error {
	if d.writer != nil {
		return d.failed(d.writer.transact(ctx, do))
	}
	tx, err := d.writes.BeginTx(ctx, nil)
	if err != nil {
		return d.failed(err)
	}
	defer tx.Rollback() //nolint:errcheck // it does nothing after Commit
	if err := do(Tx{tx: tx}); err != nil {
		return d.failed(err)
	}
	return d.failed(tx.Commit())
}

// Migrate brings the tables of a component to the newest version: it runs the steps that the
// database has not seen yet. Several programs may call it at once. Steps are only ever added.
func (d *DB) Migrate(ctx context.Context, component string, steps ...string) error {
	return d.Transact(ctx, func(tx Tx) error {
		if d.dialect.Lock != "" {
			if _, err := tx.Exec(ctx, d.dialect.Lock); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS bowline_migrations (component TEXT PRIMARY KEY, version BIGINT NOT NULL)`); err != nil {
			return err
		}
		var version int
		err := tx.tx.QueryRowContext(ctx, `SELECT version FROM bowline_migrations WHERE component = $1`, component).Scan(&version)
		switch {
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return err
		case version > len(steps):
			return fmt.Errorf("the tables of %s have version %d, but this program knows only %d; use a newer version of the program", component, version, len(steps))
		case version == len(steps):
			return nil
		}
		for i, step := range steps[version:] {
			if _, err := tx.Exec(ctx, strings.NewReplacer("{bytes}", d.dialect.Bytes, "{key}", d.dialect.Key).Replace(step)); err != nil {
				return fmt.Errorf("migrate the tables of %s to version %d: %w", component, version+i+1, err)
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO bowline_migrations (component, version) VALUES ($1, $2) ON CONFLICT (component) DO UPDATE SET version = excluded.version`, component, len(steps))
		return err
	})
}

// Close closes the database.
func (d *DB) Close() error { return errors.Join(d.writes.Close(), d.reads.Close()) }
