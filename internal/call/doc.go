// Package call is one request from its arrival to its end: the [Call], which a handler
// and its client talk through, the [Table] of a client's running calls, and the
// [Lifecycle] of all calls of a program.
//
// The way of a call:
//
//	Begin      the program takes calls, and the id is free
//	Run        the operation, under a deadline; a panic is an error
//	answer     a question, an error or the result, once
//
// A call is never used again, so a handler may keep its context and its request.
package call
