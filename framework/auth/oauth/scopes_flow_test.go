package oauth_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// needing returns a tool that needs a scope.
func needing(scope string) servers.Tool {
	definition := tools.Definition{
		Name: "shred", Description: "Shreds a file.", InputSchema: []byte(`{"type":"object"}`), Guardrails: []guardrails.Guardrail{auth.Require(scope)},
	}
	return tools.New(definition, func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("shredded"), nil })
}

// cellar is a server whose tool needs a scope.
type cellar struct {
	servers.Server
	scope string
}

func (c *cellar) Tools() []servers.Tool { return []servers.Tool{needing(c.scope)} }

// Some clients ask for scopes at the login alone.
func TestAUserDecidesAboutAScopeThatAGuardOffers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newOperator(t).serveInBubble(t, "127.0.0.1:8080", func(router *mcp.Router, server *oauth.Server) {
			router.Web("archive", &office{}).Guard(server.Guard("mcp:use").Offer("files:write"))
		})
		for path, want := range map[string]string{"/mcp/archive": "mcp:use files:write", "/mcp/office": "mcp:use"} {
			refused, _ := p.callAt(t, path, "wrong")
			challenge := refused.Header.Get("WWW-Authenticate")
			if refused.StatusCode != http.StatusUnauthorized || field(t, challenge, ` scope="([^"]*)"`) != want {
				t.Errorf("%s: the challenge is %d %s, want %q", path, refused.StatusCode, challenge, want)
			}
			metadata := p.document(t, field(t, challenge, `resource_metadata="([^"]*)"`))
			if got := fmt.Sprint(metadata["scopes_supported"]); got != "["+want+"]" {
				t.Errorf("%s: the metadata have the scopes %s, want %q", path, got, want)
			}
		}
		a := &agent{url: p.url, client: func() *http.Client { return p.client }}
		if err := a.register(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, ticked := range []string{"mcp:use", "mcp:use files:write"} {
			if err := a.ask(t.Context(), "/mcp/archive", "mcp:use files:write", "ana", strings.Fields(ticked)...); err != nil {
				t.Fatal(err)
			}
			got, err := a.redeem(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if w, text := p.callAt(t, "/mcp/archive", got.Access); w.StatusCode != http.StatusOK || !strings.Contains(text, `"ana with `+ticked+`"`) {
				t.Errorf("with %s, the call is answered with %d %s", ticked, w.StatusCode, text)
			}
		}
	})
}

// A call would be refused for ever.
func TestAScopeThatNoTokenCanHaveKeepsTheProgramFromStarting(t *testing.T) {
	t.Parallel()
	const lacking, fix = `the authorization server can't issue the scope "admin"`, "; add it to Config.Scopes of the server, with what it allows"
	const guard, tool = "the route /mcp/cellar: guard 1: " + lacking + fix, `the tool shred needs the scope "admin", but the authorization server of the route /mcp/cellar can't issue it` + fix
	others := auth.Static(fmt.Sprintf("robot %x admin", sha256.Sum256([]byte("token"))))
	for what, test := range map[string]struct {
		scope  string // of the tool
		guards func(*oauth.Server) []mcp.Guard
		want   string // "" if the program starts
	}{
		"a guard":               {"mcp:use", func(s *oauth.Server) []mcp.Guard { return []mcp.Guard{s.Guard("mcp:use", "admin")} }, guard},
		"a guard that offers":   {"mcp:use", func(s *oauth.Server) []mcp.Guard { return []mcp.Guard{s.Guard("mcp:use").Offer("admin")} }, guard},
		"the first guard":       {"mcp:use", func(s *oauth.Server) []mcp.Guard { return []mcp.Guard{s.Guard("admin"), auth.Bearer(others)} }, guard},
		"a tool":                {"admin", func(s *oauth.Server) []mcp.Guard { return []mcp.Guard{s.Guard("mcp:use")} }, tool},
		"a tool of a verifier":  {"admin", func(s *oauth.Server) []mcp.Guard { return []mcp.Guard{auth.Bearer(s.Verifier())} }, tool},
		"the last guard's tool": {"admin", func(s *oauth.Server) []mcp.Guard { return []mcp.Guard{auth.Bearer(others), s.Guard()} }, tool},
		"a guard of any":        {"mcp:use", func(s *oauth.Server) []mcp.Guard { return []mcp.Guard{auth.Bearer(auth.Any(s.Verifier()), "admin")} }, guard},
		"a tool of any": {"admin", func(s *oauth.Server) []mcp.Guard {
			return []mcp.Guard{auth.Bearer(auth.Any(s.Verifier(), auth.Static(fmt.Sprintf("robot %x mcp:use", sha256.Sum256([]byte("token"))))))}
		}, tool},

		"tokens of an issuer": {"admin", func(s *oauth.Server) []mcp.Guard {
			return []mcp.Guard{auth.Bearer(auth.Any(s.Verifier(), auth.JWT(auth.Issuer{URL: "https://login.example.com", JWKS: "https://login.example.com/jwks"})), "admin")}
		}, ""},
		"scopes of the server": {"files:write", func(s *oauth.Server) []mcp.Guard { return []mcp.Guard{s.Guard("mcp:use").Offer("files:write")} }, ""},
		"the tokens of others": {"admin", func(*oauth.Server) []mcp.Guard { return []mcp.Guard{auth.Bearer(others, "admin")} }, ""},
		"others' tokens beside ours": {"admin", func(s *oauth.Server) []mcp.Guard {
			return []mcp.Guard{auth.Bearer(auth.Any(s.Verifier(), others), "admin")}
		}, ""},
		"the principal of others": {"admin", func(s *oauth.Server) []mcp.Guard { return []mcp.Guard{s.Guard("mcp:use"), auth.Bearer(others)} }, ""},
	} {
		server := oauth.New(newOperator(t).Config)
		app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
		app.Router.Component(server)
		app.Router.Web("cellar", &cellar{scope: test.scope}).Guard(test.guards(server)...)
		if err := app.Validate(); test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: the error is %v, want %q", what, err, test.want)
		}
	}
}

// The error names the route, since each may have another authorization server.
func TestAToolOfTwoRoutesNeedsAScopeThatTheTokensOfBothCanHave(t *testing.T) {
	t.Parallel()
	server, others := oauth.New(newOperator(t).Config), auth.Static(fmt.Sprintf("robot %x admin", sha256.Sum256([]byte("token"))))
	app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Router.Component(server)
	shared := &cellar{scope: "admin"}
	app.Router.Web("robots", shared).Guard(auth.Bearer(others))
	app.Router.Web("people", shared).Guard(server.Guard())
	if err := app.Validate(); err == nil || !strings.Contains(err.Error(), "the authorization server of the route /mcp/people can't issue it") || strings.Contains(err.Error(), "of the route /mcp/robots") {
		t.Errorf("the error is %v", err)
	}
}

func TestAToolThatIsAddedLaterNeedsAScopeThatATokenCanHave(t *testing.T) {
	t.Parallel()
	server := &office{}
	newProgram(t, "127.0.0.1:8080", newOperator(t).Config, func(router *mcp.Router, own *oauth.Server) {
		router.Web("later", server).Guard(own.Guard("mcp:use"))
	})
	const want = `the tool shred needs the scope "admin", but the authorization server of the route /mcp/later can't issue it; add it to Config.Scopes of the server`
	if err := server.AddTool(needing("admin")); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if err := server.AddTool(needing("files:write")); err != nil {
		t.Errorf("a tool with a scope of the server: %v", err)
	}
}

func TestCommandsGiveTheDefaultScopes(t *testing.T) {
	t.Parallel()
	o := newOperator(t, func(c *oauth.Config) { c.DefaultScopes = []string{"files:write"} })
	if text := o.does(t, "token:create", "CI", "--user", "ana"); !strings.Contains(text, "It stands for ana with files:write until ") {
		t.Errorf("the token is %s", text)
	}
	id := field(t, o.does(t, "client:create", "Robot", "--machine"), `client_id +(\S+)\n`)
	if client, err := o.open(t).Client(t.Context(), id); err != nil || !slices.Equal(client.Scopes, []string{"files:write"}) {
		t.Errorf("the client is %+v, %v", client, err)
	}
}
