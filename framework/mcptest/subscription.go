package mcptest

import (
	"bytes"
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// wait is how long a subscription waits for a notification.
const wait = 5 * time.Second

// A Subscription is a client that listens for changes. It ends with the test.
type Subscription struct {
	client *Client
	stream *stream
	next   int // index of the stream's next notification to assert
}

// Subscribe listens for changes of the lists of tools, resources and prompts, and for
// updates of the resources with the URIs (specification: subscriptions/listen; before
// 2026-07-28 resources/subscribe and the stream of a session). The test fails if the
// server refuses a URI.
func (c *Client) Subscribe(uris ...string) *Subscription {
	c.t.Helper()
	ctx, end := context.WithCancel(c.ctx)
	s := &Subscription{client: c, stream: newStream()}
	request := c.listening(ctx, uris)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.handler.ServeHTTP(s.stream, request)
	}()
	c.t.Cleanup(func() {
		end()
		<-ended
	})
	if c.isModern() {
		s.acknowledged(uris)
		return s
	}
	if !s.stream.until(ended, func() bool { return s.stream.status != 0 }) || s.stream.status != http.StatusOK {
		c.t.Fatalf("the server doesn't let the client listen: %d %s", s.stream.status, s.stream.text())
	}
	for _, uri := range uris {
		if answer := c.round(1, "resources/subscribe", uri, map[string]any{"uri": uri}); answer.Err != nil {
			c.t.Fatalf("the client can't subscribe to %s: %s", uri, answer.Err.Message)
		}
	}
	return s
}

// listening returns the request whose answer is the stream.
func (c *Client) listening(ctx context.Context, uris []string) *http.Request {
	c.t.Helper()
	c.begin()
	if !c.isModern() {
		return newRequest(ctx, http.MethodGet, c.header(), nil)
	}
	filter := map[string]any{"toolsListChanged": true, "resourcesListChanged": true, "promptsListChanged": true, "resourceSubscriptions": uris}
	if len(uris) == 0 {
		delete(filter, "resourceSubscriptions")
	}
	header, body := c.encode(1, "subscriptions/listen", "", map[string]any{"notifications": filter})
	return newRequest(ctx, http.MethodPost, header, body)
}

// acknowledged waits until the server acknowledges the subscription, and checks that the
// acknowledgment has all URIs.
func (s *Subscription) acknowledged(uris []string) {
	t := s.client.t
	t.Helper()
	notification, ok := s.take("notifications/subscriptions/acknowledged")
	if !ok {
		t.Fatalf("the server doesn't let the client listen: %s", s.stream.text())
	}
	var params struct {
		Notifications struct {
			URIs []string `json:"resourceSubscriptions"`
		} `json:"notifications"`
	}
	if err := codec.Unmarshal(notification.Params, &params); err != nil {
		t.Fatalf("the acknowledgment does not decode: %v", err)
	}
	for _, uri := range uris {
		if !slices.Contains(params.Notifications.URIs, uri) {
			t.Fatalf("the server sends the client no updates of %s: it has no such resource, or hides it", uri)
		}
	}
}

// AssertNotified asserts that the client gets notifications of the method within five
// seconds: one for each of the params, in order, compared as JSON with exact numbers and
// without _meta. Without params it waits for one notification with any params. It skips
// notifications of other methods. Later calls don't see notifications that were skipped or
// found.
func (s *Subscription) AssertNotified(method string, params ...any) *Subscription {
	t := s.client.t
	t.Helper()
	for i := range max(len(params), 1) {
		from := s.next
		got, ok := s.take(method)
		if !ok {
			t.Errorf("the client got no notification %s within %s, only %v", method, wait, s.stream.methods(from))
			return s
		}
		if len(params) == 0 {
			return s
		}
		encoded := s.client.marshal(badWanted, params[i])
		if plain := withoutMeta(got.Params); !sameJSON(encoded, plain) {
			t.Errorf("a notification %s has the params %s, want %s", method, plain, encoded)
		}
	}
	return s
}

// take waits for the next notification of a method.
func (s *Subscription) take(method string) (found Notification, ok bool) {
	ok = s.stream.until(nil, func() bool {
		for ; s.next < len(s.stream.received); s.next++ {
			if found = s.stream.received[s.next]; found.Method == method {
				s.next++
				return true
			}
		}
		return false
	})
	return found, ok
}

// withoutMeta returns params without _meta, which has the ID of the subscription.
func withoutMeta(params []byte) []byte {
	members := spec.ParseObject(params)
	if members == nil {
		return params
	}
	members.Drop("_meta")
	return members.Append(nil)
}

// A stream is the answer to a request that listens. It implements http.ResponseWriter.
type stream struct {
	arrived chan struct{} // has an element if something new may have arrived

	lock     sync.Mutex
	header   http.Header
	status   int
	all      bytes.Buffer
	rest     bytes.Buffer // what events hasn't read
	events   *eventstream.Reader
	received []Notification
}

func newStream() *stream {
	s := &stream{header: http.Header{}, arrived: make(chan struct{}, 1)}
	s.events = eventstream.NewReader(&s.rest, math.MaxInt)
	return s
}

// Header returns the headers of the answer.
func (s *stream) Header() http.Header { return s.header }

// Flush does nothing, since Write delivers immediately.
func (s *stream) Flush() {}

// WriteHeader begins the answer.
func (s *stream) WriteHeader(status int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.status = status
	s.signal()
}

// Write receives a part of the answer.
func (s *stream) Write(data []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.status == 0 {
		s.status = http.StatusOK
	}
	s.all.Write(data)
	s.rest.Write(data)
	for message := range s.events.Messages() {
		var notification Notification
		if codec.Unmarshal(message, &notification) == nil && notification.Method != "" {
			s.received = append(s.received, notification)
		}
	}
	s.signal()
	return len(data), nil
}

func (s *stream) signal() {
	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

// until waits until the condition holds, the time is up, or the answer has ended.
func (s *stream) until(ended <-chan struct{}, condition func() bool) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		s.lock.Lock()
		holds := condition()
		s.lock.Unlock()
		if holds {
			return true
		}
		select {
		case <-s.arrived:
		case <-ended:
			ended = nil // the last write may satisfy the condition
			timer.Reset(0)
		case <-timer.C:
			return false
		}
	}
}

func (s *stream) text() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return strings.TrimSpace(s.all.String())
}

// methods returns the methods of the notifications from an index on.
func (s *stream) methods(from int) []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return methodsOf(s.received[from:])
}
