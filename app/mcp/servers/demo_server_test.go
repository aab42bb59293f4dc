package servers_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/app/mcp/servers"
)

func TestDemoServer(t *testing.T) { mcptest.Check(t, &servers.DemoServer{}) }
