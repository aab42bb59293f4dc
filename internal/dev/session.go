package dev

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// A session is that of a client before 2026-07-28 over HTTP. It outlives programs: each new
// one gets the client's handshake before its first request, and knows the session by another
// id.
type session struct {
	id  string // as the client knows it
	uri string // of the route

	lock      sync.Mutex
	handshake handshake
	places    map[int]place  // by the generation of the program
	current   int            // the newest of them
	calls     map[string]int // the generations of the programs that run calls, by the raw ids
	used      time.Time
}

// A place is a session in one program.
type place struct {
	program *program
	id      string // "" if the program keeps no sessions
}

// newSession returns the session that a program has begun.
func newSession(id, uri string, initialize *jsonrpc.Message, p *program) *session {
	s := &session{id: id, uri: uri, places: map[int]place{p.generation: {p, id}}, current: p.generation, calls: map[string]int{}, used: time.Now()}
	s.handshake.observe(initialize)
	return s
}

// connect returns the session's id in a program. If the program doesn't know the session
// yet, it gets the handshake first, with the headers of the request; moved is true then.
func (s *session) connect(ctx context.Context, p *program, r *http.Request) (id string, moved bool, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.used = time.Now()
	if at, ok := s.places[p.generation]; ok {
		return at.id, false, nil
	}
	header := r.Header.Clone()
	for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Content-Length", "Content-Encoding", "Accept-Encoding", "Connection"} {
		header.Del(name)
	}
	header.Set("Host", r.Host)
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	welcome, err := p.post(ctx, s.uri, header, s.handshake.hello())
	if err != nil {
		return "", false, err
	}
	var m jsonrpc.Message
	if err := m.Scan(welcome.body); welcome.status != http.StatusOK || err != nil || m.Result == nil {
		return "", false, fmt.Errorf("the new program refuses the session of %s with status %d", s.handshake.client(), welcome.status)
	}
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = codec.Unmarshal(m.Result, &result)
	id = welcome.header.Get("Mcp-Session-Id")
	header.Set("Mcp-Protocol-Version", result.ProtocolVersion)
	if id != "" {
		header.Set("Mcp-Session-Id", id)
	}
	for _, message := range s.handshake.rest() {
		if _, err := p.post(ctx, s.uri, header, message); err != nil {
			return "", false, err
		}
	}
	s.handshake.announced = s.handshake.announced.or(announcedIn(m.Result))
	for generation, at := range s.places {
		if at.program.hasExited() {
			delete(s.places, generation)
		}
	}
	s.places[p.generation], s.current = place{p, id}, p.generation
	return id, true, nil
}

// begin notes a message of the client that a program is about to get.
func (s *session) begin(m *jsonrpc.Message, p *program) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.handshake.observe(m)
	if m.Kind == jsonrpc.Request {
		s.calls[string(m.ID)] = p.generation
	}
}

// end notes that a request has ended.
func (s *session) end(m *jsonrpc.Message) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if m.Kind == jsonrpc.Request {
		delete(s.calls, string(m.ID))
	}
}

// recipient returns the program that must get a message because it runs the call which the
// message is about, with the message as that program knows it. The place is the zero one if
// any program may get it.
func (s *session) recipient(m *jsonrpc.Message, message []byte) (place, []byte) {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case m.Kind == jsonrpc.Response:
		generation, id, ok := unmark(m.ID)
		if !ok {
			return place{}, message
		}
		return s.places[generation], replaced(message, "id", id)
	case m.Kind == jsonrpc.Notification && string(m.Method) == "notifications/cancelled":
		if generation, ok := s.calls[string(m.RequestID)]; ok {
			return s.places[generation], message
		}
	}
	return place{}, message
}

// welcomed notes the answer to the client's own initialize.
func (s *session) welcomed(m *jsonrpc.Message) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.handshake.announced = announcedIn(bytes.Clone(m.Result))
}

func (s *session) client() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.handshake.client()
}

func (s *session) announced() lists {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.handshake.announced
}

// idle reports whether the client hasn't used the session for long. The app has dropped it.
func (s *session) idle() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return time.Since(s.used) > sessionIdle
}

// sessionIdle is how long a session is kept for a client that doesn't use it.
const sessionIdle = time.Hour
