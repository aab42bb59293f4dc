package mcp_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

// A listening is a stream of subscriptions/listen in the same process, with its client.
// Tests use it under synctest: after Wait, no message is in transit.
type listening struct {
	hangUp func()
	ended  chan struct{} // closed when the handler has returned

	lock    sync.Mutex
	header  http.Header
	status  int
	written bytes.Buffer
	stream  *eventstream.Reader // of written
	slow    chan struct{}       // if not nil, the client reads nothing until it is closed
	expires time.Time           // the deadline of a write
}

// listenTo begins a stream. The filter is the raw member "notifications".
func listenTo(t *testing.T, handler http.Handler, id, filter string) *listening {
	t.Helper()
	return startListening(t.Context(), handler, listenMessage(id, filter), "text/event-stream")
}

func startListening(ctx context.Context, handler http.Handler, message, accept string) *listening {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(message))
	r.Header = listenHeader()
	r.Header.Set("Accept", accept)
	return readAlong(handler, r)
}

// readAlong sends a request and reads the answer as it arrives.
func readAlong(handler http.Handler, r *http.Request) *listening {
	ctx, hangUp := context.WithCancel(r.Context())
	l := &listening{hangUp: hangUp, ended: make(chan struct{}), header: http.Header{}}
	l.stream = eventstream.NewReader(&l.written, 1<<20)
	go func() {
		defer close(l.ended)
		handler.ServeHTTP(l, r.WithContext(ctx))
	}()
	synctest.Wait()
	return l
}

// listenMessage is a listen request.
func listenMessage(id, filter string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":` + filter + `,` + modernMeta + `}}`
}

func listenHeader() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"}}
}

// Header, WriteHeader, Write, FlushError and SetWriteDeadline are those of an
// http.ResponseWriter.
func (l *listening) Header() http.Header    { return l.header }
func (l *listening) WriteHeader(status int) { l.status = status }
func (l *listening) FlushError() error      { return nil }

func (l *listening) SetWriteDeadline(deadline time.Time) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.expires = deadline
	return nil
}

func (l *listening) Write(data []byte) (int, error) {
	l.lock.Lock()
	slow, left := l.slow, time.Until(l.expires)
	l.lock.Unlock()
	if slow != nil && !readsWithin(left, slow) {
		l.hangUp() // as net/http does
		return 0, os.ErrDeadlineExceeded
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.written.Write(data)
}

// readsWithin reports whether a slow client reads again in time. It sets no timer if no
// time is left: in a bubble the timer would fire in this goroutine, and the race detector
// of Go 1.26 crashes if several do at once.
func readsWithin(left time.Duration, again <-chan struct{}) bool {
	if left <= 0 {
		return false
	}
	select {
	case <-again:
		return true
	case <-time.After(left):
		return false
	}
}

// dawdle stops the client from reading until resume is called.
func (l *listening) dawdle() (resume func()) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.slow = make(chan struct{})
	return func() {
		l.lock.Lock()
		defer l.lock.Unlock()
		close(l.slow)
		l.slow = nil
	}
}

// news returns the messages and comments since the last call.
func (l *listening) news() (news []string) {
	for _, read := range l.next() {
		news = append(news, strings.TrimPrefix(strings.TrimSuffix(string(read), eventstream.End), eventstream.DataField))
	}
	return news
}

// next returns the events and comments since the last call, or the whole answer if it is no stream.
func (l *listening) next() (events []eventstream.Event) {
	synctest.Wait()
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.written.Len() > 0 && l.header.Get("Content-Type") != "text/event-stream" {
		return []eventstream.Event{l.written.Next(l.written.Len())}
	}
	for {
		read, _, err := l.stream.Next()
		if err != nil {
			return events
		}
		events = append(events, read)
	}
}

// hears checks the messages and comments since the last call.
func (l *listening) hears(t *testing.T, what string, want ...string) {
	t.Helper()
	if got := l.news(); !slices.Equal(got, want) {
		t.Errorf("%s: the client gets\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// over reports whether the stream has ended.
func (l *listening) over() bool {
	synctest.Wait()
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// acknowledged is the first message of a stream.
func acknowledged(id, honoured string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":` + tag(id) + `,"notifications":` + honoured + `}}`
}

// listChanged is the notification of a changed list: tools, prompts or resources.
func listChanged(id, list string) string {
	return `{"jsonrpc":"2.0","method":"notifications/` + list + `/list_changed","params":{"_meta":` + tag(id) + `}}`
}

// updated is the notification of an updated resource.
func updated(id, uri string) string {
	return `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + uri + `","_meta":` + tag(id) + `}}`
}

func tag(id string) string { return `{"io.modelcontextprotocol/subscriptionId":` + id + `}` }

// farewell is the answer that ends a stream.
func farewell(id, server string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":` + id +
		`,"io.modelcontextprotocol/serverInfo":` + server + `}}}`
}
