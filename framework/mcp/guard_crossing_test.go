package mcp_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// archive is a server whose items need scopes each time that a client uses them.
type archive struct{ servers.Server }

func (*archive) Tools() []servers.Tool {
	return []servers.Tool{tools.New(tools.Definition{Name: "early", Description: "Asks.", Guardrails: writes()}, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
		answer, err := request.Ask(ctx, "name", nameForm())
		if err != nil {
			return nil, err
		}
		return tools.Text("moved by " + answer.String("name")), nil
	})}
}

func (*archive) Resources() []servers.Resource { return (&vault{}).Resources() }
func (*archive) Prompts() []servers.Prompt     { return []servers.Prompt{&shelfPrompt{}} }

type shelfPrompt struct{ prompts.Prompt }

func (*shelfPrompt) Description() string                { return "A shelf." }
func (*shelfPrompt) Guardrails() []guardrails.Guardrail { return writes() }
func (*shelfPrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("shelf").Complete(completion.Values("secret shelf"))
}
func (*shelfPrompt) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return prompts.User("shelf"), nil
}

// guardedArchive serves the archive behind the tokens narrow, wide and foreign.
func guardedArchive(t *testing.T, server servers.Interface) http.Handler {
	t.Helper()
	return guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/mcp", server).Guard(auth.Bearer(sameSubject{}, "mcp:use")).LegacySSE()
	})
}

// The scopes of the request count, not those of the one that began the exchange.
func TestAnAnswerNeedsTheScopesOfTheCallThatAsked(t *testing.T) {
	t.Parallel()
	handler := guardedArchive(t, &archive{})
	state := stateOf(t, knock{token: "wide", body: asking()}.send(t, handler))
	for token, want := range map[string]string{
		"narrow": "Insufficient scope: the operation needs files:write", "foreign": "the requestState doesn't belong to this request", "wide": "moved by Ann",
	} {
		w := knock{token: token, body: answeringWith(state)}.send(t, handler)
		if !strings.Contains(w.Body.String(), want) || (w.Code == http.StatusForbidden) != (token == "narrow") {
			t.Errorf("with the token %s the answer gets %d %s, want %s", token, w.Code, w.Body, want)
		}
	}
}

func TestCompletionNeedsTheScopesOfItsPrompt(t *testing.T) {
	t.Parallel()
	handler := guardedArchive(t, &archive{})
	const params = `"ref":{"type":"ref/prompt","name":"shelf"},"argument":{"name":"shelf","value":""}`
	modern := `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{` + params + `,` + modernMeta + `}}`
	session := knock{token: "wide", body: initialize("2025-11-25")}.send(t, handler).Header().Get("Mcp-Session-Id")
	for token, want := range map[string]int{"narrow": 403, "wide": 200} {
		for era, call := range map[string]knock{
			"2026-07-28": {token: token, body: modern, header: map[string]string{"Mcp-Name": "shelf"}},
			"2025-11-25": {token: token, body: `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{` + params + `}}`, header: map[string]string{"Mcp-Session-Id": session}},
		} {
			w := call.send(t, handler)
			if w.Code != want || strings.Contains(w.Body.String(), "secret shelf") != (want == 200) || strings.Contains(w.Header().Get("WWW-Authenticate"), `scope="files:write mcp:use"`) != (want == 403) {
				t.Errorf("%s with the token %s: the answer is %d %q %s, want %d", era, token, w.Code, w.Header(), w.Body, want)
			}
		}
	}
}

// A subscription is no operation. Its notifications have only the URI, which is in the list
// anyway; reading needs the scope.
func TestAResourceThatNeedsScopesCanBeSubscribedTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &archive{}
		handler := guardedArchive(t, server)
		stream := readAlong(handler, knock{token: "narrow", body: listenMessage(`1`, `{"resourceSubscriptions":["vault://key"]}`)}.request(t))
		server.ResourceUpdated("vault://key")
		time.Sleep(time.Second)
		if got := strings.Join(stream.news(), "\n"); !strings.Contains(got, `{"resourceSubscriptions":["vault://key"]}`) || !strings.Contains(got, `notifications/resources/updated`) {
			t.Errorf("the stream gets %s", got)
		}
		stream.hangUp()
	})
}

// teams accepts the tokens red and blue, each for the routes of its team. The token blue has
// more scopes.
type teams struct{}

func (teams) Verify(_ context.Context, token, resource string) (exchange.Principal, error) {
	if !strings.Contains(resource, "/"+token+"/") {
		return exchange.Principal{}, &auth.TokenError{Reason: "The access token is not meant for this resource"}
	}
	return exchange.Principal{ID: "ana", Scopes: map[string][]string{"red": nil, "blue": {"files:write"}}[token]}, nil
}

func (teams) Issuers() ([]string, error) { return nil, nil }

// A token for one resource is not one for another, even if both are of one server and of one
// principal.
func TestASessionBelongsToItsResource(t *testing.T) {
	t.Parallel()
	server := &vault{}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/teams/{team}/mcp", server).Guard(auth.Bearer(teams{}))
		router.Web("/red/mcp", server).Guard(auth.Bearer(teams{}))
		router.Web("/blue/mcp", server).Guard(auth.Bearer(teams{}))
	})
	places := []knock{{path: "/teams/red/mcp", token: "red"}, {path: "/teams/blue/mcp", token: "blue"}, {path: "/red/mcp", token: "red"}, {path: "/blue/mcp", token: "blue"}}
	for i, from := range places {
		from.body = initialize("2025-11-25")
		session := from.send(t, handler).Header().Get("Mcp-Session-Id")
		for j, to := range places {
			to.header, to.body = map[string]string{"Mcp-Session-Id": session}, `{"jsonrpc":"2.0","id":1,"method":"ping"}`
			if w := to.send(t, handler); session == "" || (w.Code == http.StatusOK) != (i == j) {
				t.Errorf("the session of %s gets %d %s at %s", from.path, w.Code, w.Body, to.path)
			}
		}
	}
}

func TestASessionOfHTTPWithSSEBelongsToItsPath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
			router.Web("/teams/{team}/mcp", &vault{}).Guard(auth.Bearer(teams{})).LegacySSE()
			router.Web("/open/{team}/mcp", &gateServer{}).LegacySSE()
		})
		for _, prefix := range []string{"/teams", "/open"} {
			stream := readAlong(handler, knock{method: "GET", path: prefix + "/red/mcp/sse", token: "red", header: map[string]string{"Accept": "text/event-stream"}}.request(t))
			endpoint := stream.events()[0].data
			foreign := strings.Replace(endpoint, "/red/", "/blue/", 1)
			for path, test := range map[string]struct {
				token string
				want  int
			}{
				endpoint: {"red", http.StatusAccepted}, foreign: {"blue", http.StatusNotFound},
				strings.Replace(endpoint, "/red/", "/%72ed/", 1): {"red", http.StatusAccepted},
			} {
				if w := (knock{path: path, token: test.token, body: initialize("2024-11-05")}).send(t, handler); w.Code != test.want {
					t.Errorf("a message to %s gets %d %s, want %d", path, w.Code, w.Body, test.want)
				}
			}
			stream.hangUp()
		}
	})
}

// An anonymous principal of a guard is not that of an open route.
func TestASessionOfAGuardWithoutPrincipalsIsNotOneOfAnOpenRoute(t *testing.T) {
	t.Parallel()
	server := &gateServer{}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/open", server)
		router.Web("/mcp", server).Guard(nobody{})
	})
	for from, to := range map[string]string{"/open": "/mcp", "/mcp": "/open"} {
		session := knock{path: from, body: initialize("2025-11-25")}.send(t, handler).Header().Get("Mcp-Session-Id")
		ping := knock{path: to, body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, header: map[string]string{"Mcp-Session-Id": session}}
		if w := ping.send(t, handler); session == "" || w.Code != http.StatusNotFound {
			t.Errorf("the session of %s gets %d at %s", from, w.Code, to)
		}
	}
}

// nobody is a guard that makes no principals.
type nobody struct{}

func (nobody) Authenticate(*http.Request, string) (exchange.Principal, error) {
	return exchange.Principal{}, nil
}
func (nobody) Challenge(error, string) string               { return "" }
func (nobody) Metadata() (exchange.ResourceMetadata, error) { return exchange.ResourceMetadata{}, nil }

// An id is not a token: a client that learns the id of another session can't use it.
func TestAnotherPrincipalCantUseASession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		paper := newNewspaper()
		handler := guardedArchive(t, paper)
		session := knock{token: "wide", body: initialize("2025-11-25")}.send(t, handler).Header().Get("Mcp-Session-Id")
		stream := map[string]string{"Mcp-Session-Id": session, "Accept": "text/event-stream"}
		call := readAlong(handler, knock{token: "wide", body: legacyCall(`1`, "talk", `{}`), header: stream}.request(t))
		paper.speak <- "one"
		synctest.Wait()
		id := call.events()[0].id
		for what, attack := range map[string]knock{
			"cancel a call":    {body: cancelled(`1`), header: stream},
			"resume a stream":  {method: "GET", header: map[string]string{"Mcp-Session-Id": session, "Accept": "text/event-stream", "Last-Event-ID": id}},
			"listen":           {method: "GET", header: stream},
			"end the session":  {method: "DELETE", header: stream},
			"call a tool":      {body: legacyCall(`2`, "read", `{}`), header: stream},
			"answer a request": {body: `{"jsonrpc":"2.0","id":1,"result":{}}`, header: stream},
		} {
			for token, want := range map[string]int{"foreign": 404, "": 401} {
				attack.token = token
				ctx, cancel := context.WithTimeout(t.Context(), time.Second) // a stream that is open would not end
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, attack.request(t).WithContext(ctx))
				cancel()
				if w.Code != want {
					t.Errorf("a client with the token %q that tries to %s gets %d %s, want %d", token, what, w.Code, w.Body, want)
				}
			}
		}
		paper.speak <- "two"
		close(paper.speak)
		<-call.ended
		if got := strings.Join(call.news(), "\n"); !strings.Contains(got, "two") || !strings.Contains(got, "That was all.") {
			t.Errorf("the call of the owner gets %s", got)
		}
		if w := (knock{method: "DELETE", token: "narrow", header: stream}).send(t, handler); w.Code != http.StatusNoContent {
			t.Errorf("the owner's DELETE gets %d", w.Code)
		}
	})
}

// The sources of a token are a header, a query, a body and the errors of a verifier.
func TestNoTokenIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logBuffer
		const secret = "ana-token"
		verifier := &toggle{}
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}))
		handler := guardedRoutes(t, mcp.Config{Logger: logger}, func(router *mcp.Router) {
			router.Web("/mcp", &vault{}).Guard(auth.Bearer(verifier, "mcp:use")).LegacySSE()
		})
		streams := openStreams(t, handler)
		for _, name := range []string{"read", "write", "move", "report", "leave", "forbid", "unknown"} {
			knock{token: secret, body: modernCall(`1`, name, `{}`)}.send(t, handler)
		}
		for _, header := range []string{secret, "Basic " + secret, "Bearer " + secret + " " + secret, "Bearer x" + secret, "Bearer " + secret + "\x00", "Bearer " + strings.Repeat(secret, 1000)} {
			knock{body: modernCall(`1`, "read", `{}`), header: map[string]string{"Authorization": header}}.send(t, handler)
		}
		knock{path: "/mcp?access_token=" + secret, body: "{"}.send(t, handler)
		knock{path: "/mcp/sse?access_token=" + secret, token: secret}.send(t, handler)
		knock{path: "/mcp/messages?sessionId=x&access_token=" + secret, token: secret}.send(t, handler)
		knock{method: "PROPFIND", path: "/mcp?access_token=" + secret, token: secret}.send(t, handler)
		for _, fails := range []func(context.Context) error{
			func(context.Context) error { panic("no database") },
			func(context.Context) error { return context.DeadlineExceeded },
			func(context.Context) error { return &auth.TokenError{Reason: "The token was revoked"} },
		} {
			verifier.does(fails)
			knock{token: secret, body: modernCall(`1`, "read", `{}`)}.send(t, handler)
		}
		time.Sleep(5 * time.Second)
		for what, stream := range streams {
			if !stream.over() {
				t.Errorf("%s is open", what)
			}
		}
		if got := log.String(); strings.Contains(got, secret) || !strings.Contains(got, "a request was refused") {
			t.Errorf("the log has the token:\n%s", got)
		}
	})
}
