package requestlog

import (
	"encoding/hex"
	"math/rand/v2"
)

// An ID identifies a request in the log, and in what its client reads about a failure. It is
// random, so that it doesn't repeat after a restart or in another process, and short, so that a
// person can read it out: one of a million requests has the same as another with a probability
// of 1 in 4000.
type ID uint32

// NewID returns the ID of another request.
func NewID() ID { return ID(rand.Uint32()) } //nolint:gosec // not a secret

// String returns the ID as the log has it, such as 8f3a12c7.
func (id ID) String() string {
	var text [8]byte
	hex.Encode(text[:], []byte{byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)})
	return string(text[:])
}
