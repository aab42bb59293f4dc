package dev

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A session is that of a client before 2026-07-28 over HTTP. It outlives programs: each new
// one gets the client's handshake before its first request, and knows the session by another
// id.
type session struct {
	id  string // as the client knows it
	uri string // of the route

	connecting sync.Mutex // held while a program gets the handshake

	lock      sync.Mutex
	digest    [sha256.Size]byte // of the Authorization of the newest request that a program accepted
	handshake handshake
	places    map[int]place       // by the generation of the program
	requests  map[string]*pending // by raw id
	streams   int                 // open, on which the client listens
	used      time.Time
}

// A place is a session in one program.
type place struct {
	program *program
	id      string // "" if the program keeps no sessions
}

// newSession returns the session that a program has begun.
func newSession(id string, r *http.Request, initialize *jsonrpc.Message, p *program) *session {
	s := &session{
		id: id, uri: r.URL.RequestURI(), digest: digestOf(r), places: map[int]place{p.generation: {p, id}}, requests: map[string]*pending{}, used: time.Now(),
	}
	s.handshake.observe(initialize)
	return s
}

// digestOf returns the digest of a request's credentials.
func digestOf(r *http.Request) [sha256.Size]byte {
	return sha256.Sum256([]byte(r.Header.Get("Authorization")))
}

// accepted notes the credentials of a request that a program has accepted in the session. A
// client gets new tokens while its session lasts.
func (s *session) accepted(r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.digest = digestOf(r)
}

// isOf reports whether a request has the credentials of the session's client.
func (s *session) isOf(r *http.Request) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.digest == digestOf(r)
}

// connect returns the session's id in a program. If the program doesn't know the session
// yet, it gets the handshake first, with the headers of the request; moved is true then.
func (s *session) connect(ctx context.Context, p *program, r *http.Request) (id string, moved bool, err error) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	at, known := s.at(p)
	switch {
	case known:
		return at.id, false, nil
	case !s.isOf(r):
		return "", false, fmt.Errorf("the session of %s isn't moved to the new program by a request with other credentials; the client has to begin again", s.client())
	}
	header := r.Header.Clone()
	for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Content-Length", "Content-Encoding", "Accept-Encoding", "Connection"} {
		header.Del(name)
	}
	p.addClient(header, r.RemoteAddr)
	header.Set("Host", r.Host)
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	initialize, rest := s.replay()
	response, err := p.post(ctx, s.uri, header, initialize)
	if err != nil {
		return "", false, err
	}
	var m jsonrpc.Message
	if err := m.Scan(response.body); response.status != http.StatusOK || err != nil || m.Result == nil {
		return "", false, fmt.Errorf("the new program refuses the session of %s with status %d", s.client(), response.status)
	}
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = codec.Unmarshal(m.Result, &result)
	id = response.header.Get("Mcp-Session-Id")
	header.Set("Mcp-Protocol-Version", result.ProtocolVersion)
	if id != "" {
		header.Set("Mcp-Session-Id", id)
	}
	for _, message := range rest {
		if _, err := p.post(ctx, s.uri, header, message); err != nil {
			return "", false, err
		}
	}
	filled := lists{}
	for _, request := range declaredIn(m.Result).without(s.announced()).requests() {
		response, err := p.post(ctx, s.uri, header, ownRequest(request.method, nil))
		if err != nil {
			return "", false, err
		}
		var answer jsonrpc.Message
		_ = answer.Scan(response.body) // a list that the program doesn't return may have items
		if items, isList := filledIn(answer.Result); !isList || items != (lists{}) {
			filled = filled.or(request.of)
		}
	}
	s.moved(p, id, filled)
	return id, true, nil
}

// at returns the session in a program that knows it.
func (s *session) at(p *program) (place, bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.used = time.Now()
	at, known := s.places[p.generation]
	return at, known
}

// replay returns the client's handshake: initialize, and the messages after its answer.
func (s *session) replay() (initialize []byte, rest [][]byte) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.handshake.request(), s.handshake.following()
}

// moved notes that a program knows the session, and the lists in which it may have items.
func (s *session) moved(p *program, id string, filled lists) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.handshake.announced = s.handshake.announced.or(filled)
	left := map[*program]bool{} // by clients that may come back
	for _, r := range s.requests {
		left[r.program] = true
	}
	for generation, at := range s.places {
		if at.program.HasExited() && !left[at.program] {
			delete(s.places, generation)
		}
	}
	s.places[p.generation] = place{p, id}
}

// begin notes a message of the client that a program is about to get, and the requests in it.
func (s *session) begin(m *jsonrpc.Message, requests []*pending) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.handshake.observe(m)
	for _, r := range requests {
		r.session = s
		s.requests[r.id] = r
	}
}

// remove removes a request that has ended.
func (s *session) remove(r *pending) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.requests[r.id] == r {
		delete(s.requests, r.id)
	}
}

// request returns the request with an id, or nil.
func (s *session) request(id []byte) *pending {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.requests[string(id)]
}

// requestsOf returns the requests that a program has. Nil stands for all programs.
func (s *session) requestsOf(p *program) (requests []*pending) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, r := range s.requests {
		if p == nil || r.program == p {
			requests = append(requests, r)
		}
	}
	return requests
}

// asker returns the program that asked the client a question, by the id of the client's answer,
// and the id as that program knows it. The program is nil if the id isn't of a question.
func (s *session) asker(id []byte) (p *program, original []byte) {
	generation, original, ok := unmark(id)
	if !ok {
		return nil, nil
	}
	return s.programOf(generation), original
}

// programOf returns the program of a generation that knows the session, or nil.
func (s *session) programOf(generation int) *program {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.places[generation].program
}

// answered notes an answer that the client gets.
func (s *session) answered(m *jsonrpc.Message) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.handshake.observeAnswer(m)
}

func (s *session) client() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.handshake.client()
}

// announced returns the lists of whose changes the client hears when a program replaces another:
// those in which a program so far has had items.
func (s *session) announced() lists {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.handshake.announced
}

// listens notes that the client opens a stream of the session, or n = -1 that one has ended.
func (s *session) listens(n int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.streams += n
	s.used = time.Now()
}

// idle reports whether the client hasn't used the session for a long time. The app has dropped
// it then.
func (s *session) idle() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.streams == 0 && time.Since(s.used) > sessionIdle
}

// sessionIdle is how long a session is kept for a client that doesn't use it.
const sessionIdle = time.Hour
