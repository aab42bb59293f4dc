package proxy

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A received request is what the tests of a move look at.
type received struct{ method, session, authorization, lastEvent string }

// noting returns a program that begins sessions with an id, and a function that returns what it got since
// the last call. It refuses other sessions, and the credentials "wrong".
func noting(t *testing.T, x *Proxy, id string) (p *program, got func() []received) {
	t.Helper()
	requests := make(chan received, 100)
	p = serving(t, x, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		method := r.Method
		if _, after, ok := strings.Cut(string(body), `"method":"`); ok {
			method, _, _ = strings.Cut(after, `"`)
		}
		requests <- received{method, r.Header.Get("Mcp-Session-Id"), r.Header.Get("Authorization"), r.Header.Get("Last-Event-Id")}
		switch {
		case r.Header.Get("Authorization") == "wrong":
			w.WriteHeader(http.StatusForbidden)
			return
		case r.Header.Get("Mcp-Session-Id") != "" && r.Header.Get("Mcp-Session-Id") != id:
			w.WriteHeader(http.StatusNotFound)
			return
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			return
		case method == "initialize":
			w.Header().Set("Mcp-Session-Id", id)
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`)
	})
	return p, func() (all []received) {
		for len(requests) > 0 {
			all = append(all, <-requests)
		}
		return all
	}
}

// A client gets new tokens while its session lasts. Only the newest token that a program has accepted may
// move the session.
func TestASessionMovesWithTheNewestCredentialsThatWereAccepted(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	x, logged := newProxy(t)
	first, _ := noting(t, x, "one")
	second, got := noting(t, x, "two")
	adopt(x, first)
	send := func(authorization, session, message string) {
		request := postRequest(t.Context(), session, message)
		request.Header.Set("Authorization", authorization)
		roundTrip(x, request)
	}
	send("older", "", initialize)
	send("newer", "one", ping)
	send("wrong", "one", ping)
	adopt(x, second)
	for _, other := range []string{"older", "wrong"} {
		send(other, "one", ping)
		if requests := got(); !slices.Equal(requests, []received{{"ping", "not-moved", other, ""}}) {
			t.Errorf("with credentials that are %s, the program gets %v", other, requests)
		}
	}
	if want := "the session of a/1 isn't moved to the new program by a request with other credentials"; strings.Count(logged.String(), want) != 2 {
		t.Errorf("the log has %q, want twice %s", logged, want)
	}
	send("newer", "one", ping)
	want := []received{{"initialize", "", "newer", ""}, {"notifications/initialized", "two", "newer", ""}, {"ping", "two", "newer", ""}}
	if requests := got(); !slices.Equal(requests, want) {
		t.Errorf("the program gets %v, want %v", requests, want)
	}
}

// A new program knows no event of the one before.
func TestAStreamThatBeginsAfterASwitchResumesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, _ := newProxy(t)
		first, before := noting(t, x, "one")
		second, after := noting(t, x, "two")
		adopt(x, first)
		roundTrip(x, postRequest(t.Context(), "", initialize))
		before()
		roundTrip(x, streamRequest(t.Context(), "one", "7"))
		if got := before(); !slices.Equal(got, []received{{"GET", "one", "", "7"}}) {
			t.Errorf("before the switch the program gets %v", got)
		}
		adopt(x, second)
		roundTrip(x, streamRequest(t.Context(), "one", "7"))
		if got := after(); len(got) != 3 || got[2] != (received{"GET", "two", "", ""}) {
			t.Errorf("after the switch the program gets %v", got)
		}
	})
}

// Another request of the client may have moved the session.
func TestAStreamThatMovesResumesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		events := make(chan string, 2)
		x, _ := newProxy(t)
		listening := func() *program {
			return serving(t, x, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if r.Method == http.MethodPost {
					w.Header().Set("Mcp-Session-Id", "s")
					_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{"listChanged":true}}}}`)
					return
				}
				events <- r.Header.Get("Last-Event-Id")
				w.Header().Set("Content-Type", "text/event-stream")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			})
		}
		first, second := listening(), listening()
		adopt(x, first)
		roundTrip(x, postRequest(t.Context(), "", initialize))
		ctx, cancel := context.WithCancel(t.Context())
		stream := make(chan string, 1)
		go func() { stream <- roundTrip(x, streamRequest(ctx, "s", "7")).Body.String() }()
		if got := <-events; got != "7" {
			t.Errorf("the first program gets the event %q", got)
		}
		if _, moved, err := x.connect(t.Context(), x.sessions["s"], second, streamRequest(t.Context(), "s", "")); !moved || err != nil {
			t.Errorf("the session has moved: %t, %v", moved, err)
		}
		adopt(x, second)
		if got := <-events; got != "" {
			t.Errorf("the second program gets the event %q", got)
		}
		synctest.Wait()
		cancel()
		if got := <-stream; strings.Count(got, "notifications/tools/list_changed") != 1 {
			t.Errorf("the client gets %q", got)
		}
	})
}

// The program before had a tool, and the new one has none.
func TestAClientHearsOfAListOfWhichItHasSeenItems(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		listing := func(x *Proxy, tools string) *program {
			return serving(t, x, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				switch {
				case r.Method == http.MethodGet:
					w.Header().Set("Content-Type", "text/event-stream")
					_ = http.NewResponseController(w).Flush()
					<-r.Context().Done()
				case strings.Contains(string(body), `"tools/list"`):
					_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":2,"result":{"tools":[`+tools+`]}}`)
				default:
					w.Header().Set("Mcp-Session-Id", "s")
					_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{"listChanged":true}}}}`)
				}
			})
		}
		for _, lists := range []bool{true, false} {
			x, _ := newProxy(t)
			first, second := listing(x, `{"name":"a"}`), listing(x, "")
			adopt(x, first)
			roundTrip(x, postRequest(t.Context(), "", initialize))
			if lists {
				roundTrip(x, postRequest(t.Context(), "s", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
			}
			ctx, cancel := context.WithCancel(t.Context())
			stream := make(chan string, 1)
			go func() { stream <- roundTrip(x, streamRequest(ctx, "s", "")).Body.String() }()
			synctest.Wait()
			adopt(x, second)
			synctest.Wait()
			cancel()
			if got := <-stream; strings.Contains(got, "notifications/tools/list_changed") != lists {
				t.Errorf("a client that has seen the tool (%t) gets %q", lists, got)
			}
		}
	})
}

// A session forgets its ended programs, unless a client may come back for the answer to a call.
func TestASessionForgetsTheProgramsThatHaveEnded(t *testing.T) {
	t.Parallel()
	x, _ := newProxy(t)
	ended := make(chan struct{})
	close(ended)
	first, second := x.New(newEndpoint("")), x.New(newEndpoint(""))
	first.Process, second.Process = &process.Process{Exited: ended}, &process.Process{Exited: ended}
	request := streamRequest(t.Context(), "s", "")
	s := newSession("s", request, x.NewClient(), first)
	s.ids[second] = "s"
	s.client.Begin(first, &jsonrpc.Message{Method: []byte("initialize"), Params: []byte(`{}`)}, nil)
	call := &jsonrpc.Message{Kind: jsonrpc.Request, ID: []byte("1")}
	s.client.Begin(first, call, s.client.Requests(call))
	third, _ := noting(t, x, "s")
	if _, _, err := x.connect(t.Context(), s, third, request); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[*program]bool{first: true, second: false, third: true} {
		if _, known := s.ids[p]; known != want {
			t.Errorf("the session knows program %d: %t", p.Generation, known)
		}
	}
}
