package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/postgres"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/redis"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/storetest"
	postgresdb "github.com/bowline-mcp/bowline/framework/database/postgres"
	redisdb "github.com/bowline-mcp/bowline/framework/database/redis"
	"github.com/bowline-mcp/bowline/framework/database/sqldb"
	sqlitedb "github.com/bowline-mcp/bowline/framework/database/sqlite"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
)

// All stores do the same. One test binary has them all, since it takes longer to link than to run.

func TestTheStoreInMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
}

func TestTheStoreInSQLite(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t testing.TB) string {
		t.Helper()
		return filepath.Join(t.TempDir(), "oauth.db")
	}, sqlite.Open)
}

func TestTheStoreInPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, databasetest.Postgres(t).URL, postgres.Open)
}

func TestTheStoreInRedis(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, databasetest.Redis(t).URL, redis.Open)
}

func TestTheFilesOfSQLiteHaveNoSecret(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	opened, err := sqlite.Open(t.Context(), filepath.Join(folder, "oauth.db"))
	if err != nil {
		t.Fatal(err)
	}
	secrets := storetest.Fill(t, opened)
	for range 2 { // with the write-ahead log, and without
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || len(files) == 0 {
			t.Fatal("there are no files", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file) //nolint:gosec // a test
			if err != nil {
				t.Fatal(err)
			}
			storetest.HasNone(t, filepath.Base(file), string(text), secrets)
		}
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Records that an older version has made are in the lists of this one.
func TestRecordsOfTheFirstVersionAreListed(t *testing.T) {
	t.Parallel()
	sql := func(open func(context.Context, string) (*sqldb.DB, error)) func(*testing.T, string) {
		return func(t *testing.T, address string) {
			t.Helper()
			db, err := open(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			for _, statement := range []string{
				`DROP INDEX oauth_grants_user`, `ALTER TABLE oauth_grants DROP COLUMN used`, `UPDATE bowline_migrations SET version = 1 WHERE component = 'oauth'`,
			} {
				if _, err := db.Exec(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, test := range map[string]struct {
		address string
		open    func(context.Context, string) (store.Store, error)
		undo    func(*testing.T, string) // the second version
	}{
		"sqlite":   {filepath.Join(t.TempDir(), "oauth.db"), sqlite.Open, sql(sqlitedb.Open)},
		"postgres": {databasetest.Postgres(t).URL(t), postgres.Open, sql(postgresdb.Open)},
		"redis": {databasetest.Redis(t).URL(t), redis.Open, func(t *testing.T, address string) {
			t.Helper()
			client, err := redisdb.Open(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			err = errors.Join(client.Del(t.Context(), "oauth:users", "oauth:grants", "oauth:grants-of:u").Err(), client.HSet(t.Context(), "bowline:migrations", "oauth", 1).Err(), client.Close())
			if err != nil {
				t.Fatal(err)
			}
		}},
	} {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		ctx, now := t.Context(), time.Now()
		before, err := test.open(ctx, test.address)
		must(err)
		must(before.CreateUser(ctx, store.User{ID: "u", Name: "ana", Created: now}))
		must(before.CreateGrant(ctx, store.Grant{ID: "g", ClientID: "c", UserID: "u", Created: now, Expires: now.Add(time.Hour)}, nil))
		must(before.Close())
		test.undo(t, test.address)
		after, err := test.open(ctx, test.address)
		must(err)
		users, err := after.ListUsers(ctx, "", 10)
		must(err)
		for _, of := range []string{"", "u"} {
			grants, err := after.ListGrants(ctx, of, "", 10)
			must(err)
			if len(users) != 1 || users[0].Name != "ana" || len(grants) != 1 || grants[0].ID != "g" || !grants[0].Used.IsZero() {
				t.Errorf("%s: the users are %v, the grants of %q %v", name, users, of, grants)
			}
		}
		must(after.Close())
	}
}
