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

	Line       int           // bytes of a line on a byte stream
	Calls      int           // running at once on a byte stream
	Drain      time.Duration // for the calls that run when a byte stream ends
	DrainGrace time.Duration // for cancelled calls to say so
}
