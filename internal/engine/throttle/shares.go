package throttle

import (
	"log/slog"
	"math"
	"net/http"
	"runtime"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Shares are the resources that the clients of a program share.
type Shares struct {
	Memory  Share // bytes of the messages that are being received, wait, or run
	Calls   Share // calls that run over HTTP
	Streams Share // streams that are open

	// Connections are open connections of an HTTP server that the program runs itself.
	Connections Share

	// Sessions limits the sessions of one client with each server. The table of a server's
	// sessions counts them.
	Sessions Share

	// Client identifies the client of a request.
	Client func(*http.Request) Key

	// Queue runs the calls that count towards their client.
	Queue FairQueue

	// Requests runs the requests that carry no message, such as those for tokens.
	Requests Semaphores
}

// Config has the limits of shares. In all fields but Key and Logger, 0 means the default.
type Config struct {
	Body          int // the most bytes of one message
	Memory        int // bytes of the messages of all clients
	ClientMemory  int // bytes of the messages of one client
	ClientCalls   int // running calls of one client
	ClientStreams int // open streams of one client

	ClientConnections int // open connections of one address

	Sessions       int // of a server
	ClientSessions int // of one client

	Key    func(*http.Request) Key
	Logger *slog.Logger
}

// NewShares returns shares with the given limits.
func NewShares(c Config) *Shares { return newShares(c, descriptorLimit()) }

// newShares returns shares for a process that may have so many descriptors open, 0 if that is
// unknown.
func newShares(c Config, descriptors int64) *Shares {
	streams, connections := int64(limits.MaxStreams), int64(limits.MaxStreams)
	if descriptors > 0 {
		streams, connections = min(streams, max(descriptors/2, 1)), max(descriptors/limits.ConnectionShare, 1)
	}
	memory := or(c.Memory, limits.Memory)
	share := func(limit, client, spare int64, unit, setting string) Share {
		return Share{Limit: limit, Client: min(client, limit), Spare: spare, Unit: unit, Setting: setting, Key: c.Key, Logger: c.Logger}
	}
	return &Shares{
		Client: c.Key, Requests: Semaphores{Capacity: limits.RequestCapacity, Patience: limits.RequestPatience},
		Memory: share(memory, or(c.ClientMemory, max(int(memory)/limits.MemoryShare, 2*c.Body)), min(limits.SpareMemory, memory), "bytes", "Config.ClientMemory (APP_CLIENT_MEMORY)"),
		Calls:  share(math.MaxInt64, or(c.ClientCalls, limits.ClientCalls), int64(runtime.GOMAXPROCS(0)), "running calls", "Config.ClientCalls (APP_CLIENT_CALLS)"),
		Streams: share(streams, or(c.ClientStreams, max(int(streams)/limits.StreamShare, 1)), streams/2, "open streams",
			"Config.ClientStreams (APP_CLIENT_STREAMS)"),
		Connections: share(math.MaxInt64, or(c.ClientConnections, int(connections)), 0, "connections", "Config.ClientConnections (APP_CLIENT_CONNECTIONS)"),
		Sessions:    share(math.MaxInt64, or(c.ClientSessions, max(c.Sessions/limits.SessionShare, limits.ClientCalls)), 0, "sessions", "Config.ClientSessions (APP_CLIENT_SESSIONS)"),
	}
}

// A Stream holds the units of one open stream. The zero value holds none.
type Stream struct{ stream, memory Holding }

// Open counts a stream and its memory, or returns why it is refused. The request is nil on
// transports other than HTTP. See Share.Take for locks.
func (s *Shares) Open(h *Stream, r *http.Request) *exchange.Error {
	if refusal := s.Streams.Take(&h.stream, 1, r); refusal != nil {
		return refusal
	}
	refusal := s.Memory.Take(&h.memory, limits.StreamCost, r)
	if refusal != nil {
		s.Streams.Return(&h.stream)
	}
	return refusal
}

// Close returns the units of a stream.
func (s *Shares) Close(h *Stream) {
	s.Streams.Return(&h.stream)
	s.Memory.Return(&h.memory)
}

// or returns a setting, or its default if it is 0.
func or(setting, value int) int64 {
	if setting == 0 {
		return int64(value)
	}
	return int64(setting)
}
