package transporttest

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

// A Response is an http.ResponseWriter whose client reads while the handler writes. It must
// be made in a [Bubble].
type Response struct {
	HangUp context.CancelFunc
	Status int

	done   chan struct{} // closed when the handler has returned
	header http.Header

	lock    sync.Mutex
	text    bytes.Buffer
	read    int   // bytes of the text
	flushed []int // the lengths of the text at each flush
	stuck   bool
	expires time.Time // the deadline of a write
}

// Start sends a request, and returns its response while the handler still runs.
func Start(t *testing.T, handler http.Handler, r *http.Request) *Response {
	t.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	t.Cleanup(cancel)
	w := &Response{HangUp: cancel, done: make(chan struct{}), header: http.Header{}}
	go func() {
		defer close(w.done)
		handler.ServeHTTP(w, r.WithContext(ctx))
	}()
	synctest.Wait()
	return w
}

// Header returns the headers.
func (r *Response) Header() http.Header { return r.header }

// WriteHeader sets the status.
func (r *Response) WriteHeader(status int) { r.Status = status }

// FlushError ends a chunk. Its data have been sent already, by Write.
func (r *Response) FlushError() error {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.flushed = append(r.flushed, r.text.Len())
	return nil
}

// Chunks returns what was sent between flushes, without what isn't flushed yet.
func (r *Response) Chunks() (chunks []string) {
	synctest.Wait()
	r.lock.Lock()
	defer r.lock.Unlock()
	begin := 0
	for _, end := range r.flushed {
		if end > begin {
			chunks = append(chunks, r.text.String()[begin:end])
		}
		begin = end
	}
	return chunks
}

// SetWriteDeadline sets how long a write waits for a client that doesn't read.
func (r *Response) SetWriteDeadline(deadline time.Time) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.expires = deadline
	return nil
}

// Write sends data to the client.
func (r *Response) Write(data []byte) (int, error) {
	r.lock.Lock()
	stuck, left := r.stuck, time.Until(r.expires)
	r.lock.Unlock()
	if stuck {
		time.Sleep(left)
		r.HangUp() // as net/http does
		return 0, os.ErrDeadlineExceeded
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.text.Write(data)
}

// StopsReading makes each write wait for its deadline.
func (r *Response) StopsReading() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.stuck = true
}

// Over reports whether the handler has returned.
func (r *Response) Over() bool {
	synctest.Wait()
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// News returns what was sent since the last time.
func (r *Response) News() string {
	synctest.Wait()
	r.lock.Lock()
	defer r.lock.Unlock()
	news := r.text.String()[r.read:]
	r.read = r.text.Len()
	return news
}

// Gets checks that the data sent since the last time contains all these texts, in order,
// and no message after the last one. Without texts, there must be no message.
func (r *Response) Gets(t *testing.T, what string, want ...string) {
	t.Helper()
	news := r.News()
	rest, ok := news, true
	for _, part := range want {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			break
		}
	}
	if !ok || strings.Contains(rest, `"jsonrpc"`) {
		t.Errorf("%s: the client gets\n%s\nwant only %q, in order", what, news, want)
	}
}

// LastID returns the id of the last event, "" if there is none.
func (r *Response) LastID() (id string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for stream := eventstream.NewReader(bytes.NewReader(r.text.Bytes()), r.text.Len()); ; {
		event, _, err := stream.Next()
		if err != nil {
			return id
		}
		if found := event.Fields().ID; found != nil {
			id = string(found)
		}
	}
}
