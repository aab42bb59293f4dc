package postgres_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/postgres"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/storetest"
	"github.com/bowline-mcp/bowline/internal/databasetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, databasetest.Postgres(t).URL, postgres.Open)
}
