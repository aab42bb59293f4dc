// Package store defines where the processes of a program keep the state that they share: the
// sessions of clients, the events of streams, the answers to questions.
//
// A program that runs as one process needs no store: it keeps such state in its memory. A
// program that runs as several processes gives them one store, so that a client may reach
// another process with each request.
//
// # Truth and wake-ups
//
// A [Store] has three parts. A [KV] has values by their keys. A [Log] has streams of events.
// These two are the truth: what one process has written, every other one reads. A [Bus]
// wakes: a process publishes that something has changed, and the others read it from the truth.
// A message of the bus may be lost, so whoever waits for one also reads again from time to
// time. It may come twice or late, so it carries only what is harmless to lose and to repeat,
// such as the id of a call to cancel, or that a list has changed.
//
// Waiting for an answer, for example, takes three steps:
//
//  1. Note that messages with the topic wake this goroutine.
//  2. Read the key. If the answer is there, return it.
//  3. Wait for a wake-up, and at most a second; then continue with step 2.
//
// # Drivers
//
// A driver is a type that implements Store. [Memory] is one for several Apps of one process,
// and for tests. The package storetest checks that a driver keeps its promises.
//
// Every method follows these rules:
//
//   - It may be called from several goroutines.
//   - It returns by the deadline of its context, and soon after the context was canceled, with
//     an error that wraps the context's. It has no timeout of its own.
//   - If it returns an error other than [ErrNotFound], [ErrConflict] and [ErrTooLarge], the caller
//     doesn't know whether the change was made.
//   - It doesn't keep or change a slice of bytes that the caller passes. A slice that it returns
//     belongs to the caller. A nil slice and an empty one are the same.
//   - Keys, streams and topics are any bytes, not only UTF-8. Their names are apart: a key and a
//     stream may have the same one.
//   - The clock of the store counts, since the clocks of the processes may differ. A driver
//     may round a ttl up to whole milliseconds. A ttl is more than 0: everything in a store
//     expires, so that processes which crash leave nothing behind.
package store
