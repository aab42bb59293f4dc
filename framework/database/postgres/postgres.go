// Package postgres opens PostgreSQL databases.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/bowline-mcp/bowline/framework/database/sqldb"
)

// maxConnections is how many connections a process has to a database.
const maxConnections = 16

// Open opens a database by its URL, such as postgres://user:password@host/database.
func Open(ctx context.Context, url string) (*sqldb.DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil { // it has no password
		return nil, fmt.Errorf("the URL of the PostgreSQL database is not valid: %w", err)
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(maxConnections)
	db.SetMaxIdleConns(maxConnections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the PostgreSQL database %s on %s: %w", config.Database, config.Host, err), db.Close())
	}
	return sqldb.New(db, db, sqldb.Dialect{Bytes: "BYTEA", Key: `TEXT COLLATE "C"`, Lock: lock, Busy: isBusy}), nil
}

// isBusy reports whether the server has too many connections (53300 in the table of its error
// codes), or stops or starts (57P01 to 57P03).
func isBusy(err error) bool {
	failed, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{"53300", "57P01", "57P02", "57P03"}, failed.Code)
}

// lock takes a lock until the end of the transaction. The number stands for Bowline.
const lock = `SELECT pg_advisory_xact_lock(7239416501)`
