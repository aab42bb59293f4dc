// Package sqlstore is the store of an authorization server in an SQL database, for packages
// sqlite and postgres.
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/database/sqldb"
)

// Store is a store in an SQL database.
type Store struct{ db *sqldb.DB }

var _ store.Store = (*Store)(nil)

// firstVersion makes the tables. Times are Unix times in milliseconds. Columns
// hold the fields that statements compare, and data holds the rest of a record as JSON.
const firstVersion = `
CREATE TABLE oauth_clients (
	id {key} PRIMARY KEY, source TEXT NOT NULL, data TEXT NOT NULL, created BIGINT NOT NULL, used BIGINT
);
CREATE INDEX oauth_clients_unused ON oauth_clients (created, id) WHERE used IS NULL AND source = 'registered';
CREATE TABLE oauth_users (
	id {key} PRIMARY KEY, name {key} NOT NULL UNIQUE, data TEXT NOT NULL, created BIGINT NOT NULL
);
CREATE TABLE oauth_grants (
	id {key} PRIMARY KEY, client_id {key} NOT NULL, user_id {key} NOT NULL, data TEXT NOT NULL,
	created BIGINT NOT NULL, expires BIGINT NOT NULL, revoked BIGINT
);
CREATE INDEX oauth_grants_expires ON oauth_grants (expires);
CREATE TABLE oauth_codes (
	grant_id {key} NOT NULL REFERENCES oauth_grants ON DELETE CASCADE, hash {bytes} NOT NULL, data TEXT NOT NULL,
	expires BIGINT NOT NULL, used BIGINT, failures BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (grant_id, hash)
);
CREATE TABLE oauth_refresh_tokens (
	grant_id {key} NOT NULL REFERENCES oauth_grants ON DELETE CASCADE, hash {bytes} NOT NULL,
	used BIGINT, next_hash {bytes}, answer {bytes}, PRIMARY KEY (grant_id, hash)
);
CREATE TABLE oauth_tokens (
	id {key} PRIMARY KEY, user_id {key} NOT NULL, hash {bytes} NOT NULL UNIQUE, data TEXT NOT NULL,
	created BIGINT NOT NULL, expires BIGINT
);
CREATE INDEX oauth_tokens_user ON oauth_tokens (user_id, id);
CREATE TABLE oauth_values (
	key {bytes} PRIMARY KEY, data {bytes} NOT NULL, expires BIGINT NOT NULL
);
CREATE INDEX oauth_values_expires ON oauth_values (expires);
`

// secondVersion lets users see their grants, and when the client of each used it last.
const secondVersion = `
ALTER TABLE oauth_grants ADD COLUMN used BIGINT;
CREATE INDEX oauth_grants_user ON oauth_grants (user_id, id);
`

// New returns a store in a database, whose tables it makes or migrates. The store closes
// the database.
func New(ctx context.Context, db *sqldb.DB) (store.Store, error) {
	if err := db.Migrate(ctx, "oauth", firstVersion, secondVersion); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Purge removes expired records.
func (s *Store) Purge(ctx context.Context, before time.Time) (removed int, err error) {
	for _, statement := range []string{
		`DELETE FROM oauth_grants WHERE expires < $1`,
		`DELETE FROM oauth_tokens WHERE expires < $1`,
		`DELETE FROM oauth_values WHERE expires < $1`,
	} {
		n, err := s.db.Exec(ctx, statement, before.UnixMilli())
		if err != nil {
			return removed, err
		}
		removed += n
	}
	return removed, s.db.Shrink(ctx)
}

// milliseconds returns a time for a column, which is null for the zero time.
func milliseconds(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// timeOf returns the time of a column.
func timeOf(column sql.NullInt64) time.Time {
	if !column.Valid {
		return time.Time{}
	}
	return time.UnixMilli(column.Int64)
}

// get reads one row. It returns ErrNotFound if there is none.
func (s *Store) get(ctx context.Context, into []any, query string, args ...any) error {
	return found(s.db.Get(ctx, into, query, args...))
}

func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return store.ErrNotFound
	}
	return err
}

// insert runs a statement that inserts a row unless it exists.
func (s *Store) insert(ctx context.Context, statement string, args ...any) error {
	return changed(store.ErrExists)(s.db.Exec(ctx, statement+` ON CONFLICT DO NOTHING`, args...))
}

// changed returns a function for the result of Exec: none is the error if no row changed.
func changed(none error) func(int, error) error {
	return func(n int, err error) error {
		if err == nil && n == 0 {
			return none
		}
		return err
	}
}
