// Package sqldb is an SQL database with migrations. Packages sqlite and postgres open one.
// Parts of the framework keep their records in it, each in its own tables.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
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
	ID    string // the type of a primary key that numbers new rows, and no number twice: {id}
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

// Close closes the database.
func (d *DB) Close() error { return errors.Join(d.writes.Close(), d.reads.Close()) }
