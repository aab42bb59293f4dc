package dev_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// serve runs mcp dev for the app until the test ends, and returns the URL of its route.
func (a *app) serve() string {
	a.t.Helper()
	address := freeAddress(a.t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- dev.Serve(ctx, a.root, address, &a.log, nil) }()
	a.t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				a.t.Errorf("mcp dev ends with %v", err)
			}
		case <-time.After(forever):
			a.t.Error("mcp dev doesn't end")
		}
	})
	a.awaitLog("mcp: serving", 1)
	return "http://" + address + "/mcp/demo"
}

func TestEditsReachClientsOverHTTPThatStayConnected(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.write(".env", "APP_DRAIN=1ms\n") // A running call keeps its program for longer.
	url := a.serve()
	session := initialize(t, url)
	stream := get(t, url, session)
	listening := listen(t, post(t, http.DefaultClient, url, "", modern(`"l"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)))
	contains(t, next(t, listening), "acknowledged")
	contains(t, text(t, url, session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{}}}`), `"text":"one"`)

	// Calls that run across the switch end in their program, also one that asks its client.
	slow := make(chan string, 1)
	go func() {
		slow <- text(t, url, session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{"file":"go on"}}}`)
	}()
	asking := listen(t, post(t, http.DefaultClient, url, session, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":{}}}`))
	question := next(t, asking)
	contains(t, question, "elicitation/create")
	a.awaitFile("waiting")
	newer := text(t, url, "", modern(4, "tools/call", toolCall("ask", "")))
	contains(t, newer, "input_required")

	a.greet("two")
	contains(t, next(t, stream), "notifications/tools/list_changed")
	contains(t, next(t, listening), "notifications/tools/list_changed", `"io.modelcontextprotocol/subscriptionId":"l"`)
	contains(t, text(t, url, session, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"greet","arguments":{}}}`), `"text":"two"`)
	contains(t, text(t, url, "", modern(6, "tools/call", toolCall("greet", ""))), `"text":"two"`)

	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal([]byte(question), &asked); err != nil {
		t.Fatal(err)
	}
	text(t, url, session, `{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":{"action":"accept","content":{"name":"Ada"}}}`)
	contains(t, next(t, asking), `"text":"one Ada"`)
	a.write("go on", "")
	contains(t, <-slow, `"text":"one"`)

	// The state of a question of 2026-07-28 is valid in the new program.
	var round struct {
		Result struct {
			InputRequests map[string]json.RawMessage `json:"inputRequests"`
			RequestState  string                     `json:"requestState"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(newer), &round); err != nil {
		t.Fatal(err)
	}
	for key := range round.Result.InputRequests {
		contains(t, text(t, url, "", modern(7, "tools/call", toolCall("ask", "")+fmt.Sprintf(`,"requestState":%q,"inputResponses":{%q:{"action":"accept","content":{"name":"Eve"}}}`,
			round.Result.RequestState, key))), `"text":"two Eve"`)
	}

	// What doesn't compile is shown, and the previous program keeps serving.
	a.breakSources()
	a.awaitLog("greeting.go:3:18: undefined: undefinedName", 1)
	a.awaitLog("mcp: the app does not build: see the messages above; the previous program keeps serving", 1)
	contains(t, text(t, url, session, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"greet","arguments":{}}}`), `"text":"two"`)

	a.greet("three")
	contains(t, next(t, stream), "notifications/tools/list_changed")
	contains(t, next(t, listening), "notifications/tools/list_changed")
	contains(t, text(t, url, session, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"greet","arguments":{}}}`), `"text":"three"`)

	a.awaitLog("greet                     older/1 ", 4)
	a.awaitLog("greet                     newer/2 ", 1)
}

// Calls are made on four kept connections while the program is edited, built and replaced five times: a
// thousand, or ten thousand without a pause in the nightly run.
func TestNoCallOnAKeptConnectionFailsAcrossFiveSwitches(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	const clients, switches = 4, 5
	enough, pause := int64(1_000), 5*time.Millisecond
	if gatetest.Nightly() {
		enough, pause = 10_000, 0
	}
	var calls atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			message := modern(1, "tools/call", toolCall("greet", ""))
			for ; ctx.Err() == nil; time.Sleep(pause) {
				response := post(t, client, url, "", message)
				body, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if calls.Add(1); err != nil || response.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(`"text":"`)) {
					t.Errorf("a call gets %s %s, %v", response.Status, body, err)
					return
				}
			}
		})
	}
	for n := range switches {
		before := calls.Load()
		a.greet([]string{"two", "one"}[n%2])
		a.awaitLog("mcp: reloaded", n+1)
		for calls.Load() < before+enough/switches && !t.Failed() {
			time.Sleep(10 * time.Millisecond)
		}
	}
	cancel()
	running.Wait()
	t.Logf("%d calls across %d switches", calls.Load(), switches)
}

func TestTheProgramKnowsTheURLOfTheProxy(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	contains(t, text(t, url, "", modern(1, "tools/call", toolCall("url", ""))), strings.TrimSuffix(url, "/mcp/demo"))
}

func TestTheProgramKnowsTheAddressOfTheClient(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	behind := &http.Client{Transport: with{"X-Forwarded-For", "203.0.113.9"}}
	address := func() string {
		response := post(t, behind, url, "", modern(1, "tools/call", toolCall("address", "")))
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	contains(t, address(), `"text":"127.0.0.1"`) // the client can't choose its address
	a.write(".env", "APP_TRUSTED_PROXIES=127.0.0.1\n")
	a.awaitLog("mcp: reloaded", 1)
	contains(t, address(), `"text":"203.0.113.9"`)
}

func TestASessionMovesWithItsCredentials(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	session := initialize(t, url)
	a.greet("two")
	a.awaitLog("mcp: reloaded", 1)
	greet := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{}}}`
	response := post(t, &http.Client{Transport: with{"Authorization", "Bearer of-another"}}, url, session, greet)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("a request with other credentials gets %s, want 404", response.Status)
	}
	contains(t, text(t, url, session, greet), `"text":"two"`)
}

// outliveStart waits until the program has run for long enough to be started again if it ends by itself.
// That takes two seconds from a moment after its last line in the log.
func outliveStart() { time.Sleep(3 * time.Second) }

func TestAProgramThatEndsByItselfIsStartedAgain(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	session := initialize(t, url)
	outliveStart()
	contains(t, text(t, url, session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exit","arguments":{}}}`),
		`"id":1`, "the program ended before it answered")
	a.awaitLog("mcp: the program has ended: exit status 3; it is started again", 1)
	contains(t, text(t, url, session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{}}}`), `"text":"one"`)
	a.awaitLog("failed: the program ended before it answered", 1)
}

func TestABusyAddressIsOneLine(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	address := listener.Addr().String()
	err = dev.Serve(t.Context(), t.TempDir(), address, io.Discard, nil)
	if want := address + " is in use by another program: stop that one, or serve at another address with --addr"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

func TestWithoutAProgramRequestsGetTheReason(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.breakSources()
	address := freeAddress(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- dev.Serve(ctx, a.root, address, &a.log, nil) }()
	a.awaitLog("it is tried again after the next change", 1)
	url := "http://" + address + "/mcp/demo"
	contains(t, text(t, url, "", modern(1, "tools/call", toolCall("greet", ""))), `"id":1`, "the app does not build")
	a.greet("two")
	a.awaitLog("mcp: serving", 1)
	contains(t, text(t, url, "", modern(2, "tools/call", toolCall("greet", ""))), `"text":"two"`)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAProgramThatDoesNotStartLeavesTheOneBeforeOverHTTP(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	a.write(".env", "FAIL_AT_BOOT=1\n")
	a.awaitLog("mcp: the program has ended before it was ready: exit status 4; the previous program keeps serving", 1)
	contains(t, text(t, url, "", modern(1, "tools/call", toolCall("greet", ""))), `"text":"one"`)
	a.write(".env", "FAIL_AT_BOOT=\n")
	a.awaitLog("mcp: reloaded", 1)
	contains(t, text(t, url, "", modern(2, "tools/call", toolCall("greet", ""))), `"text":"one"`)
}
