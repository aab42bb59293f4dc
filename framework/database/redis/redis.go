// Package redis opens Redis databases.
package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Open opens a database by its URL, such as redis://:password@host:6379/0, or rediss:// for
// TLS. What is kept survives a crash of the server only as its appendfsync says.
//
// The server must not evict keys, which would lose records such as revocations.
func Open(ctx context.Context, url string) (*redis.Client, error) {
	options, err := redis.ParseURL(url)
	if err != nil { // it may have the password
		return nil, errors.New("the URL of the Redis database is not valid; it has the form redis://:password@host:6379/0")
	}
	client := redis.NewClient(options)
	if err := checkEviction(ctx, client); err != nil {
		return nil, errors.Join(fmt.Errorf("open the Redis database on %s: %w", options.Addr, err), client.Close())
	}
	return client, nil
}

// checkEviction returns an error if the server removes keys that have no expiry. Ours have
// none.
func checkEviction(ctx context.Context, client *redis.Client) error {
	memory, err := client.InfoMap(ctx, "memory").Result()
	if err != nil {
		return err
	}
	if policy := memory["Memory"]["maxmemory_policy"]; strings.HasPrefix(policy, "allkeys-") {
		return fmt.Errorf("the server evicts keys (maxmemory-policy %s), so records could be lost; set maxmemory-policy noeviction", policy)
	}
	return nil
}

// Migrate brings the keys of a component to the newest version: it runs the Lua scripts that
// the database has not seen yet. An empty one stands for keys that no script has to change. The
// error says so if a newer version of the program has used the database. Several programs may
// call it at once. Scripts are only ever added.
func Migrate(ctx context.Context, client *redis.Client, component string, steps ...string) error {
	for i, step := range steps {
		script := "local function step()\n" + step + "\nend\n" + migrate
		known, err := redis.NewScript(script).Run(ctx, client, []string{"bowline:migrations"}, component, i+1).Int()
		if err != nil {
			return fmt.Errorf("migrate the keys of %s to version %d: %w", component, i+1, err)
		}
		if known > len(steps) {
			return fmt.Errorf("the keys of %s have version %d, but this program knows only %d; use a newer version of the program", component, known, len(steps))
		}
	}
	return nil
}

// migrate runs a step unless the keys have its version, and returns the version that they have.
const migrate = `
local known = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if known >= tonumber(ARGV[2]) then
	return known
end
step()
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return tonumber(ARGV[2])`
