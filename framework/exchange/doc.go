// Package exchange has the request being served, as every handler sees it: who the
// client is, what it sent beside the arguments, and how to tell it something
// before the answer. It also has the errors that become JSON-RPC errors.
package exchange
