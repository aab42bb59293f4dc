package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
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
	s := &Subscription{client: c, stream: &stream{header: http.Header{}, arrived: make(chan struct{}, 1)}}
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
	if !c.isModern() {
		c.begin()
		return c.requestOlder(ctx, http.MethodGet, nil)
	}
	filter := map[string]any{"toolsListChanged": true, "resourcesListChanged": true, "promptsListChanged": true, "resourceSubscriptions": uris}
	if len(uris) == 0 {
		delete(filter, "resourceSubscriptions")
	}
	header, body := c.encode(1, "subscriptions/listen", "", map[string]any{"notifications": filter})
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	r.Header = header
	return r
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
		encoded, err := codec.Marshal(params[i])
		if err != nil {
			t.Fatalf("the wanted value does not encode as JSON: %v", err)
		}
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
	members := map[string]json.RawMessage{}
	if codec.Unmarshal(params, &members) != nil {
		return params
	}
	delete(members, "_meta")
	encoded, err := codec.Marshal(members)
	if err != nil {
		return params
	}
	return encoded
}

// A stream is the answer to a request that listens. It implements http.ResponseWriter.
type stream struct {
	arrived chan struct{} // has an element if something new may have arrived

	lock     sync.Mutex
	header   http.Header
	status   int
	rest     []byte // the beginning of a line
	all      bytes.Buffer
	received []Notification
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
	s.rest = append(s.rest, data...)
	for {
		line, rest, ended := bytes.Cut(s.rest, []byte("\n"))
		if !ended {
			break
		}
		s.rest = rest
		var notification Notification
		if event, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: ")); ok && codec.Unmarshal(event, &notification) == nil && notification.Method != "" {
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
func (s *stream) methods(from int) (methods []string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, notification := range s.received[from:] {
		methods = append(methods, notification.Method)
	}
	return methods
}
