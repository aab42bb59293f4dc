// Login is the program whose authorization server docs/soak attacks. It serves at a free loopback port, whose address it
// prints, with the default limits, and keeps its store and keys in the folder that is its argument. Its user is ana, with
// the password "correct horse".
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// A desk is a server with one tool.
type desk struct{ servers.Server }

// Tools returns the tool.
func (*desk) Tools() []servers.Tool {
	definition := tools.Definition{Name: "small", Description: "Returns nothing.", InputSchema: []byte(`{"type":"object"}`)}
	return []servers.Tool{tools.New(definition, func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("done"), nil })}
}

func main() { os.Exit(run(os.Args[1], os.Stdout)) }

// run serves until SIGTERM, and returns the exit code.
func run(folder string, stdout io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config := oauth.Config{
		Authenticator: login.Password(), Store: "sqlite:" + filepath.Join(folder, "oauth.db"), Drivers: []store.Driver{sqlite.Driver()},
		Keys: filepath.Join(folder, "oauth.keys"),
	}
	if code := program(config).Run(ctx, []string{"user:create", "ana", "--password-stdin"}, strings.NewReader("correct horse\n"), io.Discard, os.Stderr); code != 0 {
		return code
	}
	app := program(config)
	events.Listen(app.Events, func(_ context.Context, started events.Started) { _, _ = fmt.Fprintln(stdout, started.Address) })
	return app.Run(ctx, []string{"serve"}, nil, io.Discard, os.Stderr)
}

func program(config oauth.Config) *mcp.App {
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:0"})
	server := oauth.New(config)
	app.Router.Component(server)
	app.Router.Web("/mcp", &desk{}).Guard(server.Guard("mcp:use"))
	return app
}
