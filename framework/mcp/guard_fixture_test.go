package mcp_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// vault is a server whose items need scopes.
type vault struct {
	servers.Server
	own []guardrails.Guardrail // of the server
}

func (*vault) Name() string                         { return "vault" }
func (v *vault) Guardrails() []guardrails.Guardrail { return v.own }
func writes() []guardrails.Guardrail                { return []guardrails.Guardrail{auth.Require("files:write")} }
func locked(name string, list ...guardrails.Guardrail) tools.Definition {
	return tools.Definition{Name: name, Description: "A tool.", Guardrails: list, InputSchema: []byte(`{"type":"object","properties":{"to":{"type":"string"}}}`)}
}

func (*vault) Tools() []servers.Tool {
	says := func(_ context.Context, r *tools.Request) (tools.Result, error) {
		return tools.Text("done by " + r.Principal().ID), nil
	}
	fails := func(err error) func(context.Context, *tools.Request) (tools.Result, error) {
		return func(context.Context, *tools.Request) (tools.Result, error) { return nil, err }
	}
	return []servers.Tool{
		tools.New(locked("read"), says),
		tools.New(locked("write", auth.Require("files:write")), says),
		tools.New(locked("move", auth.RequireFunc(func(_ context.Context, operation *guardrails.Operation) ([]string, error) {
			if to, _ := operation.Argument("to"); to == "archive" {
				return []string{"files:write", "files:archive"}, nil
			}
			return nil, nil
		})), says),
		tools.New(locked("report"), func(_ context.Context, r *tools.Request) (tools.Result, error) {
			if err := r.Notify("vault/opened", nil); err != nil {
				return nil, err
			}
			return nil, &exchange.ScopeError{Needed: []string{"files:write"}, Granted: r.Principal().Scopes}
		}),
		tools.New(locked("leave"), fails(exchange.ErrUnauthorized)),
		tools.New(locked("forbid"), fails(exchange.ErrForbidden)),
	}
}

func (*vault) Resources() []servers.Resource {
	return []servers.Resource{
		resources.New(resources.Definition{URI: "vault://key", Name: "key", Guardrails: writes()}, func(context.Context, *resources.Request) (resources.Result, error) {
			return resources.Text("key"), nil
		}),
	}
}

func (*vault) Prompts() []servers.Prompt { return []servers.Prompt{&plan{}} }

type plan struct{ prompts.Prompt }

func (*plan) Description() string                { return "A plan." }
func (*plan) Guardrails() []guardrails.Guardrail { return writes() }
func (*plan) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return prompts.User("plan"), nil
}

// tokens is the verifier of the tests: ana may use the server, bo may write too, and cy has
// no scope.
func tokens() auth.Verifier {
	return auth.Static(staticToken("ana", "mcp:use"), staticToken("bo", "mcp:use files:write"), staticToken("cy", ""))
}

// staticToken is the configuration of the token NAME-token.
func staticToken(name, scopes string) string {
	hash := sha256.Sum256([]byte(name + "-token"))
	return name + " " + hex.EncodeToString(hash[:]) + " " + scopes
}

// guardedRoutes returns a handler for routes that may have guards.
func guardedRoutes(t testing.TB, config mcp.Config, routes func(*mcp.Router)) http.Handler {
	t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	app := mcp.New(config)
	routes(app.Router)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// guardedVault serves the vault at /mcp behind a guard, over HTTP with SSE too.
func guardedVault(t testing.TB, config mcp.Config) http.Handler {
	t.Helper()
	return guardedRoutes(t, config, func(router *mcp.Router) {
		router.Web("/mcp", &vault{}).Guard(auth.Bearer(tokens(), "mcp:use")).LegacySSE()
	})
}

// A knock is a request of a test.
type knock struct {
	method, path, body, token string // the method is POST by default, the path /mcp
	header                    map[string]string
}

// send sends a request.
func (k knock) send(t testing.TB, handler http.Handler) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, k.request(t))
	return w
}

func (k knock) request(t testing.TB) *http.Request {
	t.Helper()
	if k.method == "" {
		k.method = http.MethodPost
	}
	if k.path == "" {
		k.path = "/mcp"
	}
	r := httptest.NewRequestWithContext(t.Context(), k.method, "http://127.0.0.1:8080"+k.path, strings.NewReader(k.body))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if strings.Contains(k.body, "2026-07-28") {
		message := k.body[strings.Index(k.body, `"method":"`)+len(`"method":"`):]
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", message[:strings.IndexByte(message, '"')])
		if _, name, ok := strings.Cut(k.body, `"name":"`); ok {
			r.Header.Set("Mcp-Name", name[:strings.IndexByte(name, '"')])
		}
	}
	if k.token != "" {
		r.Header.Set("Authorization", "Bearer "+k.token)
	}
	for name, value := range k.header {
		r.Header.Set(name, value)
	}
	return r
}

// A toggle is a verifier whose only token, ana-token, can be revoked or changed.
type toggle struct {
	lock      sync.Mutex
	verify    func(context.Context) error // nil accepts the token
	principal *exchange.Principal         // nil for ana with the scope mcp:use
	expires   time.Time
	checks    int
}

func (v *toggle) Verify(ctx context.Context, token, _ string) (exchange.Principal, error) {
	v.lock.Lock()
	v.checks++
	verify, principal := v.verify, exchange.Principal{ID: "ana", Scopes: []string{"mcp:use"}, Expires: v.expires}
	if v.principal != nil {
		principal = *v.principal
	}
	v.lock.Unlock()
	if verify != nil {
		if err := verify(ctx); err != nil {
			return exchange.Principal{}, err
		}
	}
	if token != "ana-token" {
		return exchange.Principal{}, &auth.TokenError{Reason: "The access token is not known"}
	}
	return principal, nil
}

func (*toggle) Issuers() ([]string, error) { return []string{"https://login.example.com"}, nil }

// fail makes the verifier refuse all tokens.
func (v *toggle) fail(err error) { v.does(func(context.Context) error { return err }) }

// does sets what the verifier does before it answers.
func (v *toggle) does(verify func(context.Context) error) {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.verify = verify
}

// becomes changes the principal of the token.
func (v *toggle) becomes(principal exchange.Principal) {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.principal = &principal
}
