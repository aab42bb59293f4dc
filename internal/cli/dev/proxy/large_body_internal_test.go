package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// callOfSize returns a call of a tool that has n bytes.
func callOfSize(n int) string {
	const before, after = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sized","arguments":{"text":"`, `"}}}`
	return before + strings.Repeat("x", n-len(before)-len(after)) + after
}

// The app decides what it refuses, so a request that is too long for the proxy reaches it whole.
func TestAProgramGetsAllOfARequestThatIsTooLongToLookAt(t *testing.T) {
	t.Parallel()
	type received struct {
		body   string
		length int64
	}
	got := make(chan received, 1)
	x, _ := proxyFor(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- received{string(body), r.ContentLength}
	})
	x.seenLimit = 1 << 20
	front := httptest.NewServer(x)
	t.Cleanup(front.Close)
	message := callOfSize(x.seenLimit + 1<<20)
	for name, body := range map[string]struct {
		io.Reader
		length int64
	}{
		"with a length": {strings.NewReader(message), int64(len(message))},
		"in chunks":     {io.MultiReader(strings.NewReader(message)), -1},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL, body.Reader)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if r := <-got; r.length != body.length || r.body != message {
			t.Errorf("of a request %s the program gets %d bytes with the length %d, want %d with %d", name, len(r.body), r.length, len(message), body.length)
		}
	}
}

func TestTheLongestRequestThatTheProxyLooksAtHas16MiB(t *testing.T) {
	t.Parallel()
	x, logged := proxyFor(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
	if x.seenLimit != 16<<20 {
		t.Errorf("the limit is %d bytes", x.seenLimit)
	}
	x.seenLimit = 1 << 20 // for a shorter test
	for n, lines := range map[int]int{x.seenLimit: 1, x.seenLimit + 1: 0} {
		logged.Reset()
		if roundTrip(x, postRequest(t.Context(), "", callOfSize(n))); strings.Count(logged.String(), "\n") != lines {
			t.Errorf("after a request of %d bytes the log has %q, want %d lines", n, logged, lines)
		}
	}
}

func TestAClientGetsAllOfAnAnswerThatIsTooLongToLookAt(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	answer := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", limit) + `"}]}}`
	for kind, body := range map[string]string{"application/json": answer, "text/event-stream": ": a comment\n\ndata: " + answer + "\n\n"} {
		x, logged := proxyFor(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		})
		x.seenLimit = limit
		if got := roundTrip(x, postRequest(t.Context(), "", callOfSize(1000))).Body.String(); got != body {
			t.Errorf("as %s the client gets %d bytes, want %d", kind, len(got), len(body))
		}
		if !strings.HasSuffix(logged.String(), " ms  ok: an answer of more than 1 MiB\n") {
			t.Errorf("as %s the log has %q", kind, logged)
		}
	}
}
