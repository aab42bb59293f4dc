package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// answering returns a program that begins sessions and answers each other request with a result.
// It notes the headers that it gets.
func answering(t *testing.T, x *Proxy, seen *sync.Map) *program {
	return serving(t, x, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen.Store(len(body), r.Header.Clone())
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(string(body), `"initialize"`) {
			w.Header().Set("Mcp-Session-Id", "s")
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`)
	})
}

// send sends a message to the proxy as a client whose own proxy is said to be at 6.6.6.6.
func send(t *testing.T, url, session, message string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Forwarded-For", "6.6.6.6")
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"},"capabilities":{}}}`

// A program trusts the proxy, so that a forged header would pass for the address of the client.
func TestTheHandshakeThatMovesASessionNamesItsClient(t *testing.T) {
	t.Parallel()
	x, _ := newProxy(t)
	var first, second sync.Map
	adopt(x, answering(t, x, &first))
	front := httptest.NewServer(x)
	t.Cleanup(front.Close)
	session := send(t, front.URL, "", initialize).Header.Get("Mcp-Session-Id")
	adopt(x, answering(t, x, &second))
	if response := send(t, front.URL, session, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); response.StatusCode != http.StatusOK {
		t.Fatalf("the answer is %s", response.Status)
	}
	requests := 0
	for _, header := range second.Range {
		requests++
		if got := header.(http.Header)["X-Forwarded-For"]; !slices.Equal(got, []string{"127.0.0.1"}) {
			t.Errorf("the program gets X-Forwarded-For %q, want 127.0.0.1", got)
		}
	}
	if requests < 2 {
		t.Errorf("the program gets %d requests, want the handshake and the list", requests)
	}
}

// The connections of a program that has ended are refused before mcp dev knows of its end.
func TestARequestRightAfterTheEndOfAProgramGetsTheNextOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen sync.Map
		x, _ := newProxy(t)
		ended, next := refusing(t, x), answering(t, x, &seen)
		adopt(x, ended)
		time.AfterFunc(time.Second-time.Millisecond, func() { adopt(x, next) })
		answer := roundTrip(x, postRequest(t.Context(), "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"result"`) {
			t.Errorf("the answer is %d %s", answer.Code, answer.Body)
		}
	})
}

func TestARequestToAProgramThatRefusesConnectionsGetsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, logged := newProxy(t)
		p := refusing(t, x)
		adopt(x, p)
		answer := roundTrip(x, postRequest(t.Context(), "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet"}}`))
		if answer.Code != http.StatusBadGateway || !strings.Contains(answer.Body.String(), "the program ended before it answered") || answer.Header().Get("Retry-After") != "1" {
			t.Errorf("the answer is %d %s %v", answer.Code, answer.Body, answer.Header())
		}
		if !strings.HasSuffix(logged.String(), "  failed: the program ended before it answered\n") || !endsNow(x, p) {
			t.Errorf("the log has %q, or the program has a request", logged)
		}
	})
}

func TestANewSessionTakesThePlaceOfTheOneThatNobodyHasUsedForLongest(t *testing.T) {
	t.Parallel()
	x, _ := newProxy(t)
	for i := range limits.MaxSessions {
		x.remember(&session{id: strconv.Itoa(i), used: time.Now().Add(time.Duration((i+limits.MaxSessions/2)%limits.MaxSessions) * time.Second)})
	}
	if len(x.sessions) != limits.MaxSessions {
		t.Errorf("%d sessions are known, want %d", len(x.sessions), limits.MaxSessions)
	}
	x.remember(&session{id: "new", used: time.Now()})
	if oldest := strconv.Itoa(limits.MaxSessions / 2); len(x.sessions) != limits.MaxSessions || x.sessions["new"] == nil || x.sessions[oldest] != nil {
		t.Errorf("%d sessions are known, want %d with the new one, and without the oldest", len(x.sessions), limits.MaxSessions)
	}
}

// The proxy may leave out or add events, so their length isn't known.
func TestAStreamOfAKnownLengthIsPassedOnWhole(t *testing.T) {
	t.Parallel()
	const stream = "id: 5\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n"
	x, _ := proxyFor(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Mcp-Session-Id", "s")
		if r.Header.Get("Mcp-Session-Id") == "" {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", strconv.Itoa(len(stream)))
		_, _ = io.WriteString(w, stream)
	})
	roundTrip(x, postRequest(t.Context(), "", initialize))
	answer := roundTrip(x, postRequest(t.Context(), "s", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
	if answer.Body.String() != stream {
		t.Errorf("the client gets %q, want %q", answer.Body, stream)
	}
	if length := answer.Header().Get("Content-Length"); length != "" {
		t.Errorf("the Content-Length is %s, but the body has %d bytes", length, answer.Body.Len())
	}
}
