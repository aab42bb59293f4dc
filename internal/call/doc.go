// Package call runs one request: a [Call] connects a handler with its client, a [Table]
// has the running calls of a client, and a [Lifecycle] has those of the program.
//
// A call passes these steps:
//
//	Begin      refuse it if the program stops or the id is in use
//	Run        run the operation under a deadline; a panic becomes an error
//	conclude   answer once, with a question, an error or the result
//
// Calls are not reused, so a handler may keep its context and its request.
package call
