// Package protocol takes one scanned message, decides by the message itself what it asks
// for, and lets package call answer it.
//
// The modern protocol (2026-07-28) is a function of one message, so there is no
// session, connection or goroutine here, but for the followers (package changes) of
// clients that listen to a server's changes. HTTP, stdio and memory transports hand in
// a [call.Arrival]; the legacy wing, which keeps the sessions of older clients, enters
// one step later, at [Core.Dispatch].
//
// The way of one message:
//
//	Serve     era → envelope → headers → version        (modern only)
//	Dispatch  method → registry → operation → result    (both eras)
//
// The package knows handlers only by the operations in its [Registry]. Definitions and
// results come in their newest shape; package spec cuts them down for older clients.
package protocol
