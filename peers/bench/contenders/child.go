package contenders

import (
	"context"
	"fmt"
	"log/slog"
	"os"
)

// Children returns the names of the contenders that can serve stdin and stdout in a child process.
// trpc-mcp-go isn't one of them: it answers no modern message.
func Children() []string {
	return []string{"floor", "bowline", "mcp-go validated", "mcp-go", "go-sdk"}
}

// Logging are the names of the children that also write a log line for each call, by the names that the table gives them.
func Logging() map[string]string {
	return map[string]string{"floor": "floor logging", "bowline": "bowline logging"}
}

// ServeChild serves stdin and stdout as the named contender until the input ends.
func ServeChild(ctx context.Context, name string) error {
	switch name {
	case "floor":
		return FloorStdio(os.Stdin, os.Stdout, silent())
	case "floor logging":
		return FloorStdio(os.Stdin, os.Stdout, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	case "bowline":
		return BowlineStdio(ctx, os.Stdin, os.Stdout, os.Stderr, silent())
	case "bowline logging":
		return BowlineStdio(ctx, os.Stdin, os.Stdout, os.Stderr, nil)
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
