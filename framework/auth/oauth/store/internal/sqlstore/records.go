package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

const clientColumns = `id, source, data, created, used`

func scanClient(scan func(...any) error) (client store.Client, err error) {
	var data string
	var created, used sql.NullInt64
	if err := scan(&client.ID, &client.Source, &data, &created, &used); err != nil {
		return client, err
	}
	client.Created, client.Used = timeOf(created), timeOf(used)
	return client, json.Unmarshal([]byte(data), &client)
}

// CreateClient adds a client.
func (s *Store) CreateClient(ctx context.Context, client store.Client) error {
	data, err := codec.MarshalRecord(client)
	if err != nil {
		return err
	}
	return s.insert(ctx, `INSERT INTO oauth_clients (`+clientColumns+`) VALUES ($1, $2, $3, $4, $5)`,
		client.ID, client.Source, string(data), client.Created.UnixMilli(), milliseconds(client.Used))
}

// Client returns a client.
func (s *Store) Client(ctx context.Context, id string) (store.Client, error) {
	return one(ctx, s, scanClient, `SELECT `+clientColumns+` FROM oauth_clients WHERE id = $1`, id)
}

// ListClients returns clients by their IDs.
func (s *Store) ListClients(ctx context.Context, after string, limit int) ([]store.Client, error) {
	return list(ctx, s, scanClient, `SELECT `+clientColumns+` FROM oauth_clients WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
}

// DeleteClient removes a client.
func (s *Store) DeleteClient(ctx context.Context, id string) error {
	return changed(store.ErrNotFound)(s.db.Exec(ctx, `DELETE FROM oauth_clients WHERE id = $1`, id))
}

// PruneClients removes the oldest clients that never got a grant.
func (s *Store) PruneClients(ctx context.Context, keep int) (removed int, err error) {
	return s.db.Exec(ctx, `DELETE FROM oauth_clients WHERE used IS NULL AND source = 'registered' AND id NOT IN (
		SELECT id FROM oauth_clients WHERE used IS NULL AND source = 'registered' ORDER BY created DESC, id DESC LIMIT $1)`, keep)
}

const userColumns = `id, name, data, created`

// A userRow is a user with the column that an update replaces.
type userRow struct {
	store.User
	data string
}

func scanUserRow(scan func(...any) error) (row userRow, err error) {
	var created sql.NullInt64
	if err := scan(&row.ID, &row.Name, &row.data, &created); err != nil {
		return row, err
	}
	row.Created = timeOf(created)
	return row, json.Unmarshal([]byte(row.data), &row.User)
}

func scanUser(scan func(...any) error) (store.User, error) {
	row, err := scanUserRow(scan)
	return row.User, err
}

// CreateUser adds a user.
func (s *Store) CreateUser(ctx context.Context, user store.User) error {
	data, err := codec.MarshalRecord(user)
	if err != nil {
		return err
	}
	return s.insert(ctx, `INSERT INTO oauth_users (`+userColumns+`) VALUES ($1, $2, $3, $4)`,
		user.ID, user.Name, string(data), user.Created.UnixMilli())
}

// User returns a user by its ID.
func (s *Store) User(ctx context.Context, id string) (store.User, error) {
	return one(ctx, s, scanUser, `SELECT `+userColumns+` FROM oauth_users WHERE id = $1`, id)
}

// UserByName returns a user by its name.
func (s *Store) UserByName(ctx context.Context, name string) (store.User, error) {
	return one(ctx, s, scanUser, `SELECT `+userColumns+` FROM oauth_users WHERE name = $1`, name)
}

// ListUsers returns users by their IDs.
func (s *Store) ListUsers(ctx context.Context, after string, limit int) ([]store.User, error) {
	return list(ctx, s, scanUser, `SELECT `+userColumns+` FROM oauth_users WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
}

// UpdateUser changes a user, whose data it replaces only if nobody else has in the meantime.
func (s *Store) UpdateUser(ctx context.Context, id string, change func(*store.User) error) error {
	for {
		user, err := one(ctx, s, scanUserRow, `SELECT `+userColumns+` FROM oauth_users WHERE id = $1`, id)
		if err != nil {
			return err
		}
		if err := change(&user.User); err != nil {
			return err
		}
		data, err := codec.MarshalRecord(user.User)
		if err != nil {
			return err
		}
		n, err := s.db.Exec(ctx, `UPDATE oauth_users SET data = $1 WHERE id = $2 AND data = $3`, string(data), id, user.data)
		if err != nil || n > 0 {
			return err
		}
	}
}

// DeleteUser removes a user.
func (s *Store) DeleteUser(ctx context.Context, id string) error {
	return changed(store.ErrNotFound)(s.db.Exec(ctx, `DELETE FROM oauth_users WHERE id = $1`, id))
}

const tokenColumns = `id, user_id, hash, data, created, expires`

func scanToken(scan func(...any) error) (token store.Token, err error) {
	var hash []byte
	var data string
	var created, expires sql.NullInt64
	if err := scan(&token.ID, &token.UserID, &hash, &data, &created, &expires); err != nil {
		return token, err
	}
	copy(token.Hash[:], hash)
	token.Created, token.Expires = timeOf(created), timeOf(expires)
	return token, json.Unmarshal([]byte(data), &token)
}

// CreateToken adds a personal access token.
func (s *Store) CreateToken(ctx context.Context, token store.Token) error {
	data, err := codec.MarshalRecord(token)
	if err != nil {
		return err
	}
	return s.insert(ctx, `INSERT INTO oauth_tokens (`+tokenColumns+`) VALUES ($1, $2, $3, $4, $5, $6)`,
		token.ID, token.UserID, token.Hash[:], string(data), token.Created.UnixMilli(), milliseconds(token.Expires))
}

// Token returns a personal access token by its hash.
func (s *Store) Token(ctx context.Context, hash store.Hash) (store.Token, error) {
	return one(ctx, s, scanToken, `SELECT `+tokenColumns+` FROM oauth_tokens WHERE hash = $1`, hash[:])
}

// ListTokens returns the tokens of a user, or of all, by their IDs.
func (s *Store) ListTokens(ctx context.Context, user, after string, limit int) ([]store.Token, error) {
	if user == "" {
		return list(ctx, s, scanToken, `SELECT `+tokenColumns+` FROM oauth_tokens WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	}
	return list(ctx, s, scanToken, `SELECT `+tokenColumns+` FROM oauth_tokens WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3`, user, after, limit)
}

// DeleteToken removes a token.
func (s *Store) DeleteToken(ctx context.Context, id string) error {
	return changed(store.ErrNotFound)(s.db.Exec(ctx, `DELETE FROM oauth_tokens WHERE id = $1`, id))
}

func scanValue(scan func(...any) error) (value store.Value, err error) {
	var expires sql.NullInt64
	err = scan(&value.Data, &expires)
	value.Expires = timeOf(expires)
	return value, err
}

// dataOf returns the data of a value. Data that is missing is empty, which is not NULL.
func dataOf(value store.Value) []byte { return append([]byte{}, value.Data...) }

const insertValue = `INSERT INTO oauth_values (key, data, expires) VALUES ($1, $2, $3)
	ON CONFLICT (key) DO UPDATE SET data = excluded.data, expires = excluded.expires`

// AddValue adds a value.
func (s *Store) AddValue(ctx context.Context, key store.Hash, value store.Value, now time.Time) error {
	return changed(store.ErrExists)(s.db.Exec(ctx, insertValue+` WHERE oauth_values.expires <= $4`, key[:], dataOf(value), value.Expires.UnixMilli(), now.UnixMilli()))
}

// SetValue adds or replaces a value.
func (s *Store) SetValue(ctx context.Context, key store.Hash, value store.Value) error {
	_, err := s.db.Exec(ctx, insertValue, key[:], dataOf(value), value.Expires.UnixMilli())
	return err
}

// Value returns a value.
func (s *Store) Value(ctx context.Context, key store.Hash) (store.Value, error) {
	return one(ctx, s, scanValue, `SELECT data, expires FROM oauth_values WHERE key = $1`, key[:])
}

// TakeValue removes a value and returns it.
func (s *Store) TakeValue(ctx context.Context, key store.Hash) (store.Value, error) {
	return scanValue(func(into ...any) error {
		return found(s.db.ExecGet(ctx, into, `DELETE FROM oauth_values WHERE key = $1 RETURNING data, expires`, key[:]))
	})
}

// one returns the record of the first row of a query, or ErrNotFound.
func one[R any](ctx context.Context, s *Store, scan func(func(...any) error) (R, error), query string, args ...any) (R, error) {
	return scan(func(into ...any) error { return s.get(ctx, into, query, args...) })
}

// list returns the records of all rows of a query.
func list[R any](ctx context.Context, s *Store, scan func(func(...any) error) (R, error), query string, args ...any) (records []R, err error) {
	err = s.db.Query(ctx, func(row func(...any) error) error {
		record, err := scan(row)
		records = append(records, record)
		return err
	}, query, args...)
	return records, err
}
