package dev_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each call has a line: the time, its name, the client, the duration and the outcome. A request that is
// refused before it is a call has one with the reason.
func TestEachCallOverHTTPHasALineWithItsOutcome(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.write(".env", "APP_DRAIN=50ms\n") // for the call that its client leaves
	url := a.serve()
	session := initialize(t, url)
	never := filepath.Join(a.root, "never")
	leave := func(session, message string) { // the client closes the connection
		a.t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			request.Header.Set("Mcp-Session-Id", session)
		} else {
			for name, value := range map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "wait"} {
				request.Header.Set(name, value)
			}
		}
		go func() {
			a.awaitFile("waiting")
			cancel()
		}()
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			t.Errorf("the call is answered: %s %s", response.Status, body)
		}
		a.remove("waiting")
	}
	text(t, url, "", modern(1, "tools/call", toolCall("greet", "")))
	a.awaitLine("greet", "newer/2", "ok")
	text(t, url, session, older("1", "tools/call", toolCall("greet", "")))
	a.awaitLine("greet", "older/1", "ok")
	text(t, url, "", modern(2, "tools/call", toolCall("fail", "")))
	a.awaitLine("fail", "newer/2", `refused: It has failed\.\n          On two lines\.`)
	text(t, url, "", modern(3, "tools/call", toolCall("gret", "")))
	a.awaitLine("tools/call", "newer/2", `refused: Unknown tool "gret"; did you mean "greet"\?`)
	text(t, url, "", modern(4, "resources/read", `"uri":"a://b"`))
	a.awaitMatch(regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  WARN   a request was refused status=400 .*Mcp-Name is missing; it must be .*a://b`))
	text(t, url, "", modern(5, "tools/call", toolCall("ask", "")))
	a.awaitLine("ask", "newer/2", "input required")
	leave("", modern(6, "tools/call", toolCall("wait", `"file":"`+never+`"`)))
	a.awaitLine("wait", "newer/2", "canceled.*") // that is how a newer client cancels
	leave(session, older("7", "tools/call", toolCall("wait", `"file":"`+never+`"`)))
	calling := make(chan string, 1)
	go func() {
		calling <- text(t, url, session, older("8", "tools/call", toolCall("wait", `"file":"`+never+`"`)))
	}()
	a.awaitFile("waiting")
	text(t, url, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}`)
	a.awaitLine("wait", "older/1", "canceled.*")
	if answer := <-calling; answer != "" {
		t.Errorf("the cancelled call is answered with %s", answer)
	}
	response := post(t, &http.Client{Transport: with{"Origin", "https://elsewhere.example"}}, url, "", modern(9, "tools/call", toolCall("greet", "")))
	_ = response.Body.Close()
	a.awaitMatch(regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  WARN   a request was refused status=403 .*The server does not answer to pages of the origin `))
	text(t, url, "", modern(10, "tools/list", ""))                   // has no line
	if lines := strings.Count(a.log.String(), " ms  "); lines != 7 { // the call in the session whose client has left still runs
		t.Errorf("the log has %d lines of calls, want 7", lines)
	}
}

// awaitLine waits for the line of a call whose outcome matches a pattern.
func (a *app) awaitLine(name, client, outcome string) {
	a.t.Helper()
	line := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  ` + regexp.QuoteMeta(name) + ` +` + regexp.QuoteMeta(client) + ` +\d+ ms  (` + outcome + `)$`)
	a.awaitMatch(line)
}
