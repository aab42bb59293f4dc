package memory_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
}
