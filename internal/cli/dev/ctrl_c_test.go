package dev_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev"
)

// Ctrl-C ends the context of mcp dev. The programs then end their calls within their own limit, and
// the clients get answers.
func TestCtrlCAnswersTheRunningCallsOverHTTP(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.write(".env", "APP_DRAIN=300ms\n")
	address := freeAddress(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- dev.Serve(ctx, a.root, address, &a.log, nil) }()
	a.awaitLog("mcp: serving", 1)
	url := "http://" + address + "/mcp/demo"
	session := initialize(t, url)
	never := filepath.Join(a.root, "never")
	answers := make(chan string, 3)
	call := func(session, message string) {
		response := post(t, http.DefaultClient, url, session, message)
		go func() {
			defer func() { _ = response.Body.Close() }()
			body, _ := io.ReadAll(response.Body)
			answers <- string(body)
		}()
	}
	go call(session, older("1", "tools/call", toolCall("wait", `"file":"`+never+`"`)))
	a.awaitFile("waiting")
	a.greet("two") // the call goes on in the program before
	a.awaitLog("mcp: reloaded", 1)
	a.remove("waiting")
	go call("", modern(2, "tools/call", toolCall("wait", `"file":"`+never+`"`)))
	a.awaitFile("waiting")
	begin := time.Now()
	cancel()
	for range 2 {
		select {
		case answer := <-answers:
			contains(t, answer, "The tool wait was stopped before it had finished.")
		case <-time.After(forever):
			t.Fatal("a call gets no answer")
		}
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(forever):
		t.Fatal("mcp dev doesn't end")
	}
	t.Logf("ended after %v", time.Since(begin).Round(time.Millisecond))
}

func TestCtrlCEndsRunningCallsOnStdio(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.write(".env", "APP_STDIO_DRAIN=300ms\n")
	p, cancel := a.relayUntilCancelled()
	p.initialize()
	p.send(older("1", "tools/call", toolCall("wait", `"file":"`+filepath.Join(a.root, "never")+`"`)))
	a.awaitFile("waiting")
	cancel()
	contains(t, next(t, p.messages), `"id":1`, "The tool wait was stopped before it had finished.")
	select {
	case err := <-p.ended:
		p.ended <- err
		if err != nil {
			t.Error(err)
		}
	case <-time.After(forever):
		t.Fatal("mcp dev doesn't end")
	}
}
