package legacy

import (
	"context"
	"errors"
	"time"
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
}
