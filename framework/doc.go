// Package framework is a map and has no code. The folders beside it are what a
// program imports; framework/X has the base of what an app keeps in app/mcp/X.
//
// # Entry points
//
//	mcp          App, Router and Config: what main and routes/ai.go use
//	transport    carrying MCP over something other than HTTP and stdio
//	mcptest      tests of tools and servers, through the real engine
//
// # What an app is made of
//
//	servers      the base of a server: its tools, its name, what it adds when it boots
//	tools        the base of a tool: arguments, results, streams, errors
//	resources    the base of a resource, or a template of many: URIs, variables, contents
//	prompts      the base of a prompt: arguments, messages, errors
//
// # How these are described
//
//	schema       the JSON that a tool takes and returns
//	content      the blocks of a result: text, image, audio, resource, link
//	completion   suggestions for an argument of a prompt or a variable of a template
//	annotations  the hints of a tool: read-only, destructive, idempotent, open world
//	ask          questions to the client and their answers: forms, confirmations, URLs, samples, roots
//	exchange     the request being served, and the errors that clients see
//
// # What handlers use
//
//	retry        repeating work that failed for a moment
//
// # What runs around handlers
//
//	guardrails   functions around calls, reads, gets, lists and completions: time, rate, size, permission, audit
//	events       reports of what servers do: called, failed, cancelled, started
//
// # What main sets up
//
//	env          settings from the environment and .env
//	logging      a log that never makes a call wait
//	validation   rules on the structs that arguments are bound to
//
// # Who may import whom
//
// The arrows point one way. A package imports those to its right and below, never
// one to its left or above:
//
//	mcptest → mcp → servers → tools → exchange → content
//	                            └───→ schema, annotations
//
// Only mcp touches the engine, which is in internal; the others share with it a few
// packages there that have no engine in them, such as internal/request. No package here
// imports the reference app (main, routes, config, app). The test beside this file
// has the whole table and fails when an import is not in it; docs/architecture.md
// explains it.
package framework
