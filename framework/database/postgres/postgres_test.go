package postgres_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/framework/database/postgres"
	"github.com/bowline-mcp/bowline/framework/database/sqldb"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
)

func TestProgramsMayMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := databasetest.Postgres(t).URL(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			db, err := postgres.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close() //nolint:errcheck // a test
			if err := db.Migrate(t.Context(), "notes", `CREATE TABLE notes (id {key} PRIMARY KEY, body {bytes})`, `INSERT INTO notes (id) VALUES ('first')`); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestADatabaseThatCannotBeOpenedIsNamedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"postgres://ana:hunter2@127.0.0.1:1/app": "open the PostgreSQL database app on 127.0.0.1",
		"postgres://ana:hunter2@127.0.0.1:x/app": "the URL of the PostgreSQL database is not valid",
	} {
		db, err := postgres.Open(t.Context(), url)
		if err == nil {
			_ = db.Close()
			t.Fatalf("%s was opened", url)
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error is %v, want %q in it, and no password", err, want)
		}
	}
}

func TestMigrationsAreFiles(t *testing.T) {
	t.Parallel()
	server := databasetest.Postgres(t)
	for _, test := range []func(*testing.T, *sqldb.DB){databasetest.MigratesFiles, databasetest.HoldsColumns} {
		db, err := postgres.Open(t.Context(), server.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		test(t, db)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
