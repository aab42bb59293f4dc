// Package postgres is a store of an authorization server in a PostgreSQL database, for
// programs that run on several machines.
package postgres

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/internal/sqlstore"
	"github.com/bowline-mcp/bowline/framework/database/postgres"
)

// Driver opens stores whose address is the URL of a PostgreSQL database.
func Driver() store.Driver {
	return store.Driver{Schemes: []string{"postgres", "postgresql"}, Open: Open}
}

// Open opens the store in a database, such as postgres://user:password@host/database. It
// makes the tables if there are none.
func Open(ctx context.Context, url string) (store.Store, error) {
	db, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	return sqlstore.New(ctx, db)
}
