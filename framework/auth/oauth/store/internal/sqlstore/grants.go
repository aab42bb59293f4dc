package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/database/sqldb"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// CreateGrant adds a grant with its code.
func (s *Store) CreateGrant(ctx context.Context, grant store.Grant, code *store.Code) error {
	data, err := codec.MarshalRecord(grant)
	if err != nil { // claims that a program made
		return err
	}
	return s.db.Transact(ctx, func(tx sqldb.Tx) error {
		err := changed(store.ErrExists)(tx.Exec(ctx, `INSERT INTO oauth_grants (id, client_id, user_id, data, created, used, expires)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
			grant.ID, grant.ClientID, grant.UserID, string(data), grant.Created.UnixMilli(), milliseconds(grant.Used), grant.Expires.UnixMilli()))
		if err != nil {
			return err
		}
		if code != nil {
			data, err := codec.MarshalRecord(code)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `INSERT INTO oauth_codes (grant_id, hash, data, expires) VALUES ($1, $2, $3, $4)`,
				grant.ID, code.Hash[:], string(data), code.Expires.UnixMilli()); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `UPDATE oauth_clients SET used = $1 WHERE id = $2 AND used IS NULL`, grant.Created.UnixMilli(), grant.ClientID)
		return err
	})
}

const grantColumns = `id, client_id, user_id, data, created, used, expires, revoked`

func scanGrant(scan func(...any) error) (grant store.Grant, err error) {
	var data string
	var created, used, expires, revoked sql.NullInt64
	if err := scan(&grant.ID, &grant.ClientID, &grant.UserID, &data, &created, &used, &expires, &revoked); err != nil {
		return grant, err
	}
	grant.Created, grant.Used, grant.Expires, grant.Revoked = timeOf(created), timeOf(used), timeOf(expires), timeOf(revoked)
	return grant, json.Unmarshal([]byte(data), &grant)
}

// Grant returns a grant.
func (s *Store) Grant(ctx context.Context, id string) (store.Grant, error) {
	return one(ctx, s, scanGrant, `SELECT `+grantColumns+` FROM oauth_grants WHERE id = $1`, id)
}

// ListGrants returns the grants of a user, or of all, by their IDs.
func (s *Store) ListGrants(ctx context.Context, user, after string, limit int) ([]store.Grant, error) {
	if user == "" {
		return list(ctx, s, scanGrant, `SELECT `+grantColumns+` FROM oauth_grants WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	}
	return list(ctx, s, scanGrant, `SELECT `+grantColumns+` FROM oauth_grants WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3`, user, after, limit)
}

// RevokeGrant revokes a grant.
func (s *Store) RevokeGrant(ctx context.Context, id string, now time.Time) error {
	_, err := s.db.Exec(ctx, `UPDATE oauth_grants SET revoked = $1 WHERE id = $2 AND revoked IS NULL`, now.UnixMilli(), id)
	return err
}

func scanCode(scan func(...any) error) (code store.Code, err error) {
	var hash []byte
	var data string
	var expires, used sql.NullInt64
	if err := scan(&hash, &data, &expires, &used, &code.Failures); err != nil {
		return code, err
	}
	copy(code.Hash[:], hash)
	code.Expires, code.Used = timeOf(expires), timeOf(used)
	return code, json.Unmarshal([]byte(data), &code)
}

// Code returns a code.
func (s *Store) Code(ctx context.Context, grant string, hash store.Hash) (store.Code, error) {
	return one(ctx, s, scanCode, `SELECT hash, data, expires, used, failures FROM oauth_codes WHERE grant_id = $1 AND hash = $2`, grant, hash[:])
}

// FailCode counts a failed try to redeem a code.
func (s *Store) FailCode(ctx context.Context, grant string, hash store.Hash) (failures int, err error) {
	err = s.db.ExecGet(ctx, []any{&failures}, `UPDATE oauth_codes SET failures = failures + 1 WHERE grant_id = $1 AND hash = $2 RETURNING failures`, grant, hash[:])
	return failures, found(err)
}

// RedeemCode uses a code.
func (s *Store) RedeemCode(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	err := s.renew(ctx, grant, renewal, `UPDATE oauth_codes SET used = $1 WHERE grant_id = $2 AND hash = $3 AND used IS NULL`,
		renewal.Now.UnixMilli(), grant, hash[:])
	if !errors.Is(err, errNotRenewed) {
		return err
	}
	code, err := s.Code(ctx, grant, hash)
	return whyNot(code.Used, err)
}

func scanRefreshToken(scan func(...any) error) (token store.RefreshToken, err error) {
	var hash, next []byte
	var used sql.NullInt64
	err = scan(&hash, &used, &next, &token.Answer)
	copy(token.Hash[:], hash)
	copy(token.Next[:], next)
	token.Used = timeOf(used)
	return token, err
}

// RefreshToken returns a refresh token.
func (s *Store) RefreshToken(ctx context.Context, grant string, hash store.Hash) (store.RefreshToken, error) {
	return one(ctx, s, scanRefreshToken, `SELECT hash, used, next_hash, answer FROM oauth_refresh_tokens WHERE grant_id = $1 AND hash = $2`, grant, hash[:])
}

// RotateRefreshToken uses a refresh token.
func (s *Store) RotateRefreshToken(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	err := s.renew(ctx, grant, renewal, `UPDATE oauth_refresh_tokens SET used = $1, next_hash = $4, answer = $5 WHERE grant_id = $2 AND hash = $3 AND used IS NULL`,
		renewal.Now.UnixMilli(), grant, hash[:], renewal.Next[:], renewal.Answer)
	if !errors.Is(err, errNotRenewed) {
		return err
	}
	token, err := s.RefreshToken(ctx, grant, hash)
	return whyNot(token.Used, err)
}

// errNotRenewed means that a grant has ended, or that its code or refresh token is used or
// doesn't exist.
var errNotRenewed = errors.New("not renewed")

// whyNot returns the error for a grant that was not renewed: its code or refresh token is
// used or doesn't exist, or the grant has ended.
func whyNot(used time.Time, err error) error {
	switch {
	case err != nil:
		return err
	case !used.IsZero():
		return store.ErrUsed
	}
	return store.ErrRevoked
}

// renew renews a grant and uses its code or refresh token, or does neither. All transactions
// lock the grant first, so that two never wait for each other.
func (s *Store) renew(ctx context.Context, grant string, renewal store.Renewal, use string, args ...any) error {
	return s.db.Transact(ctx, func(tx sqldb.Tx) error {
		err := changed(errNotRenewed)(tx.Exec(ctx, `UPDATE oauth_grants SET expires = $1, used = $3 WHERE id = $2 AND revoked IS NULL AND expires > $3`,
			renewal.Expires.UnixMilli(), grant, renewal.Now.UnixMilli()))
		if err != nil {
			return err
		}
		if err := changed(errNotRenewed)(tx.Exec(ctx, use, args...)); err != nil {
			return err
		}
		if renewal.Next == (store.Hash{}) {
			return nil
		}
		_, err = tx.Exec(ctx, `INSERT INTO oauth_refresh_tokens (grant_id, hash) VALUES ($1, $2)`, grant, renewal.Next[:])
		return err
	})
}
