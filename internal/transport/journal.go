package transport

import "time"

// A Journal keeps records of the streams that answers have become.
type Journal interface {
	// Resumes reports whether the client comes back for the rest of a stream whose
	// connection has ended.
	Resumes() bool

	// Begin begins the record of a stream that the outlet carries.
	Begin(outlet Outlet) Record
}

// A Record keeps what a stream sends, so that a client whose connection has broken can
// have the rest on another.
type Record interface {
	// Send sends a message, given in pieces, on the connection that carries the stream
	// at the moment, if any does.
	Send(message ...[]byte) error

	// End ends the stream with its last message, or without one.
	End(message ...[]byte)

	// HangUp ends the connection, but not the stream. The client is told to come back
	// after that time.
	HangUp(retry time.Duration)
}

// An Outlet is a connection that carries a stream of events.
type Outlet interface {
	// Event sends an event. One without a message tells only its id.
	Event(id []byte, message ...[]byte) error

	// HangUp ends the connection; a retry of more than 0 tells the client when to come
	// back. It cuts off what is being sent, rather than wait. It reports false if
	// the connection can't end before the call does that it was made for.
	HangUp(retry time.Duration) bool
}
