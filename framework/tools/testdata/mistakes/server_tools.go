package mistakes

import "github.com/bowline-mcp/bowline/framework/servers"

type ServerTools struct{ servers.Server }

func (*ServerTools) Tools() []string { return nil }

var _ servers.Interface = &ServerTools{}

// error: (wrong type for method Tools)
// error: want Tools() []servers.Tool
