package proxy

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// The headers of a session.
const (
	sessionID       = "Mcp-Session-Id"
	protocolVersion = "Mcp-Protocol-Version"
	lastEventID     = "Last-Event-Id"
)

// A session belongs to a client before 2026-07-28. It outlives programs: each new one gets the
// client's handshake before its first request, and knows the session by another id.
type session struct {
	id     string // the id that the client knows
	uri    string // the URI of the route
	client *client

	connecting sync.Mutex // held while a program gets the handshake

	// Guarded by the lock of the set.
	digest  [sha256.Size]byte   // the digest of the Authorization in the newest request that a program accepted
	ids     map[*program]string // the session's id in each program that knows it; "" if the program keeps no sessions
	streams map[string]*program // the programs that have the streams of calls, by the part that the ids of their events share
	used    time.Time
}

// newSession returns the session that a program has begun with the answer to a request.
func newSession(id string, r *http.Request, c *client, p *program) *session {
	return &session{id: id, uri: r.URL.RequestURI(), client: c, digest: digestOf(r), ids: map[*program]string{p: id}, streams: map[string]*program{}, used: time.Now()}
}

// digestOf returns the digest of a request's credentials.
func digestOf(r *http.Request) [sha256.Size]byte {
	return sha256.Sum256([]byte(r.Header.Get("Authorization")))
}

// isOf reports whether a request has the credentials of the session's client. The caller holds the
// lock.
func (s *session) isOf(r *http.Request) bool { return s.digest == digestOf(r) }

// connect returns the session's id in a program. If the program doesn't know the session
// yet, it gets the handshake first, with the headers of the request; moved is true then.
func (x *Proxy) connect(ctx context.Context, s *session, p *program, r *http.Request) (id string, moved bool, err error) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	x.Lock()
	s.used = time.Now()
	id, known := s.ids[p]
	isOf, name := s.isOf(r), s.client.Name()
	x.Unlock()
	switch {
	case known:
		return id, false, nil
	case !isOf:
		return "", false, fmt.Errorf("the session of %s isn't moved to the new program by a request with other credentials; the client has to begin again", name)
	}
	header := r.Header.Clone()
	for _, name := range []string{sessionID, protocolVersion, lastEventID, "Content-Length", "Content-Encoding", "Accept-Encoding", "Connection"} {
		header.Del(name)
	}
	p.Transport.addClient(header, r.RemoteAddr)
	header.Set("Host", r.Host)
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	initialized := false
	send := func(message []byte) (*jsonrpc.Message, error) {
		response, body, err := p.Transport.post(ctx, s.uri, header, message)
		if err != nil {
			return nil, err
		}
		answer := &jsonrpc.Message{}
		err = answer.Scan(body) // a list that the program doesn't return may have items
		if initialized {
			return answer, nil
		}
		if response.StatusCode != http.StatusOK || err != nil || answer.Result == nil {
			return nil, fmt.Errorf("the new program refuses the session of %s with status %d", name, response.StatusCode)
		}
		var result struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		_ = codec.Unmarshal(answer.Result, &result)
		header.Set(protocolVersion, result.ProtocolVersion)
		if id = response.Header.Get(sessionID); id != "" {
			header.Set(sessionID, id)
		}
		initialized = true
		return answer, nil
	}
	err = s.client.Introduce(send, func() error {
		maps.DeleteFunc(s.ids, func(before *program, _ string) bool {
			return before.HasExited() && len(s.client.RequestsOf(before)) == 0 // or else the client may come back for an answer
		})
		maps.DeleteFunc(s.streams, func(_ string, before *program) bool { _, known := s.ids[before]; return !known })
		s.ids[p] = id
		return nil
	})
	return id, true, err
}
