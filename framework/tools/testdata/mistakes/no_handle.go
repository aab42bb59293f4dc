package mistakes

import (
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type NoHandle struct{ tools.Tool }

func (*NoHandle) Description() string { return "" }

var _ servers.Tool = &NoHandle{}

// error: (missing method Handle)
