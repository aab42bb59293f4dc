package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// batchOf puts messages into an array.
func batchOf(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

// batchCalls returns calls of one tool, with the IDs 0 to n-1.
func batchCalls(n int, tool string) (calls []string) {
	for id := range n {
		calls = append(calls, legacyCall(fmt.Sprint(id), tool, `{}`))
	}
	return calls
}

// batchIDs returns the ids of the answers in an array.
func batchIDs(t *testing.T, array string) (ids []string) {
	t.Helper()
	var answers []struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal([]byte(array), &answers); err != nil {
		t.Fatalf("%v: %s", err, array)
	}
	for _, answer := range answers {
		ids = append(ids, string(answer.ID))
	}
	return ids
}

func TestCallsOfABatchRunAtOnceButNotAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-03-26")
		answer := make(chan *httptest.ResponseRecorder, 1)
		go func() { answer <- client.post(t.Context(), batchOf(batchCalls(20, "wait")...), "") }()
		synctest.Wait()
		if n := server.running.Load(); n != 8 {
			t.Errorf("%d of 20 calls run at once, want 8", n)
		}
		for id := range 20 {
			client.post(t.Context(), cancelled(fmt.Sprint(id)), "")
			synctest.Wait()
		}
		if w := <-answer; w.Code != http.StatusAccepted || w.Body.Len() > 0 {
			t.Errorf("a batch of cancelled calls gets %d %s, want nothing", w.Code, w.Body)
		}
	})
}

// A waiting call is cancelled like a running one.
func TestACallOfABatchIsCancelledWhileItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-03-26")
		answer := make(chan *httptest.ResponseRecorder, 1)
		calls := append(batchCalls(18, "wait"), legacyRequest(`18`, "ping", `{}`), legacyCall(`19`, "echo", `{"message":"a"}`))
		go func() { answer <- client.post(t.Context(), batchOf(calls...), "") }()
		synctest.Wait()
		if w := client.call(t.Context(), `17`, "echo", `{"message":"a"}`); !strings.Contains(w.Body.String(), "-32600") {
			t.Errorf("the id of a call that waits, given to another, gets %s, want an invalid request", w.Body)
		}
		client.post(t.Context(), cancelled(`17`), "")
		for id := range 17 {
			client.post(t.Context(), cancelled(fmt.Sprint(id)), "")
			synctest.Wait()
		}
		w := <-answer
		if ids := batchIDs(t, w.Body.String()); len(ids) != 2 || len(server.ended) != 17 {
			t.Errorf("the answer is %s, and %d calls have run, want those of the ping and the echo, and 17", w.Body, len(server.ended))
		}
		for _, id := range []string{`17`, `18`} {
			if w := client.call(t.Context(), id, "echo", `{"message":"a"}`); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "error") {
				t.Errorf("the id %s, free again, gets %d %s", id, w.Code, w.Body)
			}
		}
	})
}

func TestStdioCancelsACallOfABatchWhileItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{}, server)
		p.ask(t, initialize("2025-03-26"))
		p.send(t, batchOf(batchCalls(9, "wait")...))
		for _, id := range []string{"8", "0", "1", "2", "3", "4", "5", "6", "7"} {
			p.send(t, cancelled(id))
			synctest.Wait()
		}
		if n := len(server.ended); n != 8 {
			t.Errorf("%d calls have run, want 8", n)
		}
		p.quiet(t)
	})
}

// Calls of a batch that wait when the session ends don't begin.
func TestABatchEndsWithItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, heard := newWireServer(), 0
		server.boot = func(s *wireServer) error {
			return s.AddNotification("acme/late", func(context.Context, *exchange.Request) error { heard++; return nil })
		}
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-03-26")
		answer := make(chan *httptest.ResponseRecorder, 1)
		calls := append(batchCalls(20, "wait"), `{"jsonrpc":"2.0","method":"acme/late"}`, legacyRequest(`"ping"`, "ping", `{}`), `{"jsonrpc":"1.0"}`)
		go func() { answer <- client.post(t.Context(), batchOf(calls...), "") }()
		synctest.Wait()
		client.end(t)
		if w := <-answer; w.Code != http.StatusAccepted || w.Body.Len() > 0 {
			t.Errorf("the batch gets %d %s, want nothing", w.Code, w.Body)
		}
		if n := len(server.ended); n != 8 || heard > 0 {
			t.Errorf("%d calls have run and %d notifications were heard, want the 8 calls that ran before", n, heard)
		}
	})
}

func TestTheCallsOfABatchCountTowardsTheirClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := (&wireClient{handler: wireHandler(t, mcp.Config{ClientCalls: 4}, newWireServer())}).open(t, "2025-03-26")
		var calls []string
		for id := range 8 + runtime.GOMAXPROCS(0) {
			calls = append(calls, legacyCall(fmt.Sprint(id), "wait", `{}`))
		}
		answer := make(chan string)
		go func() { answer <- client.post(t.Context(), batchOf(calls...), "").Body.String() }()
		time.Sleep(time.Minute)
		if body := <-answer; !strings.Contains(body, "A client may have 4 running calls at once") || !strings.Contains(body, "timed out") {
			t.Errorf("the batch gets %s", body)
		}
		time.Sleep(time.Second)
	})
}

func TestCallsThatHangDoNotHoldUpTheOthersOfTheirBatch(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	p := startProgram(t, mcp.Config{CallTimeout: 2 * time.Second}, server)
	defer close(server.release)
	c := converse(t, "http://"+p.addr+"/mcp", "2025-03-26", `{}`)
	w := c.post(batchOf(append(batchCalls(8, "stubborn"), legacyCall(`"echo"`, "echo", `{"message":"a"}`))...))
	body, err := io.ReadAll(w.Body)
	if ids := batchIDs(t, string(body)); err != nil || len(ids) != 9 || strings.Count(string(body), "timed out") != 8 {
		t.Errorf("the answer is %s (%v), want the echo and eight that timed out", body, err)
	}
}

func TestASlowBatchIsAnswered(t *testing.T) {
	t.Parallel()
	nap := doing("nap", func(context.Context, *tools.Request) (tools.Result, error) {
		time.Sleep(100 * time.Millisecond)
		return tools.Text("slept"), nil
	})
	p := startProgram(t, mcp.Config{CallTimeout: 5 * time.Second, WriteTimeout: 500 * time.Millisecond}, boxOf(nap))
	c := converse(t, "http://"+p.addr+"/mcp", "2025-03-26", `{}`)
	w := c.post(batchOf(batchCalls(80, "nap")...)) // in ten turns
	body, err := io.ReadAll(w.Body)
	if ids := batchIDs(t, string(body)); err != nil || len(ids) != 80 {
		t.Errorf("the answer has %d members (%v), want 80", len(ids), err)
	}
}

func TestACancelledCallIsNotInTheAnswerOfItsBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-03-26")
		calls := append(batchCalls(2, "wait"), legacyCall(`"echo"`, "echo", `{"message":"a"}`), legacyCall(`"boom"`, "boom", `{}`))
		answer := make(chan *httptest.ResponseRecorder, 1)
		go func() { answer <- client.post(t.Context(), batchOf(calls...), "") }()
		synctest.Wait()
		client.post(t.Context(), batchOf(cancelled(`0`), cancelled(`1`)), "")
		w := <-answer
		if ids := batchIDs(t, w.Body.String()); len(ids) != 2 || !strings.Contains(w.Body.String(), `"boom"`) || !strings.Contains(w.Body.String(), `"echo"`) {
			t.Errorf("the answer is %s, want those to echo and boom", w.Body)
		}
	})
}

func TestABatchIsAStreamIfOneOfItsCallsIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := (&wireClient{handler: wireHandler(t, mcp.Config{CallTimeout: time.Second}, newWireServer())}).open(t, "2025-03-26")
		w := client.post(t.Context(), batchOf(legacyCall(`1`, "echo", `{"message":"a"}`), legacyCall(`2`, "stream", `{}`), legacyCall(`3`, "wait", `{}`)), "")
		if kind := w.Header().Get("Content-Type"); kind != "text/event-stream" {
			t.Fatalf("the answer is %s", kind)
		}
		answered := map[string]int{}
		for _, message := range eventMessages(t, w.Body.String()) {
			answered[string(message.ID)]++
		}
		if len(answered) != 4 || answered[""] != 1 || answered["1"] != 1 || answered["2"] != 1 || answered["3"] != 1 {
			t.Errorf("the events are\n%s\nwant one notification and three answers", w.Body)
		}
		time.Sleep(time.Second)
	})
}

// The answer of a batch doesn't wait for a handler that ignores its context.
func TestABatchIsAnsweredForAStubbornTool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := (&wireClient{handler: wireHandler(t, mcp.Config{CallTimeout: time.Second}, server)}).open(t, "2025-03-26")
		answer := make(chan *httptest.ResponseRecorder, 1)
		go func() {
			answer <- client.post(t.Context(), batchOf(legacyCall(`1`, "stubborn", `{}`), legacyCall(`2`, "echo", `{"message":"a"}`)), "")
		}()
		time.Sleep(2 * time.Second)
		close(server.release)
		w := <-answer
		if ids := batchIDs(t, w.Body.String()); len(ids) != 2 || !strings.Contains(w.Body.String(), "timed out after 1s") || w.Header().Get("Connection") != "close" {
			t.Errorf("the answer is %v %s", w.Header(), w.Body)
		}
	})
}

func TestStdioAcceptsABatchOnOneLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{MaxCalls: 1}, server)
		early := p.ask(t, batchOf(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if got := readAnswer(t, early); got.Error == nil || got.Error.Code != -32600 {
			t.Errorf("a batch before initialize gets %s", early)
		}
		p.ask(t, initialize("2025-03-26"))
		p.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`) // of nothing
		line := p.ask(t, batchOf(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, legacyCall(`2`, "echo", `{"message":"a"}`), `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		if ids := batchIDs(t, line); len(ids) != 2 {
			t.Errorf("the answer is %s, want two in one array", line)
		}
		if first, array := p.ask(t, batchOf(legacyCall(`3`, "stream", `{}`))), p.next(t); !strings.Contains(first, "chat/token") || !strings.HasPrefix(array, `[{"jsonrpc":"2.0","id":3,`) {
			t.Errorf("a tool that streams gets %s, then %s, want its notification and the array", first, array)
		}
		// Messages that aren't calls are served even if the maximum number of calls runs.
		p.send(t, batchOf(legacyCall(`4`, "wait", `{}`)))
		synctest.Wait()
		p.send(t, batchOf(cancelled(`4`), `{"jsonrpc":"2.0","id":9,"result":{}}`))
		if err := <-server.ended; err == nil {
			t.Error("the call isn't cancelled")
		}
		synctest.Wait()
		p.quiet(t)
	})
}
