package sqldb

import (
	"context"
	"database/sql"
)

// A Tx is a transaction.
type Tx struct {
	tx     *sql.Tx
	shared bool // with other transactions, which an interrupted statement would undo
}

// Exec runs a statement and returns how many rows it changed.
func (t Tx) Exec(ctx context.Context, statement string, args ...any) (changed int, err error) {
	ctx, err = t.within(ctx)
	if err != nil {
		return 0, err
	}
	return changes(t.tx.ExecContext(ctx, statement, args...))
}

// Get reads the first row of a query or of a statement that returns rows. The error is
// sql.ErrNoRows if there is none.
func (t Tx) Get(ctx context.Context, into []any, query string, args ...any) error {
	ctx, err := t.within(ctx)
	if err != nil {
		return err
	}
	return t.tx.QueryRowContext(ctx, query, args...).Scan(into...)
}

// within returns the context of a statement.
func (t Tx) within(ctx context.Context) (context.Context, error) {
	if !t.shared {
		return ctx, nil
	}
	return context.WithoutCancel(ctx), ctx.Err()
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
