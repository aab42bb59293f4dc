// Package sqlite is the default store of an authorization server: an SQLite database in a
// file. What has been granted survives a restart and a loss of power.
package sqlite

import (
	"context"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/internal/sqlstore"
	"github.com/bowline-mcp/bowline/framework/database/sqlite"
)

// Driver opens stores whose address is sqlite: and the path of a file.
func Driver() store.Driver {
	return store.Driver{Schemes: []string{"sqlite"}, Open: func(ctx context.Context, address string) (store.Store, error) {
		return Open(ctx, strings.TrimPrefix(address, "sqlite:"))
	}}
}

// Open opens the store in a file, such as storage/oauth.db. It makes the file if there is
// none. Several processes on one machine may use it at once.
func Open(ctx context.Context, path string) (store.Store, error) {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return sqlstore.New(ctx, db)
}
