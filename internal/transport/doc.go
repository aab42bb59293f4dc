// Package transport carries messages between clients and a [protocol.Core]: over
// HTTP ([HTTP]) and over a pair of byte streams such as stdin and stdout ([Stdio]).
// It bounds what a client may send, and how long it may take.
//
// Messages of clients that begin with a handshake go to a [Wing], which this
// package declares and package legacy fits.
package transport
