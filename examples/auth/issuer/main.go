// This example has a route that needs access tokens of an authorization server, and a tool
// that needs one scope more. An issuer in the same process stands in for Keycloak.
//
//	go run ./examples/auth/issuer serve
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/auth/servers"
)

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	issuer, err := authtest.New(authtest.Keycloak)
	if err != nil {
		log.Error("the issuer doesn't start", "error", err)
		os.Exit(1)
	}
	app := newApp(env.String("APP_ADDR", "127.0.0.1:3000"), issuer, log)
	events.Listen(app.Events, func(_ context.Context, started events.Started) {
		if started.Address != "" {
			explain(os.Stderr, "http://"+started.Address+"/mcp/notes", issuer)
		}
	})
	os.Exit(app.Main())
}

// newApp returns an app whose route needs tokens of the issuer.
func newApp(addr string, issuer *authtest.Issuer, log *slog.Logger) *mcp.App {
	app := mcp.New(mcp.Config{Name: "issuer", Addr: addr, Logger: log})
	notes := &servers.NotesServer{}
	company := auth.JWT(auth.Issuer{URL: issuer.URL()})
	app.Router.Web("/mcp/notes", notes).Guard(auth.Bearer(company, "notes:read"))
	app.Router.Local("notes", notes) // the user who starts the program may do everything
	return app
}

// explain writes commands that get a token and call the tools with it.
func explain(w io.Writer, resource string, issuer *authtest.Issuer) {
	_, _ = fmt.Fprintf(w, `
token() {
  curl -s %s -d grant_type=client_credentials \
    -d client_id=%s -d client_secret=%s -d resource=%s -d "scope=$1" |
    sed 's/.*"access_token":"\([^"]*\)".*/\1/'
}
call() {
  curl -s %[4]s -H "Authorization: Bearer $1" -H 'Content-Type: application/json' \
    -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H "Mcp-Name: $2" \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"',
    "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'; echo
}
call "$(token notes:read)" list-notes '{}'
call "$(token notes:read)" add-note '{"text":"Buy rope."}'
call "$(token 'notes:read notes:write')" add-note '{"text":"Buy rope."}'

`, issuer.EndpointURL(authtest.TokenEndpoint), authtest.DefaultClient, authtest.DefaultSecret, resource)
}
