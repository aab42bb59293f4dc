// Package transport carries messages between clients and a [protocol.Core]: over
// HTTP ([HTTP]) and over a pair of byte streams such as stdin and stdout ([NewStdio]).
// It bounds what a client may send, and how long it may take.
//
// Package legacy implements [Legacy], which serves clients that begin with a handshake.
package transport

import (
	"net/http"
	"time"
)

// Limits bound what a client may use of a transport. All but Throttle are required.
type Limits struct {
	Depth     int           // of the nesting of a message
	Body      int64         // bytes of an HTTP body
	BodyTime  time.Duration // to read a body
	WriteTime time.Duration // for a client to read an event or an answer
	KeepAlive time.Duration // between comments on a quiet stream

	// Throttle counts an HTTP request, and returns how long the client has to wait, in
	// whole seconds, or 0. Of a request with n messages it is called again with n, counts
	// the further ones, and returns a negative time if so many can never come at once. It
	// may be nil.
	Throttle func(r *http.Request, n int) time.Duration

	Line       int           // bytes of a line on a connection
	Calls      int           // running at once on a connection
	Drain      time.Duration // for the calls that run when a connection ends
	DrainGrace time.Duration // for cancelled calls to answer
}
