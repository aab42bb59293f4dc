package measure

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// slots is how many requests and recorders are used in turn. A goroutine of a contender may use its
// request for a moment after the handler has returned, but no longer when the slot's next turn
// comes.
const slots = 64

// Handler calls an http.Handler in this process, without a network and without allocations of its
// own.
type Handler struct {
	handler http.Handler
	slots   []slot
	next    int
	cancel  context.CancelFunc
}

type slot struct {
	request, template *http.Request
	body              *bytes.Reader
	recorder          *Recorder
	message           []byte
}

// NewHandler prepares calls of the handler that post the request to the path.
func NewHandler(handler http.Handler, path string, request wire.Request) *Handler {
	h := &Handler{handler: handler, slots: make([]slot, slots)}
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	// As in net/http, the context can be canceled and has the local address.
	ctx := context.WithValue(context.Background(), http.LocalAddrContextKey, net.Addr(address))
	ctx, h.cancel = context.WithCancel(ctx)
	for i := range h.slots {
		body := bytes.NewReader(request.Body)
		template := (&http.Request{
			Method: http.MethodPost, URL: &url.URL{Path: path}, RequestURI: path,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: request.Header.Clone(), Body: io.NopCloser(body), ContentLength: int64(len(request.Body)),
			Host: address.String(), RemoteAddr: "127.0.0.1:50000",
		}).WithContext(ctx)
		h.slots[i] = slot{request: new(http.Request), template: template, body: body, recorder: NewRecorder(), message: request.Body}
	}
	return h
}

// Close cancels the context that the requests share.
func (h *Handler) Close() { h.cancel() }

// Do makes one call and returns the recorder with the reply, until the slot's next turn.
func (h *Handler) Do() *Recorder {
	s := &h.slots[h.next]
	h.next = (h.next + 1) % len(h.slots)
	*s.request = *s.template // the handler may have changed fields
	s.body.Reset(s.message)
	s.recorder.Reset()
	h.handler.ServeHTTP(s.recorder, s.request)
	return s.recorder
}

// Run makes n calls, one after another.
func (h *Handler) Run(n int) error {
	for range n {
		if r := h.Do(); r.Status != http.StatusOK {
			return fmt.Errorf("status %d: %.300s", r.Status, r.Body)
		}
	}
	return nil
}
