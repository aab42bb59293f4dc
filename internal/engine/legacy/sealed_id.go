package legacy

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A sealedID is what the id of a session contains: all that another process needs to revive
// the session. The client can neither read nor change it.
type sealedID struct {
	Process      string      `json:"p"` // the handler that served initialize
	Begun        int64       `json:"b"` // when it did, in Unix seconds
	Version      string      `json:"v"`
	Info         codec.Value `json:"i,omitempty"`
	Capabilities codec.Value `json:"c,omitempty"`
}

// newSession returns a session for the client of an initialize request, which isn't open yet.
// If the session's state is too large for an id, the id is random, and works only in this
// process.
func (s *sessions) newSession(owner place, peer call.Peer) *session {
	now := time.Now()
	state := sealedID{s.process, now.Unix(), peer.Version.String(), peer.Info, peer.Capabilities}
	made := &session{place: owner, sealed: Sealed{ID: s.seal(owner, state), Expires: now.Add(s.config.Life)}}
	if len(made.sealed.ID) > limits.MaxSessionID {
		state.Info = withoutPictures(state.Info)
		made.sealed.ID = s.seal(owner, state)
	}
	if made.sealed.ID == "" || len(made.sealed.ID) > limits.MaxSessionID {
		made.sealed.ID = rand.Text()
	}
	return made
}

// seal returns the id for a state, "" if it can't be encoded.
func (s *sessions) seal(owner place, state sealedID) string {
	encoded, err := codec.Marshal(state)
	if err != nil {
		return ""
	}
	return s.core.Server().Seal.Seal(s.purpose(owner), encoded)
}

// opened returns the session that an id contains, and its client, if a process has sealed it with
// the same key, for this server and for the same place, and it hasn't expired.
func (s *sessions) opened(owner place, id string) (made *session, peer call.Peer, ok bool) {
	if len(id) > limits.MaxSessionID {
		return nil, peer, false
	}
	var state sealedID
	encoded, ok := s.core.Server().Seal.Open(s.purpose(owner), id)
	if !ok || codec.Unmarshal(encoded, &state) != nil {
		return nil, peer, false
	}
	begun, version := time.Unix(state.Begun, 0), spec.ParseVersion(state.Version)
	switch {
	case time.Since(begun) >= s.config.Life:
		return nil, peer, false
	case !slices.Contains(s.core.Versions().Legacy(), version): // the settings have changed
		return nil, peer, false
	}
	peer.Client = request.Client{Version: version, Info: bytes.Clone(state.Info), Capabilities: bytes.Clone(state.Capabilities)}
	return &session{place: owner, sealed: Sealed{id, begun.Add(s.config.Life), state.Process != s.process}}, peer, true
}

// purpose returns the text to which an id is bound.
func (s *sessions) purpose(owner place) string {
	return fmt.Sprintf("session of %q with %q at %q for %q", s.config.App, s.core.Server().Scope, owner.path, owner.principal)
}

// withoutPictures returns clientInfo without the members that have many bytes and that only a
// user would look at.
func withoutPictures(info codec.Value) codec.Value {
	var members map[string]codec.Value
	if codec.Unmarshal(info, &members) != nil {
		return info
	}
	delete(members, "icons")
	delete(members, "description")
	less, err := codec.Marshal(members)
	if err != nil {
		return info
	}
	return less
}

// A place is what a session belongs to besides its client: no other principal may use the
// session, and no other path, which may name a tenant.
type place struct{ principal, path string }

// placeOf returns the place of a request.
func (s *sessions) placeOf(r *http.Request) place {
	return place{s.core.Server().Principal(r.Context()), r.URL.Path}
}
