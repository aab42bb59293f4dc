package mcp_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// openStreams opens a stream of each kind with the token of ana.
func openStreams(t *testing.T, handler http.Handler) map[string]*listening {
	t.Helper()
	session := knock{token: "ana-token", body: initialize("2025-11-25")}.send(t, handler).Header().Get("Mcp-Session-Id")
	if session == "" {
		t.Fatal("there is no session")
	}
	listen := knock{token: "ana-token", body: listenMessage(`1`, `{"toolsListChanged":true}`)}
	get := knock{method: "GET", token: "ana-token", header: map[string]string{"Mcp-Session-Id": session, "Accept": "text/event-stream"}}
	sse := knock{method: "GET", path: "/mcp/sse", token: "ana-token", header: map[string]string{"Accept": "text/event-stream"}}
	return map[string]*listening{
		"subscriptions/listen": readAlong(handler, listen.request(t)), "the GET of a session": readAlong(handler, get.request(t)),
		"HTTP with SSE": readAlong(handler, sse.request(t)),
	}
}

// toggledVault serves the vault behind a verifier that the test controls.
func toggledVault(t *testing.T, verifier auth.Verifier) http.Handler {
	t.Helper()
	return guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/mcp", &vault{}).Guard(auth.Bearer(verifier, "mcp:use")).LegacySSE()
	})
}

func TestStreamsEndWithTheirToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler := toggledVault(t, &toggle{expires: time.Now().Add(10 * time.Minute)})
		streams := openStreams(t, handler)
		time.Sleep(10*time.Minute - time.Second)
		for what, stream := range streams {
			if stream.over() {
				t.Errorf("%s ends before its token", what)
			}
		}
		time.Sleep(time.Second + time.Millisecond)
		for what, stream := range streams {
			if stream.status != http.StatusOK || !stream.over() {
				t.Errorf("%s is open after the end of its token (status %d)", what, stream.status)
			}
		}
	})
}

func TestStreamsEndWithinFiveSecondsOfARevocation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		verifier := &toggle{}
		streams := openStreams(t, toggledVault(t, verifier))
		time.Sleep(time.Hour)
		verifier.fail(&exchange.Error{Status: http.StatusServiceUnavailable, Message: "The issuer is down"})
		time.Sleep(time.Minute)
		for what, stream := range streams {
			if stream.over() {
				t.Errorf("%s ends because the issuer is down", what)
			}
		}
		verifier.fail(&auth.TokenError{Reason: "The token was revoked"})
		time.Sleep(5 * time.Second)
		for what, stream := range streams {
			if !stream.over() {
				t.Errorf("%s is open 5 s after the revocation", what)
			}
		}
		checks := verifier.checks
		time.Sleep(time.Minute)
		if verifier.checks != checks {
			t.Errorf("tokens of streams that have ended are checked %d times", verifier.checks-checks)
		}
	})
}

func TestStreamsEndWhenTheirTokenAllowsLess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for what, test := range map[string]struct {
			principal exchange.Principal
			ends      bool
		}{
			"one scope less":    {exchange.Principal{ID: "ana", Scopes: []string{"mcp:use"}}, true},
			"another principal": {exchange.Principal{ID: "eve", Scopes: []string{"mcp:use", "files:write"}}, true},
			"one scope more":    {exchange.Principal{ID: "ana", Scopes: []string{"a", "files:write", "mcp:use"}}, false},
		} {
			verifier := &toggle{}
			verifier.becomes(exchange.Principal{ID: "ana", Scopes: []string{"mcp:use", "files:write"}})
			streams := openStreams(t, toggledVault(t, verifier))
			verifier.becomes(test.principal)
			time.Sleep(5 * time.Second)
			for kind, stream := range streams {
				if stream.over() != test.ends {
					t.Errorf("%s is open: %v after its token has %s", kind, !stream.over(), what)
				}
				stream.hangUp()
			}
		}
	})
}

// A verifier of the program may take any time, whether it heeds its context or not, and a guard
// of the program may return the error of its context.
func TestStreamsEndWithTheirTokenThoughTheVerifierHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		for what, hang := range map[string]func(context.Context) error{
			"until its context ends": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			"for good":               func(context.Context) error { <-release; return nil },
		} {
			for _, guard := range []func(*auth.BearerGuard) mcp.Guard{
				func(bearer *auth.BearerGuard) mcp.Guard { return bearer }, func(bearer *auth.BearerGuard) mcp.Guard { return frank{bearer} },
			} {
				verifier := &toggle{expires: time.Now().Add(time.Minute)}
				streams := openStreams(t, guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
					router.Web("/mcp", &vault{}).Guard(guard(auth.Bearer(verifier, "mcp:use"))).LegacySSE()
				}))
				verifier.does(hang)
				time.Sleep(time.Minute - time.Second)
				for kind, stream := range streams {
					if stream.over() {
						t.Errorf("%s ends because the verifier hangs %s", kind, what)
					}
				}
				time.Sleep(time.Second + time.Millisecond)
				for kind, stream := range streams {
					if !stream.over() {
						t.Errorf("%s is open after the end of its token, because the verifier hangs %s", kind, what)
					}
					stream.hangUp()
				}
			}
		}
		close(release)
	})
}

// frank is a guard that returns the errors of its verifier as they are.
type frank struct{ *auth.BearerGuard }

func (f frank) Authenticate(r *http.Request, resource string) (exchange.Principal, error) {
	principal, err := f.BearerGuard.Authenticate(r, resource)
	if refused, ok := errors.AsType[*exchange.Error](err); ok {
		err = refused.Err
	}
	return principal, err
}

// Streams authenticate in goroutines of their own, in which a panic would end the process.
func TestStreamsEndWhenTheVerifierPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logBuffer
		verifier := &toggle{}
		handler := guardedRoutes(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(router *mcp.Router) {
			router.Web("/mcp", &vault{}).Guard(auth.Bearer(verifier, "mcp:use")).LegacySSE()
		})
		streams := openStreams(t, handler)
		verifier.does(func(context.Context) error { panic("no database") })
		time.Sleep(5 * time.Second)
		for what, stream := range streams {
			if !stream.over() {
				t.Errorf("%s is open", what)
			}
			stream.hangUp()
		}
		if n := log.count(`level=ERROR msg="a guard panicked" resource=http://127.0.0.1:8080/mcp`); n != len(streams) {
			t.Errorf("the log has %d such lines, want one for each stream:\n%s", n, log.String())
		}
	})
}

func TestStreamsEndWithTheFirstTokenOfSeveralGuards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		short, long := &toggle{expires: time.Now().Add(time.Second)}, &toggle{expires: time.Now().Add(time.Hour)}
		for _, guards := range [][]mcp.Guard{{auth.Bearer(short), auth.Bearer(long)}, {auth.Bearer(long), auth.Bearer(short)}, {auth.Bearer(short), auth.Bearer(&toggle{})}} {
			handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", &vault{}).Guard(guards...).LegacySSE() })
			streams := openStreams(t, handler)
			short.expires = time.Now().Add(time.Second)
			time.Sleep(time.Second + time.Millisecond)
			for what, stream := range streams {
				if !stream.over() {
					t.Errorf("%s is open after the end of the first token", what)
				}
				stream.hangUp()
			}
		}
	})
}

func TestThePrincipalOfSeveralGuardsExpiresWithTheFirstToken(t *testing.T) {
	t.Parallel()
	first, last := time.Now().Add(time.Minute), time.Now().Add(time.Hour)
	for _, guards := range [][]mcp.Guard{{auth.Bearer(&toggle{expires: first}), auth.Bearer(&toggle{expires: last})}, {auth.Bearer(&toggle{expires: last}), auth.Bearer(&toggle{expires: first})}, {auth.Bearer(&toggle{expires: first}), auth.Bearer(&toggle{})}} {
		var expires time.Time
		look := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				expires = exchange.PrincipalFrom(r.Context()).Expires
				next.ServeHTTP(w, r)
			})
		}
		handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", &vault{}).Guard(guards...).Use(look) })
		if status := (knock{token: "ana-token", body: initialize("2025-11-25")}).send(t, handler).Code; status != http.StatusOK {
			t.Fatalf("the status is %d, want 200", status)
		}
		if !expires.Equal(first) {
			t.Errorf("the principal expires at %v, want %v", expires, first)
		}
	}
}

// A program may keep the token from its handlers.
func TestStreamsLastThoughMiddlewareRemovesTheToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		remove := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Header.Del("Authorization")
				next.ServeHTTP(w, r)
			})
		}
		verifier := &toggle{}
		handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
			router.Web("/mcp", &vault{}).Guard(auth.Bearer(verifier, "mcp:use")).Use(remove).LegacySSE()
		})
		streams := openStreams(t, handler)
		time.Sleep(time.Minute)
		for what, stream := range streams {
			if stream.over() {
				t.Errorf("%s ends", what)
			}
		}
		verifier.fail(&auth.TokenError{Reason: "The token was revoked"})
		time.Sleep(5 * time.Second)
		for what, stream := range streams {
			if !stream.over() {
				t.Errorf("%s is open after the revocation", what)
			}
		}
	})
}

// Headers may have 64 KiB, and hold the token.
func TestASessionDoesNotKeepTheRequestsOfItsClient(t *testing.T) { //nolint:paralleltest // measures the heap
	const sessions, size = 100, 60 << 10
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", newWireServer()).Guard(auth.Bearer(tokens())) })
	large := strings.Repeat("x", size)
	synctest.Test(t, func(t *testing.T) {
		before := heap()
		for range sessions {
			session := knock{token: "ana-token", body: initialize("2025-11-25")}.send(t, handler).Header().Get("Mcp-Session-Id")
			header := map[string]string{"Mcp-Session-Id": session, "X-Large": large + session}
			subscribe := `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"fixture://none"}}`
			knock{token: "ana-token", body: subscribe, header: header}.send(t, handler)
			header["Accept"] = "text/event-stream"
			stream := readAlong(handler, knock{method: "GET", token: "ana-token", header: header}.request(t))
			if stream.status != http.StatusOK {
				t.Fatalf("the stream gets %d", stream.status)
			}
			stream.hangUp()
			<-stream.ended
		}
		if grown := int64(heap()) - int64(before); grown > sessions*size/4 {
			t.Errorf("each session takes %d bytes", grown/sessions)
		}
		time.Sleep(time.Hour) // until the sessions end
	})
}

// heap returns how many bytes of the heap are in use.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func TestStreamsOfAHandlerBehindMiddlewareEndWithTheirToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for what, end := range map[string]func(*toggle){
			"expiry":     func(*toggle) { time.Sleep(time.Minute) },
			"revocation": func(v *toggle) { v.fail(&auth.TokenError{Reason: "The token was revoked"}) },
		} {
			verifier := &toggle{expires: time.Now().Add(time.Minute)}
			handler := auth.Middleware(auth.Bearer(verifier, "mcp:use"), "http://127.0.0.1:8080/mcp")(mcp.Handler(&vault{}))
			stream := readAlong(handler, knock{token: "ana-token", body: listenMessage(`1`, `{"toolsListChanged":true}`)}.request(t))
			if stream.status != http.StatusOK || stream.over() {
				t.Fatalf("the stream gets %d", stream.status)
			}
			end(verifier)
			time.Sleep(5 * time.Second)
			if !stream.over() {
				t.Errorf("the stream is open after the %s of its token", what)
			}
			stream.hangUp()
		}
	})
}

// A call is authorized when it begins, and may take longer than the token lasts.
func TestACallOutlivesItsToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		paper, verifier := newNewspaper(), &toggle{expires: time.Now().Add(time.Second)}
		handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", paper).Guard(auth.Bearer(verifier)) })
		call := readAlong(handler, knock{token: "ana-token", body: modernCall(`1`, "talk", `{}`)}.request(t))
		paper.speak <- "one"
		verifier.fail(&auth.TokenError{Reason: "The token has expired"})
		time.Sleep(20 * time.Second)
		paper.speak <- "two"
		close(paper.speak)
		if got := strings.Join(call.news(), "\n"); !strings.Contains(got, "That was all.") {
			t.Errorf("the call gets %s", got)
		}
		time.Sleep(time.Second)
	})
}

func TestAClientOfHTTPWithSSEGetsMoreScopesWithinItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
			router.Web("/mcp", &vault{}).Guard(auth.Bearer(sameSubject{}, "mcp:use")).LegacySSE()
		})
		stream := readAlong(handler, knock{method: "GET", path: "/mcp/sse", token: "narrow", header: map[string]string{"Accept": "text/event-stream"}}.request(t))
		time.Sleep(time.Millisecond)
		endpoint := stream.events()[0].data
		post := func(token, message string) (status int, answer string) {
			t.Helper()
			status = knock{path: endpoint, token: token, body: message}.send(t, handler).Code
			if events := stream.events(); len(events) == 1 {
				answer = events[0].data
			}
			return status, answer
		}
		post("narrow", initialize("2024-11-05"))
		if status, got := post("narrow", legacyCall(`1`, "write", `{}`)); status != http.StatusAccepted || !strings.Contains(got, "Insufficient scope: the operation needs files:write; the token has mcp:use") {
			t.Errorf("without the scope the client gets %d %s", status, got)
		}
		if status, got := post("wide", legacyCall(`2`, "write", `{}`)); status != http.StatusAccepted || !strings.Contains(got, "done by ana") {
			t.Errorf("with the scope the client gets %d %s", status, got)
		}
		if status, _ := post("", legacyCall(`3`, "write", `{}`)); status != http.StatusUnauthorized {
			t.Errorf("without a token the client gets %d", status)
		}
		if status, _ := post("foreign", legacyCall(`4`, "read", `{}`)); status != http.StatusNotFound {
			t.Errorf("another principal gets %d, want 404", status)
		}
		stream.hangUp()
	})
}

// sameSubject accepts two tokens of ana, with different scopes, and one of somebody else.
type sameSubject struct{}

func (sameSubject) Verify(_ context.Context, token, _ string) (exchange.Principal, error) {
	principal := exchange.Principal{ID: "ana", Scopes: []string{"mcp:use"}}
	switch token {
	case "narrow":
	case "wide":
		principal.Scopes = append(principal.Scopes, "files:write")
	case "foreign":
		principal.ID = "eve"
	default:
		return exchange.Principal{}, &auth.TokenError{Reason: "The access token is not known"}
	}
	return principal, nil
}

func (sameSubject) Issuers() ([]string, error) { return nil, nil }

func TestASessionSurvivesStepUpButNotAnotherPrincipal(t *testing.T) {
	t.Parallel()
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", &vault{}).Guard(auth.Bearer(sameSubject{}, "mcp:use")) })
	session := knock{token: "narrow", body: initialize("2025-11-25")}.send(t, handler).Header().Get("Mcp-Session-Id")
	for _, test := range []struct {
		token string
		want  int
	}{{"narrow", 403}, {"wide", 200}, {"foreign", 404}, {"", 401}} {
		call := knock{token: test.token, body: legacyCall(`1`, "write", `{}`), header: map[string]string{"Mcp-Session-Id": session}}
		if w := call.send(t, handler); w.Code != test.want {
			t.Errorf("with the token %q the call gets %d %s, want %d", test.token, w.Code, w.Body, test.want)
		}
	}
}

func TestAQuestionSurvivesStepUpButNotAnotherPrincipal(t *testing.T) {
	t.Parallel()
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", &booking{}).Guard(auth.Bearer(sameSubject{}, "mcp:use")) })
	state := stateOf(t, knock{token: "narrow", body: asking()}.send(t, handler))
	for token, want := range map[string]string{"narrow": "early Ann", "wide": "early Ann", "foreign": "the requestState doesn't belong to this request"} {
		if w := (knock{token: token, body: answeringWith(state)}).send(t, handler); !strings.Contains(w.Body.String(), want) {
			t.Errorf("with the token %q the answer gets %d %s, want %s", token, w.Code, w.Body, want)
		}
	}
}

func TestACursorOfAnOpenRouteIsNotOneOfAGuardedRoute(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/open", server)
		router.Web("/mcp", server).Guard(auth.Bearer(tokens()))
	})
	routes := []knock{{path: "/open"}, {path: "/mcp", token: "ana-token"}}
	list := func(cursor string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + cursor + modernMeta + `}}`
	}
	for i, from := range routes {
		from.body = list("")
		_, cursor, _ := strings.Cut(from.send(t, handler).Body.String(), `"nextCursor":"`)
		cursor, _, found := strings.Cut(cursor, `"`)
		if !found {
			t.Fatal("there is no second page")
		}
		for j, to := range routes {
			to.body = list(`"cursor":"` + cursor + `",`)
			if w := to.send(t, handler); (w.Code == http.StatusOK && strings.Contains(w.Body.String(), `"result"`)) != (i == j) {
				t.Errorf("the cursor of route %d gets %d %s at route %d", i, w.Code, w.Body, j)
			}
		}
	}
}

// One server may have an open and a guarded route. Neither route may use what the other
// keeps for its clients.
func TestSessionsAndStatesDontCrossFromAGuardedRouteToAnOpenOne(t *testing.T) {
	t.Parallel()
	server := &booking{}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/open", server).LegacySSE()
		router.Web("/mcp", server).Guard(auth.Bearer(tokens())).LegacySSE()
	})
	routes := []knock{{path: "/open"}, {path: "/mcp", token: "ana-token"}, {path: "/mcp", token: "bo-token"}}
	for i, from := range routes {
		from.body = initialize("2025-11-25")
		session := from.send(t, handler).Header().Get("Mcp-Session-Id")
		from.body = asking()
		state := stateOf(t, from.send(t, handler))
		for j, to := range routes {
			to.body, to.header = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"Mcp-Session-Id": session}
			if w := to.send(t, handler); (w.Code == http.StatusOK) != (i == j) {
				t.Errorf("the session of route %d gets %d at route %d", i, w.Code, j)
			}
			to.header, to.body = nil, answeringWith(state)
			if w := to.send(t, handler); strings.Contains(w.Body.String(), "early Ann") != (i == j) {
				t.Errorf("the state of route %d gets %d %s at route %d", i, w.Code, w.Body, j)
			}
		}
	}
}

// asking is a call of a tool of the booking, which asks the client for its name.
func asking() string {
	return strings.Replace(modernCall(`1`, "early", `{}`), `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
}

// answeringWith is the same call with the answer Ann to the question of a state.
func answeringWith(state string) string {
	return strings.Replace(asking(), `"arguments":{}`, `"arguments":{},"requestState":"`+state+`","inputResponses":{"name":{"action":"accept","content":{"name":"Ann"}}}`, 1)
}

// stateOf returns the requestState of a question to the client.
func stateOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	_, state, _ := strings.Cut(w.Body.String(), `"requestState":"`)
	state, _, asked := strings.Cut(state, `"`)
	if !asked {
		t.Fatalf("the client isn't asked: %s", w.Body)
	}
	return state
}
