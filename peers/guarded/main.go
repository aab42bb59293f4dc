// This program has guarded routes, for the tests of peers/interop. Clients get their access
// tokens from the OpenID provider ISSUER, or from the program's own authorization server.
//
// It is in the main module, because peers/interop depends on no package of Bowline.
package main

import (
	"context"
	"os"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

func main() {
	addr := env.String("APP_ADDR", "127.0.0.1:3000")
	app := mcp.New(mcp.Config{
		Name: "guarded",
		Addr: addr,
		URL:  "http://" + addr,
	})
	// The clocks are the same, and tests wait until tokens expire.
	issuer := auth.Issuer{URL: env.String("ISSUER", ""), Leeway: time.Millisecond}
	signed := auth.Bearer(auth.JWT(issuer), "mcp:use")
	opaque := auth.Bearer(auth.Introspection(auth.IntrospectionConfig{
		Issuer:       issuer,
		ClientID:     env.String("CLIENT_ID", ""),
		ClientSecret: env.String("CLIENT_SECRET", ""),
		CacheTime:    time.Second,
	}), "mcp:use")

	own := oauth.New(oauth.Config{
		Authenticator: login.Password(),
		Store:         storeAddress,
		Drivers:       []store.Driver{sqlite.Driver()},
		Scopes: map[string]string{
			"mcp:use":                   "Use the tools of this server",
			"files:read":                "Read your files",
			"files:write":               "Change, rename and remove your files",
			"calendar:events:read":      "See the events of all of your calendars, with their guests and their notes",
			"calendar:events:write":     "Add and change events of your calendars",
			"contacts:read":             "See your contacts",
			"contacts:write":            "Change your contacts",
			"administration:everything": "Do everything that an administrator may do, such as adding and removing other users of this server",
		},
	})

	files := &filesServer{}
	app.Router.Web("/files", files).Guard(signed)
	app.Router.Web("/brief", files).Guard(signed) // its tokens expire after seconds
	app.Router.Web("/opaque", files).Guard(opaque)
	app.Router.Component(ownServer{own})
	app.Router.Web("/own", files).Guard(own.Guard("mcp:use"))
	app.Router.Web("/own/offered", files).Guard(own.Guard("mcp:use").Offer("files:write"))
	app.Router.Web("/own/brief", files).Guard(auth.Bearer(briefVerifier{own.Verifier()}, "mcp:use"))
	os.Exit(app.Main())
}

// A filesServer has a tool for everybody with a token, and one that needs another scope.
type filesServer struct{ servers.Server }

func (*filesServer) Name() string { return "files" }

func (*filesServer) Tools() []servers.Tool {
	return []servers.Tool{
		tools.New(tools.Definition{Name: "whoami", Description: "Returns the principal."}, whoami),
		tools.New(tools.Definition{
			Name: "write-file", Description: "Returns the principal, who may write files.",
			Guardrails: []guardrails.Guardrail{auth.Require("files:write")},
		}, whoami),
	}
}

// whoami returns the facts about the token that the tests check.
func whoami(_ context.Context, request *tools.Request) (tools.Result, error) {
	principal := request.Principal()
	return tools.Structured(map[string]any{
		"subject": principal.Subject,
		"client":  principal.Client,
		"scopes":  principal.Scopes,
		"claims":  principal.Claims,
		"expires": principal.Expires,
		"version": request.ProtocolVersion(),
	}), nil
}
