package mistakes

import "github.com/bowline-mcp/bowline/framework/servers"

type ServerByValue struct{ servers.Server }

var _ servers.Interface = ServerByValue{}

// error: (method Attachment has pointer receiver)
