package legacy

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// ErrEnded is the error for a session that has ended.
var ErrEnded = errors.New("the session has ended")

// Records have what a program knows of its sessions beyond their ids. [EndedMemory] has those
// of one process, and [SharedRecords] those of several.
type Records interface {
	// Load returns what the client of a session has set, or ErrEnded. Any other error says that
	// the records can't be reached.
	Load(ctx context.Context, s Sealed) (Settings, error)

	// End records that a session has ended.
	End(ctx context.Context, s Sealed) error
}

// A Sealed session is a session as its id describes it.
type Sealed struct {
	ID      string
	Expires time.Time // after which no process revives it
	Revived bool      // whether another process has begun it
}

// Settings are what the client of a session has set since initialize. One process doesn't
// record them.
type Settings struct {
	Level string   `json:"level,omitempty"` // of logging/setLevel, "" for the default
	URIs  []string `json:"uris,omitempty"`  // of resources/subscribe

	// Since has the times of the latest subscriptions, by URI. Processes that hear of one later
	// notify the client of what has changed since then.
	Since map[string]time.Time `json:"since,omitempty"`
}

// subscribe adds a resource, or removes it if follows is false.
func (s *Settings) subscribe(uri string, follows bool) {
	normal, now := naming.NormalizeURI(uri), time.Now()
	s.URIs = slices.DeleteFunc(s.URIs, func(other string) bool { return naming.NormalizeURI(other) == normal })
	maps.DeleteFunc(s.Since, func(other string, at time.Time) bool {
		return naming.NormalizeURI(other) == normal || now.Sub(at) > limits.RecentTime
	})
	if !follows {
		return
	}
	s.URIs = append(s.URIs, uri)
	if s.Since == nil {
		s.Since = map[string]time.Time{}
	}
	s.Since[uri] = now
}
