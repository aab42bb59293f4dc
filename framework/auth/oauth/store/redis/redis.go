// Package redis is a store of an authorization server in a Redis database, for programs that
// run on several machines. The server needs appendonly yes; with appendfsync everysec, a
// crash of the server loses the grants and revocations of the last second.
package redis

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	database "github.com/bowline-mcp/bowline/framework/database/redis"
)

// Store is a store in a Redis database.
//
// A record is a hash whose key is its kind and its ID. Times are Unix times in milliseconds,
// 0 for the zero time. Sorted sets are the indexes for lists and removals. A script does all
// of a change at once.
type Store struct{ client *redis.Client }

var _ store.Store = (*Store)(nil)

// secondVersion makes the indexes of users and of grants, which the first version lacked.
const secondVersion = `
for _, key in ipairs(redis.call('KEYS', 'oauth:user:*')) do
	redis.call('ZADD', 'oauth:users', 0, string.sub(key, #'oauth:user:' + 1))
end
for _, id in ipairs(redis.call('ZRANGE', 'oauth:expires:grant', 0, -1)) do
	redis.call('ZADD', 'oauth:grants', 0, id)
	redis.call('ZADD', 'oauth:grants-of:' .. redis.call('HGET', 'oauth:grant:' .. id, 'user'), 0, id)
end`

// Driver opens stores whose address is the URL of a Redis database.
func Driver() store.Driver {
	return store.Driver{Schemes: []string{"redis", "rediss"}, Open: Open}
}

// Open opens the store in a database, such as redis://:password@host:6379/0.
func Open(ctx context.Context, url string) (store.Store, error) {
	client, err := database.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := database.Migrate(ctx, client, "oauth", "", secondVersion); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return &Store{client}, nil
}

// Close closes the connections.
func (s *Store) Close() error { return s.client.Close() }

// run runs a script. The server keeps it by its hash.
func (s *Store) run(ctx context.Context, script string, args ...any) *redis.Cmd {
	return redis.NewScript(script).Run(ctx, s.client, nil, args...)
}

// do runs a script that returns "ok" or the text of an error.
func (s *Store) do(ctx context.Context, script string, args ...any) error {
	answer, err := s.run(ctx, script, args...).Text()
	switch {
	case err != nil:
		return err
	case answer == "ok":
		return nil
	}
	for _, known := range []error{store.ErrNotFound, store.ErrExists, store.ErrUsed, store.ErrRevoked} {
		if answer == known.Error() {
			return known
		}
	}
	return fmt.Errorf("a script answers %q", answer)
}

// A record is a hash of Redis.
type record map[string]string

// get returns a record, or ErrNotFound.
func (s *Store) get(ctx context.Context, key string) (record, error) {
	found, err := s.client.HGetAll(ctx, key).Result()
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	return found, err
}

// time returns the time of a field.
func (r record) time(field string) time.Time {
	ms, err := strconv.ParseInt(r[field], 10, 64)
	if err != nil || ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// hash returns the hash of a field.
func (r record) hash(field string) (hash store.Hash) {
	copy(hash[:], r[field])
	return hash
}

// decode decodes the rest of a record.
func (r record) decode(into any) error { return json.Unmarshal([]byte(r["data"]), into) }

// milliseconds returns a time for a field.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// name returns a hash for a key.
func name(hash store.Hash) string { return hex.EncodeToString(hash[:]) }

// list returns the records whose IDs are in a sorted set, in the order of the IDs.
func list[R any](ctx context.Context, s *Store, index, after string, limit int, get func(context.Context, string) (R, error)) (records []R, err error) {
	from := "(" + after
	if after == "" {
		from = "-"
	}
	ids, err := s.client.ZRangeArgs(ctx, redis.ZRangeArgs{Key: index, ByLex: true, Start: from, Stop: "+", Count: int64(limit)}).Result()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		record, err := get(ctx, id)
		if errors.Is(err, store.ErrNotFound) { // removed in the meantime
			continue
		}
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}

// indexOf returns the index of the records of a user, or of all for "".
func indexOf(all, user string) string {
	if user == "" {
		return all
	}
	return all + "-of:" + user
}

// Purge removes expired records.
func (s *Store) Purge(ctx context.Context, before time.Time) (removed int, err error) {
	for {
		n, err := s.run(ctx, purge, before.UnixMilli()).Int()
		removed += n
		if err != nil || n == 0 {
			return removed, err
		}
	}
}

// purge removes some records, so that the server answers others in between.
const purge = `
local removed = 0
for _, kind in ipairs({'grant', 'token', 'value'}) do
	local index = 'oauth:expires:' .. kind
	for _, id in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', '(' .. ARGV[1], 'LIMIT', 0, 100)) do
		local key = 'oauth:' .. kind .. ':' .. id
		if kind == 'grant' then
			redis.call('ZREM', 'oauth:grants', id)
			redis.call('ZREM', 'oauth:grants-of:' .. (redis.call('HGET', key, 'user') or ''), id)
			for _, part in ipairs(redis.call('SMEMBERS', key .. ':parts')) do
				redis.call('DEL', part)
			end
			redis.call('DEL', key .. ':parts')
		elseif kind == 'token' then
			local token = redis.call('HMGET', key, 'name', 'user')
			if token[1] then
				redis.call('DEL', 'oauth:token-of:' .. token[1])
				redis.call('ZREM', 'oauth:tokens', id)
				redis.call('ZREM', 'oauth:tokens-of:' .. token[2], id)
			end
		end
		redis.call('DEL', key)
		redis.call('ZREM', index, id)
		removed = removed + 1
	end
end
return removed`
