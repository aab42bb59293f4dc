package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

// The acknowledgement is the first message of a stream (subscriptions/listen), also if the program that got the request never sent it.
func TestAStreamThatBeginsDuringASwitchIsAcknowledgedFirst(t *testing.T) {
	t.Parallel()
	const acknowledgement = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}`
	x, _ := newProxy(t)
	arrived := make(chan struct{})
	older := serving(t, x, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
	})
	newer := serving(t, x, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+acknowledgement+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	adopt(x, older)
	front := httptest.NewServer(x)
	t.Cleanup(front.Close)
	go func() {
		<-arrived
		adopt(x, newer)
	}()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL,
		strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("the stream is %s %s", response.Status, got)
	}
	var got []string
	for data := range eventstream.NewReader(response.Body, 1<<20).Messages() {
		if got = append(got, string(data)); len(got) == 2 {
			break
		}
	}
	if len(got) != 2 || got[0] != acknowledgement || !strings.Contains(got[1], "notifications/tools/list_changed") {
		t.Errorf("the stream has %q", got)
	}
}
