package redis_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/database/redis"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
)

func TestAServerThatEvictsKeysIsRefused(t *testing.T) {
	t.Parallel()
	url := databasetest.Redis(t).URL(t)
	client, err := redis.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close() //nolint:errcheck // a test
	for policy, accepted := range map[string]bool{"allkeys-lru": false, "allkeys-random": false, "volatile-lru": true, "noeviction": true} {
		if err := client.ConfigSet(t.Context(), "maxmemory-policy", policy).Err(); err != nil {
			t.Fatal(err)
		}
		again, err := redis.Open(t.Context(), url)
		if accepted && err == nil {
			_ = again.Close()
			continue
		}
		if accepted || err == nil || !strings.Contains(err.Error(), "set maxmemory-policy noeviction") {
			t.Errorf("%s: the error is %v", policy, err)
		}
	}
}

func TestAnOlderProgramRefusesTheKeysOfANewerOne(t *testing.T) {
	t.Parallel()
	client, err := redis.Open(t.Context(), databasetest.Redis(t).URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close() //nolint:errcheck // a test
	const count = `redis.call('INCR', 'steps')`
	for _, steps := range [][]string{{""}, {"", count}, {"", count}} {
		if err := redis.Migrate(t.Context(), client, "notes", steps...); err != nil {
			t.Fatal(err)
		}
	}
	if ran, err := client.Get(t.Context(), "steps").Int(); err != nil || ran != 1 {
		t.Errorf("the second step ran %d times, %v; want once", ran, err)
	}
	err = redis.Migrate(t.Context(), client, "notes", "")
	if want := "the keys of notes have version 2, but this program knows only 1; use a newer version of the program"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

func TestADatabaseThatCannotBeOpenedIsNamedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"redis://:hunter2@127.0.0.1:1/0": "open the Redis database on 127.0.0.1:1",
		"redis://:hunter2@127.0.0.1/x":   "it has the form redis://:password@host:6379/0",
		"http://:hunter2@127.0.0.1":      "it has the form redis://:password@host:6379/0",
	} {
		_, err := redis.Open(t.Context(), url)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error is %v, want %q in it, and no password", url, err, want)
		}
	}
}
