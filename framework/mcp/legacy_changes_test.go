package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// legacyRequest is a request of an older client.
func legacyRequest(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

// told is a notification to an older client, which has no subscription ID.
func told(what string) string { return `{"jsonrpc":"2.0","method":"notifications/` + what + `"}` }

func toldUpdated(uri string) string {
	return `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + uri + `"}}`
}

func done(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

// greet performs the handshake of an older client on stdio.
func (p *pipeline) greet(t *testing.T, version string) (welcome string) {
	t.Helper()
	welcome = p.ask(t, initialize(version))
	p.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return welcome
}

func TestOlderClientsOnStdioAreNotifiedWithoutSubscribing(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			overStdio(t, mcp.Config{}, func(t *testing.T, room *newsroom, p *pipeline) {
				must(t, room.AddTool(saying("early", "")))
				p.silent(t)
				welcome := p.greet(t, version)
				for _, declared := range []string{`"tools":{"listChanged":true}`, `"prompts":{"listChanged":true}`, `"resources":{"subscribe":true,"listChanged":true}`} {
					if !strings.Contains(welcome, declared) {
						t.Errorf("%s is not declared in %s", declared, welcome)
					}
				}
				p.silent(t)
				must(t, room.AddTool(saying("late", "")))
				p.gets(t, told("tools/list_changed"))
				must(t, room.AddPrompt(wirePrompt("late", saysPrompt(""))))
				p.gets(t, told("prompts/list_changed"))
				room.RemoveResource("docs://data")
				p.gets(t, told("resources/list_changed"))
				room.ResourceUpdated("docs://logo")
				p.silent(t)
			})
		})
	}
}

func TestAnOlderClientSubscribesToResources(t *testing.T) {
	overStdio(t, mcp.Config{}, func(t *testing.T, room *newsroom, p *pipeline) {
		p.greet(t, "2025-11-25")
		for i, uri := range []string{"docs://logo", "files://notes/a", "docs://none", "docs://hidden", "docs://logo"} {
			id := fmt.Sprint(i)
			p.send(t, legacyRequest(id, "resources/subscribe", `{"uri":"`+uri+`"}`))
			p.gets(t, done(id))
		}
		room.revealed.Store(true)
		for _, uri := range []string{"docs://logo", "files://notes/a", "docs://hidden", "docs://data"} {
			room.ResourceUpdated(uri)
		}
		p.gets(t, toldUpdated("docs://logo"), toldUpdated("files://notes/a"))
		p.send(t, legacyRequest(`5`, "resources/subscribe", `{"uri":"docs://hidden"}`))
		p.gets(t, done(`5`))
		room.ResourceUpdated("docs://hidden")
		p.gets(t, toldUpdated("docs://hidden"))
		room.revealed.Store(false)
		room.ResourceUpdated("docs://hidden")
		p.silent(t)
		for i, uri := range []string{"docs://logo", "docs://none", "docs://logo"} {
			id := fmt.Sprint(6 + i)
			p.send(t, legacyRequest(id, "resources/unsubscribe", `{"uri":"`+uri+`"}`))
			p.gets(t, done(id))
		}
		room.ResourceUpdated("docs://logo")
		room.ResourceUpdated("files://notes/a")
		p.gets(t, toldUpdated("files://notes/a"))
	})
}

func TestSubscriptionsOfAnOlderClientAreBounded(t *testing.T) {
	overStdio(t, mcp.Config{}, func(t *testing.T, room *newsroom, p *pipeline) {
		p.greet(t, "2025-06-18")
		for i := range 1000 {
			p.send(t, legacyRequest(`1`, "resources/subscribe", fmt.Sprintf(`{"uri":"files://%d"}`, i)))
			p.gets(t, done(`1`))
		}
		full := `"error":{"code":-32602,"message":"Invalid params: at most 1000 resources may be subscribed to, and their URIs may have 65536 bytes together"}`
		if got := p.ask(t, legacyRequest(`1`, "resources/subscribe", `{"uri":"files://one-more"}`)); !strings.Contains(got, full) {
			t.Errorf("one too many gets %s", got)
		}
		p.send(t, legacyRequest(`1`, "resources/subscribe", `{"uri":"files://7"}`), legacyRequest(`2`, "resources/unsubscribe", `{"uri":"files://8"}`),
			legacyRequest(`3`, "resources/subscribe", `{"uri":"files://one-more"}`))
		p.gets(t, done(`1`), done(`2`), done(`3`))
		room.ResourceUpdated("files://8")
		room.ResourceUpdated("files://one-more")
		p.gets(t, toldUpdated("files://one-more"))
		for i := range 1000 {
			p.send(t, legacyRequest(`1`, "resources/unsubscribe", fmt.Sprintf(`{"uri":"files://%d"}`, i)))
			p.gets(t, done(`1`))
		}
		for i := range 9 {
			got := p.ask(t, legacyRequest(`1`, "resources/subscribe", fmt.Sprintf(`{"uri":"files://%d%s"}`, i, strings.Repeat("a", 8000))))
			if refused := strings.Contains(got, full); refused != (i == 8) {
				t.Errorf("long URI %d gets %s", i, got)
			}
		}
	})
}

// Each client may have only a few subscriptions, but there may be ten thousand clients.
func TestSubscriptionsOfAllClientsAreBoundedTogether(t *testing.T) {
	t.Parallel()
	handler := wireHandler(t, mcp.Config{Memory: 4 << 20, ClientMemory: 4 << 20}, &newsroom{})
	subscribe := func(client *wireClient, i int) string {
		uri := fmt.Sprintf("files://%d%s", i, strings.Repeat("a", 8000))
		return client.post(t.Context(), legacyRequest(`1`, "resources/subscribe", `{"uri":"`+uri+`"}`), "").Body.String()
	}
	var clients []*wireClient
	full := ""
	for full == "" && len(clients) < 1100 {
		client := (&wireClient{handler: handler}).open(t, "2025-11-25")
		clients = append(clients, client)
		for i := 0; i < 8 && full == ""; i++ {
			if got := subscribe(client, i); got != done(`1`) {
				full = got
			}
		}
	}
	if n := len(clients); n < 50 || !strings.Contains(full, "its clients have 4194304 bytes, the maximum; try again later") {
		t.Fatalf("client %d gets %s", n, full)
	}
	last := clients[len(clients)-1]
	if got := subscribe(clients[0], 0); got != done(`1`) {
		t.Errorf("what is subscribed to already gets %s", got)
	}
	stream := listenMessage(`1`, `{"resourceSubscriptions":["files://9`+strings.Repeat("a", 8000)+`"]}`)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(stream))
	r.Header = listenHeader()
	w := httptest.NewRecorder()
	if handler.ServeHTTP(w, r); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a newer client gets %d %s", w.Code, w.Body)
	}
	r = httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "http://127.0.0.1/mcp", nil)
	r.Header.Set("Mcp-Session-Id", clients[0].session)
	handler.ServeHTTP(httptest.NewRecorder(), r)
	for i := range 8 {
		if got := subscribe(last, i); got != done(`1`) {
			t.Errorf("after another has disconnected, resource %d gets %s", i, got)
		}
	}
}

func TestASubscriptionWithoutAURIIsRefused(t *testing.T) {
	t.Parallel()
	modern := probeServer(t, mcp.Config{}, &newsroom{})
	legacy, _ := modern.as("2025-11-25")
	for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
		if r := legacy.ask(method, params{"uri": "docs://logo"}); r.status != 200 || r.result != "{}" {
			t.Errorf("%s gets %d %s", method, r.status, r.body)
		}
		for _, bad := range []params{nil, {}, {"uri": 7}, {"uri": nil}} {
			if r := legacy.ask(method, bad); r.status != 200 || r.err == nil || r.err.Code != -32602 || !strings.Contains(r.err.Message, `the member "uri"`) {
				t.Errorf("%s of %v gets %d %s", method, bad, r.status, r.body)
			}
		}
		if r := modern.ask(method, params{"uri": "docs://logo"}); r.status != 404 || r.err.Code != -32601 {
			t.Errorf("modern %s gets %d %s", method, r.status, r.body)
		}
	}
	toolsOnly, _ := probeServer(t, mcp.Config{}, boxOf(saying("a", ""))).as("2025-11-25")
	if r := toolsOnly.ask("resources/subscribe", params{"uri": "docs://logo"}); r.result != "{}" { // as for any resource that the client can't see
		t.Errorf("without resources it gets %s", r.body)
	}
}

// The server can't notify a client without a session, so it doesn't declare that it does.
func TestNoChangesAreDeclaredWithoutSessions(t *testing.T) {
	t.Parallel()
	modern := probeServer(t, mcp.Config{Sessions: mcp.Off}, &newsroom{})
	legacy, welcome := modern.as("2025-11-25")
	if strings.Contains(welcome.result, "listChanged") || strings.Contains(welcome.result, "subscribe") || !strings.Contains(welcome.result, `"resources":{}`) {
		t.Errorf("the welcome is %s", welcome.result)
	}
	if r := legacy.ask("resources/subscribe", params{"uri": "docs://logo"}); r.err == nil || r.err.Code != -32601 {
		t.Errorf("a subscription gets %s", r.body)
	}
	if r := modern.ask("server/discover", nil); !strings.Contains(r.result, `"resources":{"subscribe":true,"listChanged":true}`) {
		t.Errorf("modern clients get %s", r.result)
	}
}

// The server notifies clients of both eras on one stdio, each in its form. A second
// handshake replaces the first.
func TestBothErasAreNotifiedOnOneStdio(t *testing.T) {
	overStdio(t, mcp.Config{}, func(t *testing.T, room *newsroom, p *pipeline) {
		p.greet(t, "2025-06-18")
		p.send(t, legacyRequest(`1`, "resources/subscribe", `{"uri":"docs://logo"}`))
		p.gets(t, done(`1`))
		p.greet(t, "2025-11-25")
		p.send(t, listenMessage(`1`, `{"toolsListChanged":true,"resourceSubscriptions":["docs://logo"]}`))
		p.gets(t, acknowledged(`1`, `{"toolsListChanged":true,"resourceSubscriptions":["docs://logo"]}`))
		must(t, room.AddTool(saying("late", "")))
		heard := map[string]bool{p.next(t): true, p.next(t): true}
		if !heard[told("tools/list_changed")] || !heard[listChanged(`1`, "tools")] {
			t.Errorf("the program writes %v", heard)
		}
		p.silent(t)
		room.ResourceUpdated("docs://logo")
		p.gets(t, updated(`1`, "docs://logo")) // the subscription ended with the first handshake
	})
}
