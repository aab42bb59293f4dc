package throttle

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// Each connection and each stream needs a descriptor, and others must be left for other clients.
func TestSharesFollowTheDescriptors(t *testing.T) {
	t.Parallel()
	for descriptors, want := range map[int64]struct{ streams, client, spare, connections int64 }{
		0:          {20_000, 2000, 10_000, 20_000}, // unknown
		1:          {1, 1, 0, 1},
		64:         {32, 3, 16, 16},
		1024:       {512, 51, 256, 256},
		1_000_000:  {20_000, 2000, 10_000, 250_000},
		1000 << 20: {20_000, 2000, 10_000, 250 << 20},
	} {
		s := newShares(Config{}, descriptors)
		if s.Streams.Limit != want.streams || s.Streams.Client != want.client || s.Streams.Spare != want.spare || s.Connections.Client != want.connections {
			t.Errorf("of %d descriptors: %d streams, %d of a client, %d spare, and %d connections of an address, want %+v",
				descriptors, s.Streams.Limit, s.Streams.Client, s.Streams.Spare, s.Connections.Client, want)
		}
	}
	set := newShares(Config{ClientConnections: 7, ClientStreams: 8}, 1024)
	if set.Connections.Client != 7 || set.Streams.Client != 8 {
		t.Errorf("with settings: %d connections, %d streams", set.Connections.Client, set.Streams.Client)
	}
}

// A client may send two messages of the largest size at once, and a client of a program with few
// sessions may have as many as calls.
func TestAClientsShareHasALowerBound(t *testing.T) {
	t.Parallel()
	for body, want := range map[int]int64{1: 12, 10: 20, 100: 100} {
		if got := NewShares(Config{Memory: 100, Body: body}).Memory.Client; got != want {
			t.Errorf("with bodies of %d bytes of 100, a client has %d, want %d", body, got, want)
		}
	}
	for sessions, want := range map[int]int64{0: limits.ClientCalls, 1_000_000: 1_000_000 / limits.SessionShare} {
		if got := NewShares(Config{Sessions: sessions}).Sessions.Client; got != want {
			t.Errorf("of %d sessions, a client has %d, want %d", sessions, got, want)
		}
	}
}
