package postgres_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/postgres"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/storetest"
	"github.com/bowline-mcp/bowline/internal/databasetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	server := databasetest.Postgres(t)
	open := func(t *testing.T, url string) store.Store {
		t.Helper()
		opened, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		return opened
	}
	t.Run("OneProcess", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store {
			t.Helper()
			return open(t, server.URL(t))
		})
	})
	t.Run("SeveralProcesses", func(t *testing.T) {
		url := server.URL(t)
		storetest.Durable(t, func(t *testing.T) store.Store {
			t.Helper()
			return open(t, url)
		})
	})
}
