package exchange

import (
	"context"
	"net/netip"
	"time"
)

// A Link is what the engine does for a [Request]. Programs have no use for it.
type Link interface {
	Context() context.Context // with the values of the transport
	Client() []byte           // raw Implementation, or nil
	Capabilities() []byte     // raw ClientCapabilities, or nil
	Session() string
	ProtocolVersion() string
	Method() string
	Params() []byte // raw object, or nil
	Meta() []byte   // raw object, or nil
	PathValue(name string) string
	Address() netip.Addr // of the client, invalid if there is none
	Set(key string, value any)
	Value(key string) any
	Progress(done, total float64, message string) error
	Notify(method string, params []byte) error
	CloseStream(retry time.Duration)

	// Ask returns the client's raw answers, in order, or the error that the handler
	// is to return.
	Ask(ctx context.Context, questions []Asked) ([][]byte, error)
	Refuse(key, reason string)           // an answer that can't be used
	Kept(key string) []byte              // raw JSON, nil if nothing was kept
	Keep(key string, raw []byte)         // for the rounds of the call
	Logs(level string) bool              // whether the client wants messages of the level
	Log(level string, data []byte) error // data is raw JSON
}

// An Asked is a question as the engine puts it.
type Asked struct {
	Key, Method string
	Params      []byte // raw object
	Early       bool   // whether an answer counts that comes unasked
}

// New returns a request that works by the link. It is for the engine.
func New(link Link) Request { return Request{link} }
