package dev_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev"
)

// A peer is a client on stdio.
type peer struct {
	t        *testing.T
	stdin    *io.PipeWriter
	messages chan string
	ended    chan error
}

// relay runs mcp dev demo for the app until the test ends.
func (a *app) relay() *peer {
	a.t.Helper()
	p, _ := a.relayUntilCancelled()
	return p
}

// relayUntilCancelled runs mcp dev demo until the function that it returns is called, or until the
// test ends.
func (a *app) relayUntilCancelled() (*peer, context.CancelFunc) {
	a.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	in, stdin := io.Pipe()
	out, stdout := io.Pipe()
	p := &peer{t: a.t, stdin: stdin, messages: make(chan string, 100), ended: make(chan error, 1)}
	go func() {
		p.ended <- dev.Relay(ctx, a.root, "demo", in, stdout, &a.log)
		_ = stdout.Close()
	}()
	go func() {
		defer close(p.messages)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.messages <- lines.Text()
		}
	}()
	a.t.Cleanup(cancel)
	a.t.Cleanup(p.end)
	return p, cancel
}

// end ends stdin, as clients do, and waits for the end of mcp dev.
func (p *peer) end() {
	p.t.Helper()
	_ = p.stdin.Close()
	select {
	case err := <-p.ended:
		p.ended <- nil
		if err != nil {
			p.t.Errorf("mcp dev ends with %v", err)
		}
	case <-time.After(forever):
		p.t.Error("mcp dev doesn't end")
	}
}

func (p *peer) send(message string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, message+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// ask sends a request and returns the next message, which should be the answer.
func (p *peer) ask(request string) string {
	p.t.Helper()
	p.send(request)
	return next(p.t, p.messages)
}

// initialize begins as a client of 2025-11-25.
func (p *peer) initialize() {
	p.t.Helper()
	contains(p.t, p.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"older","version":"1"}}}`),
		`"id":0`, "serverInfo")
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func older(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}

func TestEditsReachAnOlderClientOnStdio(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.relay()
	p.initialize()
	contains(t, p.ask(older("1", "tools/call", toolCall("greet", ""))), `"id":1`, `"text":"one"`)
	question := p.ask(older("2", "tools/call", toolCall("ask", "")))
	contains(t, question, "elicitation/create")
	p.send(older("3", "tools/call", toolCall("slow", `"ms":60000`)))

	a.greet("two")
	contains(t, next(t, p.messages), "notifications/tools/list_changed")
	contains(t, p.ask(older("4", "tools/call", toolCall("greet", ""))), `"id":4`, `"text":"two"`)

	// The program before still asks, and runs its calls until they are cancelled.
	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal([]byte(question), &asked); err != nil {
		t.Fatal(err)
	}
	contains(t, p.ask(`{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":{"action":"accept","content":{"name":"Ada"}}}`), `"id":2`, `"text":"one Ada"`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	contains(t, p.ask(older("5", "ping", "")), `"id":5`)

	a.breakSources()
	a.awaitLog("undefined: undefinedName", 1)
	contains(t, p.ask(older("6", "tools/call", toolCall("greet", ""))), `"id":6`, `"text":"two"`)

	a.greet("three")
	contains(t, next(t, p.messages), "notifications/tools/list_changed")
	contains(t, p.ask(older("7", "tools/call", toolCall("greet", ""))), `"id":7`, `"text":"three"`)
	a.awaitLog("greet                     older/1 ", 4)
	p.end()
	if message, more := <-p.messages; more {
		t.Errorf("the client got %s too", message)
	}
}

func TestEditsReachANewerClientOnStdio(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.relay()
	contains(t, p.ask(modern(`"l"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)), "acknowledged")
	contains(t, p.ask(modern(1, "tools/call", toolCall("greet", ""))), `"id":1`, `"text":"one"`)
	for n, greeting := range []string{"two", "three"} {
		a.greet(greeting)
		contains(t, next(t, p.messages), "notifications/tools/list_changed", `"io.modelcontextprotocol/subscriptionId":"l"`)
		contains(t, p.ask(modern(n+2, "tools/call", toolCall("greet", ""))), `"text":"`+greeting+`"`)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`)
	a.greet("one")
	a.awaitLog("mcp: reloaded", 3)
	contains(t, p.ask(modern(9, "tools/call", toolCall("greet", ""))), `"id":9`, `"text":"one"`)
}

// An older program ends its streams when it stops, though the client has ended them at the new one.
func TestAStreamThatTheClientHasEndedIsNotAnswered(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.relay()
	contains(t, p.ask(modern(`"l"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)), "acknowledged")
	p.send(modern(1, "tools/call", toolCall("slow", `"ms":60000`)))
	contains(t, p.ask(modern(2, "tools/call", toolCall("greet", ""))), `"id":2`, `"text":"one"`)
	a.greet("two")
	contains(t, next(t, p.messages), "notifications/tools/list_changed", `"io.modelcontextprotocol/subscriptionId":"l"`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`) // the last call of the older program
	contains(t, p.ask(modern(3, "tools/call", toolCall("greet", ""))), `"id":3`, `"text":"two"`)
	p.end()
	if message, more := <-p.messages; more {
		t.Errorf("the client got %s too", message)
	}
}

// The program before still runs a request with the id, and the new one doesn't know that.
func TestAnIDOfARunningRequestIsRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.relay()
	p.send(modern(1, "tools/call", toolCall("slow", `"ms":60000`)))
	contains(t, p.ask(modern(2, "tools/call", toolCall("greet", ""))), `"id":2`, `"text":"one"`)
	a.greet("two")
	a.awaitLog("mcp: reloaded", 1)
	contains(t, p.ask(modern(1, "tools/call", toolCall("greet", ""))), `"id":1`, "-32600", "the id 1 belongs to a request that is still running")
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	contains(t, p.ask(modern(1, "tools/call", toolCall("greet", ""))), `"id":1`, `"text":"two"`)
}

func TestRequestsOnStdioWaitForTheFirstProgram(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.relay()
	p.send(modern(1, "tools/call", toolCall("greet", "")))
	_ = p.stdin.Close() // like a file that is piped in
	contains(t, next(t, p.messages), `"id":1`, `"text":"one"`)
}

func TestRequestsOnStdioGetTheReasonIfThereIsNoProgram(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.breakSources()
	p := a.relay()
	contains(t, p.ask(modern(1, "tools/call", toolCall("greet", ""))), `"id":1`, "the app does not build")
	a.greet("two")
	a.awaitLog("built in", 1)
	for { // the program may not have answered yet
		answer := p.ask(modern(2, "tools/call", toolCall("greet", "")))
		if strings.Contains(answer, `"text":"two"`) {
			break
		}
		contains(t, answer, "the app does not build")
	}
}

func TestACallIsAnsweredIfItsProgramEnds(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.relay()
	p.initialize()
	outliveStart()
	contains(t, p.ask(older("1", "tools/call", toolCall("exit", ""))), `"id":1`, "the program ended before it answered: exit status 3")
	contains(t, next(t, p.messages), "notifications/tools/list_changed")
	contains(t, p.ask(older("2", "tools/call", toolCall("greet", ""))), `"id":2`, `"text":"one"`)
}

// A stale program answers while the new one is built, since clients don't wait for long.
func TestAStaleProgramServesAtOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.relay()
	contains(t, p.ask(modern(1, "tools/call", toolCall("greet", ""))), `"text":"one"`)
	p.end()
	a.greet("two")
	p = a.relay()
	contains(t, p.ask(modern(1, "tools/call", toolCall("greet", ""))), `"text":"one"`)
	a.awaitLog("mcp: reloaded", 1)
	contains(t, p.ask(modern(2, "tools/call", toolCall("greet", ""))), `"text":"two"`)
}

func TestAProgramThatDoesNotStartLeavesTheOneBeforeOnStdio(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.relay()
	contains(t, p.ask(modern(1, "tools/call", toolCall("greet", ""))), `"text":"one"`)
	a.write(".env", "FAIL_AT_BOOT=1\n")
	a.awaitLog("mcp: the program has ended before it answered: exit status 4; the previous program keeps serving", 1)
	contains(t, p.ask(modern(2, "tools/call", toolCall("greet", ""))), `"text":"one"`)
	a.write(".env", "FAIL_AT_BOOT=\n")
	a.awaitLog("mcp: reloaded", 1)
	contains(t, p.ask(modern(3, "tools/call", toolCall("greet", ""))), `"text":"one"`)
}
