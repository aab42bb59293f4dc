package contenders

import (
	"context"
	"fmt"
	"os"
)

// Children returns the names of the contenders that can serve stdin and stdout in a child process.
// trpc-mcp-go isn't one of them: it answers no modern message.
func Children() []string {
	return []string{"floor", "bowline", "mcp-go validated", "mcp-go", "go-sdk"}
}

// ServeChild serves stdin and stdout as the named contender until the input ends.
func ServeChild(ctx context.Context, name string) error {
	switch name {
	case "floor":
		return FloorStdio(os.Stdin, os.Stdout)
	case "bowline":
		return BowlineStdio(ctx, os.Stdin, os.Stdout, os.Stderr)
	case "mcp-go validated":
		return MCPGoStdio(ctx, os.Stdin, os.Stdout, true)
	case "mcp-go":
		return MCPGoStdio(ctx, os.Stdin, os.Stdout, false)
	case "go-sdk":
		return GoSDKStdio(ctx)
	default:
		return fmt.Errorf("no contender is named %q: the names are %q", name, Children())
	}
}
