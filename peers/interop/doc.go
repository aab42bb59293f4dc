// Package interop drives the reference app with the MCP clients of other
// projects: the official Go SDK, mcp-go, both major versions of the official
// TypeScript SDK, and the command line of the MCP Inspector.
//
// It has tests only. They build the app, start it once with "serve" and once per
// client with "start demo", and ask the same of every client, over HTTP and
// stdio, in both protocol eras. It is a module of its own, so the framework
// depends on none of these clients, and it never imports the framework: what it
// knows of the app is what any client can know.
package interop
