// Package jsonrpc reads and writes JSON-RPC 2.0 messages as MCP uses them: one
// walk over the bytes of a message finds everything that the engine decides on,
// and replies are appended to a buffer, never built as a tree.
package jsonrpc
