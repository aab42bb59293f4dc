// Package transport carries messages between clients and a [protocol.Core]: over
// HTTP ([HTTP]) and over a pair of byte streams such as stdin and stdout ([Stdio]).
// It bounds what a client may send, and how long it may take.
//
// Messages of clients that begin with a handshake go to a [Legacy], which this
// package declares and package legacy fits.
package transport

import (
	"net/http"
	"time"
)

// Limits bound what a client may use of a transport. All but Throttle are required.
type Limits struct {
	Depth     int           // of the nesting of a message
	Body      int64         // bytes of an HTTP body
	BodyTime  time.Duration // to read one
	WriteTime time.Duration // for a client to take what a stream sends
	KeepAlive time.Duration // between comments on a quiet stream

	// Throttle counts an HTTP request, and returns how long its client has to wait if
	// there are too many, in whole seconds. Nil takes all.
	Throttle func(*http.Request) time.Duration

	Line       int           // bytes of a line on a connection
	Calls      int           // running at once on a connection
	Drain      time.Duration // for the calls that run when a connection ends
	DrainGrace time.Duration // for cancelled calls to say so
}
