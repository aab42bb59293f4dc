// Package framework has no code; it documents the packages below it. A program imports
// those. For the types in app/mcp/X, framework/X has the base type.
//
// # Entry points
//
//	mcp          App, Router and Config: what main and routes/ai.go use
//	transport    custom transports, other than HTTP and stdio
//	mcptest      tests of tools and servers through the real engine
//
// # Parts of an app
//
//	servers      the base of a server: its name, tools, resources and prompts
//	tools        the base of a tool: arguments, results, streams, errors
//	resources    the base of a resource or a template: URIs, variables, contents
//	prompts      the base of a prompt: arguments, messages, errors
//
// # Descriptions and contents
//
//	schema       JSON Schemas of the arguments and results of tools
//	content      the blocks of a result: text, image, audio, resource, link
//	completion   suggestions for an argument of a prompt or a variable of a template
//	annotations  the hints of a tool: read-only, destructive, idempotent, open world
//	ask          questions to the client and their answers: forms, confirmations, URLs, samples, roots
//	exchange     the request being served, and the errors that clients see
//
// # Inside handlers
//
//	retry        retries of work that fails temporarily
//
// # Around handlers
//
//	guardrails   timeouts, limits of rate and size, permissions, audit
//	events       notifications for the program: called, failed, cancelled, started
//
// # Authorization
//
//	auth          guards of routes: access tokens of any issuer, scopes, challenges
//	auth/jose     signatures and keys of access tokens
//	auth/authtest issuers of access tokens for tests
//	auth/oauth    an authorization server of the program's own
//	auth/login    ways to log in to it: names and passwords
//	auth/upstream ways to log in to it: GitHub, Google, OpenID providers
//
// # State that processes share
//
//	store           sessions, events and wake-ups; the store in memory
//	store/storetest checks of a driver
//
// # Databases
//
//	database/sqldb     an SQL database with migrations
//	database/sqlite    opens an SQLite database, a file
//	database/postgres  opens a PostgreSQL database
//	database/redis     opens a Redis database
//
// # The records of an authorization server
//
//	auth/oauth/store            the records of a store: clients, users, grants, tokens
//	auth/oauth/store/sqlite     the default store
//	auth/oauth/store/postgres   a store for several machines
//	auth/oauth/store/redis      a store for several machines
//	auth/oauth/store/memory     a store for tests
//	auth/oauth/store/storetest  checks of a store
//
// # Setup in main
//
//	env          settings from the environment and .env
//	logging      a log that never blocks a call
//	validation   rules for the structs that arguments are bound to
//
// # Imports
//
// Imports have one direction. A package imports those to its right and below, never one
// to its left or above:
//
//	mcptest → mcp → servers → tools → exchange → content
//	                            └───→ schema, annotations
//
// Only mcp imports the engine, which is in internal/engine. The other packages share a few
// packages with it, such as internal/engine/request. No package here imports the reference
// app (main, routes, config, app). The file groups_test.go lists which groups of packages
// may import which; docs/architecture.md explains it.
package framework
