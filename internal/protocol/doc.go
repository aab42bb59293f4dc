// Package protocol is the engine: it takes one scanned message, decides by the
// message itself what it asks for, and writes the answer to a [Reply].
//
// The modern protocol (2026-07-28) is a function of one message, so there is no
// session, connection or goroutine here, but for the [Follower]s of clients that
// listen to a server's changes. HTTP, stdio and memory transports hand in an
// [Arrival]; the legacy wing, which keeps the sessions of older clients,
// enters one step later, at [Core.Dispatch].
//
// The way of one message:
//
//	Serve     era → envelope → headers → version        (modern only)
//	Dispatch  method → registry → handler → result      (both eras)
//
// The package knows handlers only by the functions in its [Registry]. It is the
// only package that knows version numbers: definitions and results come in their
// newest shape, and are cut down here for older clients.
package protocol
