package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/postgres"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/redis"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
)

func TestAStoreIsOpenedByTheSchemeOfItsAddress(t *testing.T) {
	t.Parallel()
	other := store.Driver{Schemes: []string{"other"}, Open: func(_ context.Context, address string) (store.Store, error) {
		return nil, errors.New("the address is " + address)
	}}
	for _, address := range []string{"sqlite:" + filepath.Join(t.TempDir(), "new", "oauth.db"), "memory:"} {
		opened, err := store.Open(t.Context(), address, other, memory.Driver(), sqlite.Driver())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := opened.PruneClients(t.Context(), 0); err != nil {
			t.Error(err)
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}
	known := map[string]string{}
	for name, driver := range map[string]store.Driver{"sqlite": sqlite.Driver(), "postgres": postgres.Driver(), "redis": redis.Driver(), "memory": memory.Driver()} {
		for _, scheme := range driver.Schemes {
			known[scheme] = name
		}
	}
	for scheme, name := range known {
		_, err := store.Open(t.Context(), scheme+"://:hunter2@host/1")
		if err == nil || !strings.Contains(err.Error(), `import "github.com/bowline-mcp/bowline/framework/auth/oauth/store/`+name+`" and add `+name+".Driver()") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error is %v", scheme, err)
		}
	}
}

func TestAnAddressWithoutADriverIsExplained(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"":                      `give one such as "sqlite:storage/oauth.db"`,
		"storage/oauth.db":      `give one such as "sqlite:storage/oauth.db"`,
		"mysql://:hunter2@host": "use sqlite, postgres, redis or memory",
	} {
		_, err := store.Open(context.Background(), address, sqlite.Driver())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the error is %v, want %q in it", address, err, want)
		}
	}
}
