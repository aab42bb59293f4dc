// Package protocol serves messages. A message alone decides what is done with it: its era,
// its method, and the operation that package call runs.
//
// A modern request (2026-07-28) needs no session, so this package keeps no state about
// clients but the open streams of subscriptions/listen. Transports pass a [call.Arrival] to
// [Core.Serve]. Package legacy keeps the sessions of older clients and calls
// [Core.Dispatch].
//
// The steps of a message:
//
//	Serve     era → envelope → headers → version        (modern only)
//	Dispatch  method → registry → operation → result    (both eras)
//
// The package knows handlers only as the operations in its [Registry]. Definitions and
// results have their newest shape; package spec downgrades them for older clients.
package protocol
