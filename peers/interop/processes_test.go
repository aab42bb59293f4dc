package interop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// sessions and rounds are how often each client connects, and how often it does everything in
// a connection.
const (
	sessions = 2
	rounds   = 5
)

// TestProcesses connects clients to a program of two processes that share a store. Each request
// reaches another process than the one before. Each client has a program of its own, since it
// changes the server.
func TestProcesses(t *testing.T) {
	t.Parallel()
	binary := build(t, filepath.Join("peers", "processes"))
	type connecting = func(context.Context, target) (client, error)
	node := func(script, mode string) connecting {
		return func(ctx context.Context, to target) (client, error) { return connectNode(ctx, script, mode, to) }
	}
	clients := map[string]connecting{
		"typescript-v1": node("v1.mjs", ""), "typescript-v2 legacy": node("v2.mjs", "legacy"), "typescript-v2 modern": node("v2.mjs", "auto"),
	}
	for _, version := range []string{newestLegacy, modern} {
		clients["go-sdk "+version] = func(ctx context.Context, to target) (client, error) { return connectGoSDK(ctx, to, version) }
	}
	for name, connect := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(name, "typescript") {
				requireNode(t, "@modelcontextprotocol/client", "@modelcontextprotocol/sdk")
			}
			other, version := freeAddr(t), ""
			front := startFront(t, launch(t, binary, "OTHER_ADDR="+other).addr, other)
			for i := range sessions {
				front.next(i)
				c, err := connect(testContext(t), target{URL: front.url, Answers: true})
				if err != nil {
					t.Fatal(err)
				}
				version = c.Version()
				roams(t, front, c, i)
				if node, ok := c.(*nodeClient); ok && version != modern { // the other client ends its session when it closes
					if _, err := node.do("end", nil); err != nil {
						t.Error(err)
					}
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				if version != modern {
					front.endsSession(t)
				}
			}
			front.reachedBoth(t, version)
		})
	}
}

// roams does everything that concerns several processes, in one connection of a client.
func roams(t *testing.T, front *front, c client, session int) {
	t.Helper()
	ctx := testContext(t)
	for round := range rounds {
		front.next(session + round)
		if names, err := c.ListTools(ctx); err != nil || !slices.Contains(names, "where") {
			t.Fatalf("the tools are %q, %v", names, err)
		}
		call(ctx, t, c, "where", map[string]any{})
		front.next(session + round)
		if result := call(ctx, t, c, "greet", map[string]any{}); !slices.Equal(result.Texts, []string{"Hello, " + answeredName + "!"}) {
			t.Errorf("a call that asks returns %+v", result)
		}
		if result := call(ctx, t, c, "report", map[string]any{}); !slices.Equal(result.Texts, []string{"the report"}) {
			t.Errorf("a call that closes its connection returns %+v", result)
		}
		note := fmt.Sprintf("note://%d", round)
		if c.Version() == modern { // where each Watch opens a stream
			note = "note://0"
		}
		if c.Version() != modern || round == 0 {
			if err := c.Watch(ctx, note); err != nil {
				t.Fatal(err)
			}
		}
		for _, process := range []string{"one", "other"} {
			learns(ctx, t, c, "change-note", map[string]any{"process": process, "uri": note}, "notifications/resources/updated", note)
			learns(ctx, t, c, "change-tools", map[string]any{"process": process}, "notifications/tools/list_changed", "")
		}
		front.next(session + round)
		cancels(ctx, t, front, c)
	}
	if updates := count(c, "notifications/resources/updated", ""); updates != 2*rounds {
		t.Errorf("after %d changes of notes, the client has heard of %d", 2*rounds, updates)
	}
}

// learns changes something in one process, and waits until the client is notified.
func learns(ctx context.Context, t *testing.T, c client, tool string, arguments map[string]any, method, uri string) {
	t.Helper()
	before := count(c, method, uri)
	call(ctx, t, c, tool, arguments)
	if eventually(t, func() bool { return count(c, method, uri) > before }); count(c, method, uri) == before {
		t.Errorf("after %s with %v, the client is not notified", tool, arguments)
	}
}

// count returns how often a client was notified by a method, of a resource unless uri is "".
func count(c client, method, uri string) (n int) {
	for _, got := range c.Notifications() {
		if got.Method == method && (uri == "" || got.Params["uri"] == uri) {
			n++
		}
	}
	return n
}

// cancels cancels a call that runs. The client's notification reaches the other process.
func cancels(ctx context.Context, t *testing.T, front *front, c client) {
	t.Helper()
	waiting := func(want string) {
		t.Helper()
		var result *toolResult
		eventually(t, func() bool {
			result = call(ctx, t, c, "waiting", map[string]any{})
			return slices.Equal(result.Texts, []string{want})
		})
		if !slices.Equal(result.Texts, []string{want}) {
			t.Fatalf("%v calls wait, want %s", result.Texts, want)
		}
	}
	var canceled bool
	before := front.canceled()
	if node, ok := c.(*nodeClient); ok {
		if _, err := node.do("start", toolCall{Name: "wait", Arguments: map[string]any{}}); err != nil {
			t.Fatal(err)
		}
		waiting("1")
		front.next(front.at("wait") + 1)
		answer, err := node.do("cancel", nil)
		if err != nil {
			t.Fatal(err)
		}
		canceled = string(answer.Value) == "true"
	} else {
		calling, cancel := context.WithCancel(ctx)
		failed, waits := make(chan bool), front.called("wait")
		go func() {
			_, err := c.CallTool(calling, toolCall{Name: "wait", Arguments: map[string]any{}})
			failed <- err != nil
		}()
		eventually(t, func() bool { return front.called("wait") > waits }) // or the next request could take its process
		waiting("1")
		front.next(front.at("wait") + 1)
		cancel()
		canceled = <-failed
	}
	if !canceled {
		t.Error("a call that was canceled has a result")
	}
	if c.Version() != modern { // go-sdk sends the notification after the call has returned
		eventually(t, func() bool { return front.canceled() > before })
	}
	waiting("0")
}

// A front is a proxy that passes each request to another process than the one before.
type front struct {
	url       string
	processes [2]*url.URL

	lock    sync.Mutex
	count   int
	session string         // of the newest request that has one
	calls   map[string]int // which process has got the newest call of a tool
	numbers map[string]int // of calls of a tool
	cancels int            // how many cancellations have come
	crossed map[string]int // how often a message about a call has reached another process than the call
}

func startFront(t *testing.T, addrs ...string) *front {
	t.Helper()
	f := &front{calls: map[string]int{}, numbers: map[string]int{}, crossed: map[string]int{}}
	for i, addr := range addrs {
		f.processes[i] = &url.URL{Scheme: "http", Host: addr}
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // of clients that close their connections
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(f.processes[f.pass(r.Out)])
			r.Out.Host = r.In.Host
		},
	})
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	f.url = server.URL + "/mcp"
	return f
}

// next has the next request go to a process: the first if n is even.
func (f *front) next(n int) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.count = n
}

// at returns which process has got the newest call of a tool.
func (f *front) at(tool string) int {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.calls[tool]
}

// called returns how many calls of a tool have come.
func (f *front) called(tool string) int {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.numbers[tool]
}

// canceled returns how many cancellations have come.
func (f *front) canceled() int {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.cancels
}

// pass returns the process for a request.
func (f *front) pass(r *http.Request) (process int) {
	var message struct {
		Method string
		Params struct{ Name, RequestState string }
	}
	if r.Body != nil {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		_ = json.Unmarshal(body, &message)
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	process = f.count % 2
	f.count++
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		f.session = id
	}
	crosses := func(what, tool string) {
		if from := f.calls[tool]; from != process {
			f.crossed[fmt.Sprintf("%s for process %d", what, from)]++
		}
	}
	switch {
	case r.Method == http.MethodGet && r.Header.Get("Last-Event-Id") != "":
		crosses("a resumption", "report")
	case r.Method != http.MethodPost:
	case message.Method == "" || message.Params.RequestState != "":
		crosses("an answer", "greet")
	case message.Method == "notifications/cancelled":
		f.cancels++
		crosses("a cancellation", "wait")
	case message.Method == "tools/call":
		f.calls[message.Params.Name] = process
		f.numbers[message.Params.Name]++
	}
	return process
}

// reachedBoth checks that messages about calls of each process have reached the other one.
func (f *front) reachedBoth(t *testing.T, version string) {
	t.Helper()
	f.lock.Lock()
	defer f.lock.Unlock()
	whats := []string{"an answer"}
	if version != modern { // whose clients cancel by closing the connection, and don't resume streams
		whats = append(whats, "a cancellation", "a resumption")
	}
	for process := range f.processes {
		for _, what := range whats {
			if name := fmt.Sprintf("%s for process %d", what, process); f.crossed[name] < sessions*rounds/4 {
				t.Errorf("%s has reached the other one %d times", name, f.crossed[name])
			}
		}
	}
}

// endsSession checks that no process knows the session of the client, which has ended it.
func (f *front) endsSession(t *testing.T) {
	t.Helper()
	f.lock.Lock()
	session := f.session
	f.lock.Unlock()
	for range f.processes {
		request, err := http.NewRequestWithContext(testContext(t), http.MethodPost, f.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session, "MCP-Protocol-Version": newestLegacy,
		} {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("after its end, the session gets %s", response.Status)
		}
	}
}
