package proxy

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
)

// A client of HTTP with SSE (2024-11-05) has its session in one program, so it has to connect again.
// All other streams stay with the program that began them.
func TestASwitchEndsOnlyTheEventStreamThatItsClientHasToOpenAgain(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{"text/event-stream": "begin ", "*/*": "begin end"} {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				goOn := make(chan struct{})
				x, _ := newProxy(t)
				p := serving(t, x, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "begin ")
					_ = http.NewResponseController(w).Flush()
					select {
					case <-goOn:
						_, _ = io.WriteString(w, "end")
					case <-r.Context().Done():
					}
				})
				adopt(x, p)
				request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/mcp/sse", nil)
				request.Header.Set("Accept", accept)
				answer := make(chan string, 1)
				go func() { answer <- roundTrip(x, request).Body.String() }()
				synctest.Wait()
				adopt(x, refusing(t, x))
				synctest.Wait()
				if goesOn := want != "begin "; endsNow(x, p) == goesOn {
					t.Errorf("the program ends now, want that its stream goes on: %t", goesOn)
				}
				close(goOn)
				if got := <-answer; got != want || !endsNow(x, p) {
					t.Errorf("the client gets %q, want %q, or the program has a request", got, want)
				}
			})
		})
	}
}

// A request that waits for a program isn't left waiting.
func TestAWaitingRequestIsAnswered(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet"}}`
	for when, c := range map[string]struct {
		then        func(t *testing.T, x *Proxy)
		status      int
		want, after string
	}{
		"there is no program": {func(_ *testing.T, x *Proxy) { x.Unavailable("it doesn't build") }, http.StatusServiceUnavailable, `"id":1,"error":{"code":-32603,"message":"it doesn't build"}`, "failed: it doesn't build"},
		"mcp dev stops":       {func(_ *testing.T, x *Proxy) { x.Close() }, http.StatusServiceUnavailable, `"message":"mcp dev is stopping"`, "failed: mcp dev is stopping"},
		"there is a program": {func(t *testing.T, x *Proxy) {
			p := serving(t, x, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			})
			adopt(x, p)
		}, http.StatusOK, `"result":{}`, "ok"},
	} {
		t.Run("when "+when, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				x, logged := newProxy(t)
				answer := make(chan *httptest.ResponseRecorder, 1)
				go func() { answer <- roundTrip(x, postRequest(t.Context(), "", message)) }()
				time.Sleep(time.Hour)
				synctest.Wait()
				if len(answer) > 0 {
					t.Fatalf("the request gets %s", (<-answer).Body)
				}
				c.then(t, x)
				got := <-answer
				if got.Code != c.status || !strings.Contains(got.Body.String(), c.want) || (got.Code != http.StatusOK) != (got.Header().Get("Retry-After") == "1") {
					t.Errorf("the request gets %d %s %v, want %d %s", got.Code, got.Body, got.Header(), c.status, c.want)
				}
				if !strings.HasSuffix(logged.String(), " ms  "+c.after+"\n") {
					t.Errorf("the log has %q, want %s", logged, c.after)
				}
			})
		})
	}
}

func TestAWaitingRequestEndsWithItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, _ := newProxy(t)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			roundTrip(x, postRequest(ctx, "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		}()
		synctest.Wait()
		cancel()
		<-ended
	})
}

// A program answers 503 until its start hooks have run.
func TestAProgramIsReadyWhenItSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		x, _ := newProxy(t)
		p := serving(t, x, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/readyz" || time.Since(begin) < programs.StartLimit/2 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		if err := awaitReady(t.Context(), p, x.startLimit); err != nil || time.Since(begin) < programs.StartLimit/2 {
			t.Errorf("after %v the program is ready, %v", time.Since(begin), err)
		}
	})
}
