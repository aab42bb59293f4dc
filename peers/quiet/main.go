// This program has a tool that takes its time and sends nothing meanwhile, for the tests of
// peers/interop.
//
// It is in the main module, because peers/interop depends on no package of Bowline.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// ThinkIn has the arguments of the tool.
type ThinkIn struct {
	Seconds float64 `json:"seconds" schema:"description='How long it takes.'"`
}

func think(ctx context.Context, in ThinkIn) (string, error) {
	select {
	case <-time.After(time.Duration(in.Seconds * float64(time.Second))):
		return fmt.Sprintf("thought for %v s", in.Seconds), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func main() {
	app := mcp.New(mcp.Config{
		Name:      "quiet",
		Addr:      env.String("APP_ADDR", "127.0.0.1:3000"),
		KeepAlive: env.Duration("APP_KEEP_ALIVE", 2*time.Second),
	})
	app.Router.Web("/mcp", servers.New(servers.Definition{
		Name: "quiet", Version: "1.0.0", Tools: []servers.Tool{tools.Func("think", "Takes its time.", think)},
	}))
	os.Exit(app.Main())
}
