package redis

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// CreateClient adds a client.
func (s *Store) CreateClient(ctx context.Context, client store.Client) error {
	data, err := codec.MarshalRecord(client)
	if err != nil {
		return err
	}
	return s.do(ctx, createClient, client.ID, string(client.Source), data, milliseconds(client.Created), milliseconds(client.Used))
}

const createClient = `
local key = 'oauth:client:' .. ARGV[1]
if redis.call('EXISTS', key) == 1 then
	return 'exists already'
end
redis.call('HSET', key, 'source', ARGV[2], 'data', ARGV[3], 'created', ARGV[4], 'used', ARGV[5])
redis.call('ZADD', 'oauth:clients', 0, ARGV[1])
if ARGV[2] == 'registered' and ARGV[5] == '0' then
	redis.call('ZADD', 'oauth:clients:unused', ARGV[4], ARGV[1])
end
return 'ok'`

// Client returns a client.
func (s *Store) Client(ctx context.Context, id string) (client store.Client, err error) {
	found, err := s.get(ctx, "oauth:client:"+id)
	if err != nil {
		return client, err
	}
	client.ID, client.Source, client.Created, client.Used = id, store.Source(found["source"]), found.time("created"), found.time("used")
	return client, found.decode(&client)
}

// ListClients returns clients by their IDs.
func (s *Store) ListClients(ctx context.Context, after string, limit int) ([]store.Client, error) {
	return list(ctx, s, "oauth:clients", after, limit, s.Client)
}

// DeleteClient removes a client.
func (s *Store) DeleteClient(ctx context.Context, id string) error {
	return s.do(ctx, deleteClient, id)
}

const deleteClient = `
redis.call('ZREM', 'oauth:clients', ARGV[1])
redis.call('ZREM', 'oauth:clients:unused', ARGV[1])
return redis.call('DEL', 'oauth:client:' .. ARGV[1]) == 1 and 'ok' or 'not found'`

// PruneClients removes the oldest clients that never got a grant.
func (s *Store) PruneClients(ctx context.Context, keep int) (removed int, err error) {
	return s.run(ctx, pruneClients, keep).Int()
}

const pruneClients = `
local ids = redis.call('ZRANGE', 'oauth:clients:unused', 0, -1 - ARGV[1])
for _, id in ipairs(ids) do
	redis.call('ZREM', 'oauth:clients', id)
	redis.call('ZREM', 'oauth:clients:unused', id)
	redis.call('DEL', 'oauth:client:' .. id)
end
return #ids`

// CreateUser adds a user.
func (s *Store) CreateUser(ctx context.Context, user store.User) error {
	data, err := codec.MarshalRecord(user)
	if err != nil {
		return err
	}
	return s.do(ctx, createUser, user.ID, user.Name, data, milliseconds(user.Created))
}

const createUser = `
local key, named = 'oauth:user:' .. ARGV[1], 'oauth:user-of:' .. ARGV[2]
if redis.call('EXISTS', key) == 1 or redis.call('EXISTS', named) == 1 then
	return 'exists already'
end
redis.call('HSET', key, 'name', ARGV[2], 'data', ARGV[3], 'created', ARGV[4])
redis.call('SET', named, ARGV[1])
redis.call('ZADD', 'oauth:users', 0, ARGV[1])
return 'ok'`

// User returns a user by its ID.
func (s *Store) User(ctx context.Context, id string) (store.User, error) {
	found, err := s.get(ctx, "oauth:user:"+id)
	if err != nil {
		return store.User{}, err
	}
	return userOf(id, found)
}

func userOf(id string, found record) (store.User, error) {
	user := store.User{ID: id, Name: found["name"], Created: found.time("created")}
	return user, found.decode(&user)
}

// UserByName returns a user by its name.
func (s *Store) UserByName(ctx context.Context, name string) (store.User, error) {
	return named(ctx, s, "oauth:user-of:"+name, s.User)
}

// named returns the record whose ID is the value of a key.
func named[R any](ctx context.Context, s *Store, key string, get func(context.Context, string) (R, error)) (found R, err error) {
	id, err := s.client.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return found, store.ErrNotFound
	}
	if err != nil {
		return found, err
	}
	return get(ctx, id)
}

// ListUsers returns users by their IDs.
func (s *Store) ListUsers(ctx context.Context, after string, limit int) ([]store.User, error) {
	return list(ctx, s, "oauth:users", after, limit, s.User)
}

// UpdateUser changes a user, whose data it replaces only if nobody else has in the meantime.
func (s *Store) UpdateUser(ctx context.Context, id string, change func(*store.User) error) error {
	for {
		found, err := s.get(ctx, "oauth:user:"+id)
		if err != nil {
			return err
		}
		user, err := userOf(id, found)
		if err != nil {
			return err
		}
		if err := change(&user); err != nil {
			return err
		}
		data, err := codec.MarshalRecord(user)
		if err != nil {
			return err
		}
		if err := s.do(ctx, updateUser, id, data, found["data"]); !errors.Is(err, store.ErrUsed) {
			return err
		}
	}
}

const updateUser = `
local key = 'oauth:user:' .. ARGV[1]
local data = redis.call('HGET', key, 'data')
if not data then
	return 'not found'
elseif data ~= ARGV[3] then
	return 'used already'
end
redis.call('HSET', key, 'data', ARGV[2])
return 'ok'`

// DeleteUser removes a user.
func (s *Store) DeleteUser(ctx context.Context, id string) error { return s.do(ctx, deleteUser, id) }

const deleteUser = `
local key = 'oauth:user:' .. ARGV[1]
local name = redis.call('HGET', key, 'name')
if not name then
	return 'not found'
end
redis.call('DEL', key, 'oauth:user-of:' .. name)
redis.call('ZREM', 'oauth:users', ARGV[1])
return 'ok'`

// CreateToken adds a personal access token.
func (s *Store) CreateToken(ctx context.Context, token store.Token) error {
	data, err := codec.MarshalRecord(token)
	if err != nil {
		return err
	}
	return s.do(ctx, createToken, token.ID, name(token.Hash), token.UserID, data, milliseconds(token.Created), milliseconds(token.Expires), string(token.Hash[:]))
}

const createToken = `
local key, named = 'oauth:token:' .. ARGV[1], 'oauth:token-of:' .. ARGV[2]
if redis.call('EXISTS', key) == 1 or redis.call('EXISTS', named) == 1 then
	return 'exists already'
end
redis.call('HSET', key, 'name', ARGV[2], 'user', ARGV[3], 'data', ARGV[4], 'created', ARGV[5], 'expires', ARGV[6], 'hash', ARGV[7])
redis.call('SET', named, ARGV[1])
redis.call('ZADD', 'oauth:tokens', 0, ARGV[1])
redis.call('ZADD', 'oauth:tokens-of:' .. ARGV[3], 0, ARGV[1])
if ARGV[6] ~= '0' then
	redis.call('ZADD', 'oauth:expires:token', ARGV[6], ARGV[1])
end
return 'ok'`

// Token returns a personal access token by its hash.
func (s *Store) Token(ctx context.Context, hash store.Hash) (store.Token, error) {
	return named(ctx, s, "oauth:token-of:"+name(hash), s.token)
}

func (s *Store) token(ctx context.Context, id string) (token store.Token, err error) {
	found, err := s.get(ctx, "oauth:token:"+id)
	if err != nil {
		return token, err
	}
	token.ID, token.UserID, token.Hash, token.Created, token.Expires = id, found["user"], found.hash("hash"), found.time("created"), found.time("expires")
	return token, found.decode(&token)
}

// ListTokens returns the tokens of a user, or of all, by their IDs.
func (s *Store) ListTokens(ctx context.Context, user, after string, limit int) ([]store.Token, error) {
	return list(ctx, s, indexOf("oauth:tokens", user), after, limit, s.token)
}

// DeleteToken removes a token.
func (s *Store) DeleteToken(ctx context.Context, id string) error { return s.do(ctx, deleteToken, id) }

const deleteToken = `
local key = 'oauth:token:' .. ARGV[1]
local token = redis.call('HMGET', key, 'name', 'user')
if not token[1] then
	return 'not found'
end
redis.call('DEL', key, 'oauth:token-of:' .. token[1])
redis.call('ZREM', 'oauth:tokens', ARGV[1])
redis.call('ZREM', 'oauth:tokens-of:' .. token[2], ARGV[1])
redis.call('ZREM', 'oauth:expires:token', ARGV[1])
return 'ok'`

// AddValue adds a value.
func (s *Store) AddValue(ctx context.Context, key store.Hash, value store.Value, now time.Time) error {
	return s.do(ctx, setValue, name(key), value.Data, milliseconds(value.Expires), milliseconds(now))
}

// SetValue adds or replaces a value.
func (s *Store) SetValue(ctx context.Context, key store.Hash, value store.Value) error {
	return s.do(ctx, setValue, name(key), value.Data, milliseconds(value.Expires), "")
}

const setValue = `
local key = 'oauth:value:' .. ARGV[1]
if ARGV[4] ~= '' and tonumber(redis.call('HGET', key, 'expires') or 0) > tonumber(ARGV[4]) then
	return 'exists already'
end
redis.call('HSET', key, 'data', ARGV[2], 'expires', ARGV[3])
redis.call('ZADD', 'oauth:expires:value', ARGV[3], ARGV[1])
return 'ok'`

// Value returns a value.
func (s *Store) Value(ctx context.Context, key store.Hash) (store.Value, error) {
	found, err := s.get(ctx, "oauth:value:"+name(key))
	if err != nil {
		return store.Value{}, err
	}
	return store.Value{Data: []byte(found["data"]), Expires: found.time("expires")}, nil
}

// TakeValue removes a value and returns it.
func (s *Store) TakeValue(ctx context.Context, key store.Hash) (store.Value, error) {
	fields, err := s.run(ctx, takeValue, name(key)).StringSlice()
	if errors.Is(err, redis.Nil) {
		return store.Value{}, store.ErrNotFound
	}
	if err != nil {
		return store.Value{}, err
	}
	return store.Value{Data: []byte(fields[0]), Expires: record{"expires": fields[1]}.time("expires")}, nil
}

const takeValue = `
local key = 'oauth:value:' .. ARGV[1]
local value = redis.call('HMGET', key, 'data', 'expires')
if not value[2] then
	return false
end
redis.call('DEL', key)
redis.call('ZREM', 'oauth:expires:value', ARGV[1])
return value`
