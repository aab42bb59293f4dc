// Package transport carries messages between clients and a [protocol.Core]: over
// Streamable HTTP ([HTTP]), the older HTTP with SSE ([SSE]), stdio ([NewStdio]), and the
// program's own transports ([NewCustom]). It limits how much a client may send, and how
// long that may take.
//
// A transport passes each message to the core, together with a reply that writes the
// answer. The messages of clients that begin with a handshake go to a [Legacy] instead,
// which package legacy implements.
package transport

import (
	"net/http"
	"time"
)

// Limits bound what a client may use of a transport. All but Throttle are required.
type Limits struct {
	Depth     int           // levels of nesting in a message
	Body      int64         // the most bytes of an HTTP body
	BodyTime  time.Duration // to read a body
	WriteTime time.Duration // how long a client may take to read an event or an answer
	KeepAlive time.Duration // between comments on a quiet stream, and until a quiet call becomes one

	// Throttle counts an HTTP request. It returns how long the client has to wait, in
	// whole seconds, or 0. If the request turns out to be a batch of n messages, Throttle
	// is called again with n and counts the others. It returns a negative time if no
	// client may ever send so many at once. It may be nil.
	Throttle func(r *http.Request, n int) time.Duration

	Line       int           // bytes of a line on a connection
	Calls      int           // running at once on a connection
	Drain      time.Duration // how long running calls may take to end after the connection
	DrainGrace time.Duration // how long canceled calls may take to answer
}
