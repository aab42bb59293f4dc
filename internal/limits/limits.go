// Package limits has the numbers that bound a server: the defaults of the settings that users may change, and the limits
// that are fixed. Each says what happens beyond it.
//
// A few numbers are not here. Users read content.MaxBytes, completion.Max, the tokens of ask.Sample and the attempts of
// package retry where they use them. A number that only makes an algorithm fast, such as the size of a buffer, stays with
// the algorithm.
package limits

import "time"

// Messages, on every transport.
const (
	// MaxBody is the default of Config.MaxBody: the bytes of an HTTP body. A longer one is refused with 413.
	MaxBody = 4 << 20
	// MaxLine is the default of Config.MaxLine: the bytes of a line on stdio, or of a message on a transport of the
	// program's own. A longer one is skipped and answered with a parse error without an id.
	MaxLine = 4 << 20
	// MaxDepth is the default of Config.MaxDepth: how deep objects and arrays may be nested in a message. A deeper
	// message is refused as malformed. Where no setting applies, messages are read to this depth.
	MaxDepth = 64
	// MaxID is how many bytes the raw id of a request may have: it is kept as long as a stream is open, and sent with
	// each notification there. A request with a longer one is refused. MCP sets no limit.
	MaxID = 1 << 10
	// MaxBatch is how many messages a batch may have, since the answers are held until all are there. A larger batch is
	// refused as a whole. Only protocol version 2025-03-26 has batches.
	MaxBatch = 100
	// BatchCalls is how many calls of a batch run at once, so that one message doesn't take the whole machine. The
	// others wait.
	BatchCalls = 8
	// MaxLogged is how many bytes of a client's text, such as the name of a method, the log line of a call shows. The
	// rest is cut.
	MaxLogged = 100
	// MaxAudited is how many bytes of an argument the line of guardrails.Audit shows. The rest is cut.
	MaxAudited = 256
)

// What the clients of a program hold at once, over HTTP and on all other transports.
const (
	// Memory is the default of Config.Memory: how many bytes the messages that arrive, wait or run may have together,
	// with what sessions and subscriptions keep. Beyond it a request is refused with 503 before more of it is read.
	Memory = 256 << 20
	// MemoryShare is the part of Memory that one client may hold, and the default of Config.ClientMemory: a quarter.
	// Beyond it the client is refused with 429. This and the shares below hold for clients over HTTP.
	MemoryShare = 4
	// SpareMemory is how many bytes may be held in all before bytes count towards clients, so that an idle server need
	// not tell its clients apart.
	SpareMemory = 1 << 20
	// ClientCalls is the default of Config.ClientCalls: how many calls of one client may run. Beyond it the client is
	// refused with 429.
	ClientCalls = 64
	// RefusalDelay is how long the answer to a client that has its share is delayed.
	RefusalDelay = 100 * time.Millisecond
	// MaxStreams is how many streams may be open, or half of the file descriptors of the process if that is less. The
	// next one is refused with 503.
	MaxStreams = 20_000
	// StreamShare is the part of the streams that one client may have once half of them are open, and the default of
	// Config.ClientStreams: a tenth. Beyond it the client is refused with 429.
	StreamShare = 10
	// SessionShare is the part of Config.Sessions that one client may have once half of them are open, and the default
	// of Config.ClientSessions: a tenth. Beyond it the client is refused with 429.
	SessionShare = 10
)

// HTTP.
const (
	// MaxHeaderBytes is how many bytes the headers of a request may have, beside a little that net/http adds. More are
	// refused with 431.
	MaxHeaderBytes = 64 << 10
	// HeaderTimeout is the default of Config.HeaderTimeout: how long a client may take to send a request's headers.
	// Then the connection is closed.
	HeaderTimeout = 10 * time.Second
	// BodyTimeout is the default of Config.BodyTimeout: how long a client may take to send a body. A slower one is
	// refused with 408.
	BodyTimeout = 30 * time.Second
	// LeftBody is how long a client may go on sending a body after an answer that didn't read it. Then the connection
	// is closed.
	LeftBody = 5 * time.Second
	// LeftBodyBytes is how many bytes of such a body are read and dropped, so that a client that sends all of it before it
	// reads gets the answer.
	LeftBodyBytes = 64 << 20
	// LeftBodies is how many such bodies are read at once. The connections of others are closed.
	LeftBodies = 32
	// WriteTimeout is the default of Config.WriteTimeout: how long a client may take to read what it is sent. Then the
	// connection is closed.
	WriteTimeout = 30 * time.Second
	// KeepAlive is the default of Config.KeepAlive: how long a stream is quiet before it gets a comment, so that no
	// proxy takes it for dead.
	KeepAlive = 15 * time.Second
	// ConnectionIdle is how long a connection may be open without a request. Then it is closed.
	ConnectionIdle = 2 * time.Minute
	// CloseTime is how long a client may take to read the rest when the server ends the connection of a stream. What it
	// has not read by then is dropped.
	CloseTime = 100 * time.Millisecond
	// DepartureTime is how often the server looks for clients of older versions that have disconnected while their calls
	// go on. It closes their connections.
	DepartureTime = time.Second
	// RetryBusy is the Retry-After of a request that is refused because too many calls run.
	RetryBusy = time.Second
	// RetryFull is the Retry-After of a session that is refused because too many are open, or the server stops.
	RetryFull = time.Minute
	// SSECalls is how many calls of one stream run at once over HTTP with SSE, or fewer if Config.MaxCalls is less.
	// The others wait, as on stdio.
	SSECalls = 16
)

// Connections of messages: stdio, transports of the program's own, and HTTP with SSE.
const (
	// MaxCalls is the default of Config.MaxCalls: how many calls of a connection run at once. The others wait.
	MaxCalls = 64
	// MaxWaiting is how many calls of a connection may wait. The next one is refused.
	MaxWaiting = 1024
)

// Calls.
const (
	// CallTimeout is the default of Config.CallTimeout: how long a call may take. Then its context ends and its client
	// gets an error.
	CallTimeout = 60 * time.Second
	// Patience is how long a handler may go on after its call has timed out. Then it is logged as one that ignores its
	// context.
	Patience = 100 * time.Millisecond
	// StreamClose is how long a tool may leave the channel of a stream open after its result. Then it is logged.
	StreamClose = time.Second
	// Drain is the default of Config.Drain: how long running calls have to end when the program stops. Then their
	// contexts end.
	Drain = 10 * time.Second
	// StdioDrain is the default of Config.StdioDrain: the same when stdin or a transport of the program's own ends.
	StdioDrain = 2 * time.Second
	// Goodbye is how long a server that stops refuses calls at least, before it closes connections: busy clients hear
	// that it stops, instead of losing a connection.
	Goodbye = 200 * time.Millisecond
	// LogFlush is how long the log has to be written when the program stops. Then the rest is lost.
	LogFlush = time.Second
	// DrainGrace is how long calls have to answer after a drain has ended their contexts. Then the program stops
	// without their answers.
	DrainGrace = 500 * time.Millisecond
)

// Questions to the client, and the rounds of a call that asks them.
const (
	// AskTimeout is the default of Config.AskTimeout: how long an older client may take to answer a question. Then the
	// handler gets an error.
	AskTimeout = 60 * time.Second
	// AskRounds is the default of Config.AskRounds: how often a call may ask an older client. The next time the handler
	// gets an error.
	AskRounds = 8
	// StateLife is how long a client of 2026-07-28 may take to answer a round. Then its requestState is refused.
	StateLife = time.Hour
	// MaxState is how many bytes the requestState of a round may have before it is sealed. The client sends it back with
	// the next round. A call that gathers more is answered with an error.
	MaxState = 256 << 10
	// MaxConfirmedText is how many characters of a name or text the question of tools.Confirmed shows. The rest is cut.
	MaxConfirmedText = 200
	// MaxConfirmed is how many characters of arguments the question of tools.Confirmed shows in all. A call with more is
	// refused, since nobody would read them.
	MaxConfirmed = 4000
)

// Sessions over HTTP, of clients of older versions.
const (
	// MaxSessions is the default of Config.Sessions: how many sessions a server has, and how many streams a route with
	// LegacySSE has. The next client is refused with 503.
	MaxSessions = 10_000
	// SessionIdle is the default of Config.SessionIdle: how long a session may go unused. Then it ends.
	SessionIdle = 30 * time.Minute
	// SessionUnused is the same for a session in which nothing has followed initialize, so that a flood of such requests
	// keeps other clients out for no longer.
	SessionUnused = time.Minute
	// MaxClientInfo is how many bytes clientInfo and capabilities of initialize may have together, since the session
	// keeps them. A longer initialize is refused.
	MaxClientInfo = 16 << 10
)

// Streams, and the events that are kept for clients that come back.
const (
	// MaxConnectionStreams is how many of them one client has on stdio or a transport of the program's own. The next one
	// is refused.
	MaxConnectionStreams = 64
	// SessionListeners is how many streams a session has open by GET: one for each window of a program, say. The next
	// one takes the place of one that its client has left; without such a one it is refused with 429.
	SessionListeners = 8
	// SessionEvents is how many events are kept of a session. Beyond it the oldest are dropped.
	SessionEvents = 1000
	// SessionEventBytes is how many bytes the kept events of a session have, with EventCost of each. Beyond it the
	// oldest are dropped. An answer that is larger on its own is replaced by an error for a client that comes back.
	SessionEventBytes = 4 << 20
	// AllEventBytes is how many bytes the kept events of all sessions have, with EventCost of each. Beyond it the
	// session that was quiet for longest loses its events.
	AllEventBytes = 64 << 20
	// EventCost is how many bytes a kept event counts for beside its message.
	EventCost = 64
)

// Subscriptions to changes.
const (
	// MaxResources is how many resources a client may subscribe to, by one listen or in one session. One more is
	// refused.
	MaxResources = 1000
	// MaxResourceBytes is how many bytes the URIs of those resources may have together. More are refused.
	MaxResourceBytes = 64 << 10
	// ResourceCost is how many bytes of Memory a URI takes beside its own.
	ResourceCost = 64
	// MaxMissed is how many changes are kept for an older client while it has no stream: one for each resource that it
	// may subscribe to. More are dropped, since a client that missed that many has to look anyway.
	MaxMissed = 1000
	// TellTimeout is how long a client may take to read the notice of one change while more wait. Then it is told of no
	// more.
	TellTimeout = time.Minute
)

// Names, lists and URIs.
const (
	// MaxName is how many characters the name of a tool, a prompt or an argument of a prompt may have. A longer one is
	// refused when it is registered. MCP sets the limit for tools (2025-11-25, server/tools, "Tool Names").
	MaxName = 128
	// MaxModelName is how many characters the APIs of some models take. A tool with a longer name is logged when it is
	// registered.
	MaxModelName = 64
	// PageSize is the default of a server's PageSize: how many items a page of a list has.
	PageSize = 50
	// MaxPageSize is the default of a server's MaxPageSize, and the most that both may be. A client that asks for more
	// gets that many.
	MaxPageSize = 100
	// MaxPages is how many encoded pages a server keeps. Beyond it all are dropped, and encoded again when they are asked
	// for. Lists that depend on the principal could otherwise fill the memory.
	MaxPages = 256
	// MaxURI is how many bytes a URI may have that is matched with a template. No template matches a longer one.
	MaxURI = 8 << 10
)

// Schemas, and the data that they check.
const (
	// MaxSchemaDepth is how deep subschemas may be within each other, by references too, and how deep data may be. A
	// deeper schema is refused when it is registered, deeper data when it is checked.
	MaxSchemaDepth = 64
	// MaxSubschemas is how many subschemas a schema may have. One with more is refused when it is registered.
	MaxSubschemas = 10_000
	// MaxViolations is how many violations a check reports. It ends there.
	MaxViolations = 20
	// CheckWork and CheckWorkPerByte bound the work of a check: CheckWork for any data, and CheckWorkPerByte more for each
	// byte of it. A value costs one each time the check looks at it, and a scalar also as much as its bytes. References
	// and compositions may look at a value several times. Data that costs more is refused.
	CheckWork        = 1 << 20
	CheckWorkPerByte = 64
)

// Rate limits.
const (
	// MaxClients is how many clients a rate limit remembers. Beyond it the one that was not seen for longest is
	// forgotten and begins anew, which gains little for somebody who would have to make up that many clients.
	MaxClients = 10_000
)
