// Package interop tests the reference app with the MCP clients of other projects: the
// official Go SDK, mcp-go, both major versions of the official TypeScript SDK, and the
// command line of the MCP Inspector.
//
// It contains only tests. They build the app, start it once with "serve" and once per
// client with "start demo", and run the same checks with every client, over HTTP and stdio,
// in both protocol eras. Clients also log in to guarded servers, with a real OpenID provider
// and with the framework's own authorization server, whose pages Chromium clicks through. It
// also calls a tool on the web page of the Inspector. The package is a separate module, so that
// the framework depends on none of these clients. It never imports the framework, so it knows
// the app only as clients do.
package interop
