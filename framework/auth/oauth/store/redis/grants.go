package redis

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func grantKey(id string) string                    { return "oauth:grant:" + id }
func codeKey(grant string, hash store.Hash) string { return grantKey(grant) + ":code:" + name(hash) }
func refreshKey(grant string, hash store.Hash) string {
	return grantKey(grant) + ":refresh:" + name(hash)
}

// CreateGrant adds a grant with its code.
func (s *Store) CreateGrant(ctx context.Context, grant store.Grant, code *store.Code) error {
	data, err := codec.MarshalRecord(grant)
	if err != nil { // claims that a program made
		return err
	}
	args := []any{grant.ID, grant.ClientID, grant.UserID, data, milliseconds(grant.Created), milliseconds(grant.Expires), milliseconds(grant.Used)}
	if code != nil {
		data, err := codec.MarshalRecord(code)
		if err != nil {
			return err
		}
		args = append(args, codeKey(grant.ID, code.Hash), data, milliseconds(code.Expires))
	}
	return s.do(ctx, createGrant, args...)
}

const createGrant = `
local key = 'oauth:grant:' .. ARGV[1]
if redis.call('EXISTS', key) == 1 then
	return 'exists already'
end
redis.call('HSET', key, 'client', ARGV[2], 'user', ARGV[3], 'data', ARGV[4], 'created', ARGV[5], 'expires', ARGV[6], 'used', ARGV[7], 'revoked', 0)
redis.call('ZADD', 'oauth:expires:grant', ARGV[6], ARGV[1])
redis.call('ZADD', 'oauth:grants', 0, ARGV[1])
redis.call('ZADD', 'oauth:grants-of:' .. ARGV[3], 0, ARGV[1])
if ARGV[8] then
	redis.call('HSET', ARGV[8], 'data', ARGV[9], 'expires', ARGV[10], 'used', 0, 'failures', 0)
	redis.call('SADD', key .. ':parts', ARGV[8])
end
local client = 'oauth:client:' .. ARGV[2]
if redis.call('HGET', client, 'used') == '0' then
	redis.call('HSET', client, 'used', ARGV[5])
	redis.call('ZREM', 'oauth:clients:unused', ARGV[2])
end
return 'ok'`

// Grant returns a grant.
func (s *Store) Grant(ctx context.Context, id string) (grant store.Grant, err error) {
	found, err := s.get(ctx, grantKey(id))
	if err != nil {
		return grant, err
	}
	grant.ID, grant.ClientID, grant.UserID = id, found["client"], found["user"]
	grant.Created, grant.Used, grant.Expires, grant.Revoked = found.time("created"), found.time("used"), found.time("expires"), found.time("revoked")
	return grant, found.decode(&grant)
}

// ListGrants returns the grants of a user, or of all, by their IDs.
func (s *Store) ListGrants(ctx context.Context, user, after string, limit int) ([]store.Grant, error) {
	return list(ctx, s, indexOf("oauth:grants", user), after, limit, s.Grant)
}

// RevokeGrant revokes a grant.
func (s *Store) RevokeGrant(ctx context.Context, id string, now time.Time) error {
	return s.do(ctx, revokeGrant, grantKey(id), milliseconds(now))
}

const revokeGrant = `
if redis.call('HGET', ARGV[1], 'revoked') == '0' then
	redis.call('HSET', ARGV[1], 'revoked', ARGV[2])
end
return 'ok'`

// Code returns a code.
func (s *Store) Code(ctx context.Context, grant string, hash store.Hash) (code store.Code, err error) {
	found, err := s.get(ctx, codeKey(grant, hash))
	if err != nil {
		return code, err
	}
	code.Hash, code.Expires, code.Used = hash, found.time("expires"), found.time("used")
	code.Failures, err = strconv.Atoi(found["failures"])
	return code, errors.Join(err, found.decode(&code))
}

// FailCode counts a failed try to redeem a code.
func (s *Store) FailCode(ctx context.Context, grant string, hash store.Hash) (failures int, err error) {
	failures, err = s.run(ctx, failCode, codeKey(grant, hash)).Int()
	if err == nil && failures == 0 {
		err = store.ErrNotFound
	}
	return failures, err
}

const failCode = `
if redis.call('EXISTS', ARGV[1]) == 0 then
	return 0
end
return redis.call('HINCRBY', ARGV[1], 'failures', 1)`

// RedeemCode uses a code.
func (s *Store) RedeemCode(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	return s.renew(ctx, grant, codeKey(grant, hash), renewal)
}

// RefreshToken returns a refresh token.
func (s *Store) RefreshToken(ctx context.Context, grant string, hash store.Hash) (store.RefreshToken, error) {
	found, err := s.get(ctx, refreshKey(grant, hash))
	if err != nil {
		return store.RefreshToken{}, err
	}
	token := store.RefreshToken{Hash: hash, Used: found.time("used"), Next: found.hash("next")}
	if found["answer"] != "" {
		token.Answer = []byte(found["answer"])
	}
	return token, nil
}

// RotateRefreshToken uses a refresh token.
func (s *Store) RotateRefreshToken(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	return s.renew(ctx, grant, refreshKey(grant, hash), renewal)
}

// renew renews a grant and uses its code or refresh token.
func (s *Store) renew(ctx context.Context, grant, redeemed string, renewal store.Renewal) error {
	args := []any{grant, redeemed, milliseconds(renewal.Now), milliseconds(renewal.Expires), string(renewal.Next[:]), renewal.Answer}
	if renewal.Next != (store.Hash{}) {
		args = append(args, refreshKey(grant, renewal.Next))
	}
	return s.do(ctx, renew, args...)
}

const renew = `
local key = 'oauth:grant:' .. ARGV[1]
local used = redis.call('HGET', ARGV[2], 'used')
if not used then
	return 'not found'
elseif used ~= '0' then
	return 'used already'
end
local grant = redis.call('HMGET', key, 'revoked', 'expires')
if grant[1] ~= '0' or tonumber(grant[2]) <= tonumber(ARGV[3]) then
	return 'revoked or expired'
end
redis.call('HSET', ARGV[2], 'used', ARGV[3], 'next', ARGV[5], 'answer', ARGV[6])
redis.call('HSET', key, 'expires', ARGV[4], 'used', ARGV[3])
redis.call('ZADD', 'oauth:expires:grant', ARGV[4], ARGV[1])
if ARGV[7] then
	redis.call('HSET', ARGV[7], 'used', 0)
	redis.call('SADD', key .. ':parts', ARGV[7])
end
return 'ok'`
