// Package limits defines the limits of a server: the defaults of the settings that programs
// can change, and the fixed limits. Each comment says what happens beyond the limit.
//
// A number of the following kinds is not a limit of this package, and stays where it is used:
//
//   - a constant or default that users need by its name, in content, completion, ask, retry,
//     login and transport;
//   - a number that makes an algorithm fast or fair, such as the size of a buffer, a pause
//     between two tries, or the rounds of a hash;
//   - a number that a specification or the format of a value sets, such as 2^53-1;
//   - how much of its own text an error, a warning or a schema shows;
//   - how many levels of the program's own types and schemas are followed, in codec and rawjson;
//   - a setting of a database, which users can change by its address.
package limits

import "time"

// Messages, on every transport.
const (
	// MaxBody is the default of Config.MaxBody: how many bytes an HTTP body may have. A longer
	// one is refused with 413.
	MaxBody = 4 << 20
	// MaxLine is the default of Config.MaxLine: how many bytes a line on stdio, or a message on
	// a custom transport, may have. A longer one is skipped and answered with a parse error
	// without an id.
	MaxLine = 4 << 20
	// MaxDepth is the default of Config.MaxDepth: how deep objects and arrays may be nested
	// in a message. A deeper message is refused as malformed. Code to which no setting
	// applies also uses this depth.
	MaxDepth = 64
	// MaxID is how many bytes the raw id of a request may have. A stream keeps the id of its
	// request and sends it with each notification. A request with a longer one is refused. MCP
	// sets no limit.
	MaxID = 1 << 10
	// MaxBatch is how many messages a batch may have. Its answers are kept until all are
	// complete. A larger batch is refused as a whole. Only protocol version 2025-03-26 allows
	// batches.
	MaxBatch = 100
	// BatchCalls is how many calls of a batch run at once, so that one message can't occupy the
	// whole machine. The others wait.
	BatchCalls = 8
	// MaxMistakes is how many mistakes of a program in reading the arguments of one tool, prompt,
	// resource or form are logged: otherwise, a program that reads names which a client chooses
	// would fill the log. The others are not logged.
	MaxMistakes = 16
	// LogBacklog is how many bytes of lines wait if nobody reads the log. More are dropped.
	LogBacklog = 1 << 20
	// MaxLogged is how many bytes of a client's text, such as the name of a method, a log line
	// shows. The rest is cut off.
	MaxLogged = 100
	// MaxCause is how many bytes of the cause of a refusal the log shows. A cause may name the
	// claims of a token.
	MaxCause = 2 << 10
	// MaxAudited is how many bytes of an argument the line of guardrails.Audit shows. The rest
	// is cut off.
	MaxAudited = 256
)

// Resources that the clients of a program hold at once, on all transports.
const (
	// Memory is the default of Config.Memory: how many bytes the messages that arrive, wait or
	// run may have together, including the state of sessions and subscriptions. Beyond it, a
	// request is refused with 503 before more of it is read.
	Memory = 256 << 20
	// MemoryShare is the part of Memory that one client may hold, and the default of
	// Config.ClientMemory unless twice MaxBody is more: an eighth. Beyond it, the client is
	// refused with 429. This and the shares below apply to clients over HTTP.
	MemoryShare = 8
	// SpareMemory is how many bytes may be held in all before bytes count towards clients, so
	// that an idle server need not identify its clients.
	SpareMemory = 1 << 20
	// ClientCalls is the default of Config.ClientCalls: how many calls of one client may run,
	// not counting one for each processor. Beyond it, the client is refused with 429.
	ClientCalls = 64
	// RefusalDelay is how long the answer to a client that exceeds its share is delayed.
	RefusalDelay = 100 * time.Millisecond
	// MaxStreams is how many streams may be open, or half of the process's file descriptors if
	// that is less. The next one is refused with 503.
	MaxStreams = 20_000
	// StreamShare is the part of the streams that one client may have once half of them are
	// open, and the default of Config.ClientStreams: a tenth. Beyond it, the client is refused
	// with 429.
	StreamShare = 10
	// StreamCost is how many bytes of Memory an open stream counts: about what its connection
	// and its goroutines take.
	StreamCost = 16 << 10
	// ConnectionShare is the part of the process's file descriptors that the connections of one
	// address may take, and the default of Config.ClientConnections: a quarter, or MaxStreams if
	// descriptors are not limited. Beyond it, new connections of the address are closed. Behind
	// a trusted proxy, the requests that run count instead, and the client is refused with 429.
	ConnectionShare = 4
	// SessionShare is the part of Config.Sessions that one client may have once half of them
	// are open, and the default of Config.ClientSessions: a tenth, but at least ClientCalls.
	// Beyond it, the client is refused with 429.
	SessionShare = 10
)

// Calls.
const (
	// CallTimeout is the default of Config.CallTimeout: how long a call may take. Then its
	// context ends and its client gets an error.
	CallTimeout = 60 * time.Second
	// Patience is how long a handler may continue after its call has timed out. Then the log
	// says that it ignores its context.
	Patience = 100 * time.Millisecond
	// StreamClose is how long a tool may leave the channel of a stream open after its result.
	// Then a warning is logged.
	StreamClose = time.Second
	// Drain is the default of Config.Drain: how long running calls have to end when the program
	// stops. Then their contexts end.
	Drain = 10 * time.Second
	// StdioDrain is the default of Config.StdioDrain: the same when stdin or a custom transport
	// ends.
	StdioDrain = 2 * time.Second
	// ShutdownNotice is the least time for which a stopping server refuses calls before it closes
	// connections. Busy clients then get an answer instead of a closed connection.
	ShutdownNotice = 200 * time.Millisecond
	// LogFlush is how long the log, and what the program prints, have to be written when the program stops. Then the rest is
	// lost.
	LogFlush = time.Second
	// DrainGrace is how long calls have to answer after a drain has ended their contexts. Then
	// the program stops without their answers.
	DrainGrace = 500 * time.Millisecond
)

// Questions to the client, and the rounds of a call that asks them.
const (
	// AskTimeout is the default of Config.AskTimeout: how long an older client may take to
	// answer a question. Then the handler gets an error.
	AskTimeout = 60 * time.Second
	// AskRounds is the default of Config.AskRounds: how often a call may ask an older client.
	// The next time, the handler gets an error.
	AskRounds = 8
	// StateLife is how long a client of 2026-07-28 may take to answer a round of questions.
	// Then its requestState is refused.
	StateLife = time.Hour
	// MaxState is how many bytes the requestState of a round may have before it is sealed. The
	// client sends it back with the next round. A call that needs more fails.
	MaxState = 256 << 10
	// MaxConfirmedText is how many characters of a name or text the question of tools.Confirmed
	// shows. The rest is cut off.
	MaxConfirmedText = 200
	// MaxConfirmed is how many characters of arguments the question of tools.Confirmed shows in
	// all. A call with more is refused, since users would not read them.
	MaxConfirmed = 4000
)

// Sessions of older clients over HTTP.
const (
	// RememberedStreams is of how many streams in a session mcp dev remembers the program.
	RememberedStreams = 1000
	// MaxSessions is the default of Config.Sessions: how many sessions a server may have, and
	// how many streams a route with LegacySSE. The next client is refused with 503.
	MaxSessions = 10_000
	// SessionIdle is the default of Config.SessionIdle: how long a session may be idle. Then it
	// ends.
	SessionIdle = 30 * time.Minute
	// SessionUnused is the same for a session in which no message has followed initialize. A
	// flood of initialize requests can't keep other clients out for longer.
	SessionUnused = time.Minute
	// SessionLife is the default of Config.SessionLife: how long after initialize a session may
	// be revived, after the program has restarted or another process has taken over. Then its
	// client begins another.
	SessionLife = 24 * time.Hour
	// MaxSessionID is how many bytes the id of a session may have, which contains the session's
	// state. If more are needed, the id contains nothing, and its session isn't revived.
	MaxSessionID = 1 << 10
	// EndedSessions is how many revived sessions a server remembers after their end. Each takes
	// about 40 bytes until its id expires. Beyond it, no session is revived until
	// all that were not remembered have expired.
	EndedSessions = 100_000
	// SessionCost is how many bytes of Memory a session counts in addition to its id and the data
	// of its client: about what it takes.
	SessionCost = 2 << 10
	// MaxClientInfo is how many bytes clientInfo and capabilities of initialize may have
	// together, since the session keeps them. A larger initialize is refused.
	MaxClientInfo = 16 << 10
)

// Streams, and the events that are kept for clients that reconnect.
const (
	// MaxConnectionStreams is how many streams one client may have on stdio or a custom
	// transport. The next one is refused.
	MaxConnectionStreams = 64
	// SessionListeners is how many streams a session may open by GET, for example one for each
	// window of a program. The next one replaces a stream whose client has disconnected; if
	// there is none, it is refused with 429.
	SessionListeners = 8
	// SessionEvents is how many events of a session are kept. Beyond it, the oldest are
	// dropped.
	SessionEvents = 1000
	// SessionEventBytes is how many bytes the kept events of a session may have, plus EventCost
	// for each. Beyond it, the oldest are dropped. Instead of an answer that alone is larger, a
	// client that reconnects gets an error.
	SessionEventBytes = 4 << 20
	// AllEventBytes is how many bytes the kept events of all sessions may have, plus EventCost
	// for each. Beyond it, the least recently active session of the client with the most bytes
	// loses its events.
	AllEventBytes = 64 << 20
	// EventCost is how many bytes a kept event counts in addition to its message.
	EventCost = 64
	// EventTTL is how long a store that processes share keeps an event.
	EventTTL = time.Hour
	// FollowTime is how long a process follows a stream of another process that sends nothing,
	// since that process may have died. The connection then ends, and its client may reconnect.
	FollowTime = time.Minute
	// RecentTime is how long a process knows which resources have changed, for a client that has
	// subscribed to one in another process just before. It exceeds SessionRefresh, after which the
	// process knows of the subscription at the latest.
	RecentTime = 10 * time.Second
	// MaxRecent is how many such changes a server knows. If there are more, a resource may have
	// changed although it isn't among them.
	MaxRecent = 1000
	// ClockSkew is how much the clocks of the processes may differ. If they differ by more, a
	// client may miss a change right after it has subscribed.
	ClockSkew = 100 * time.Millisecond
	// FollowPause is how often a process reads a stream of another process again although
	// nothing woke it, and when a client whose connection it ends should reconnect.
	FollowPause = time.Second
	// StoreTime is how long an operation of a store that processes share may take. Beyond it,
	// the operation fails: a GET is refused with 503, and an event is sent without being kept.
	StoreTime = 2 * time.Second
	// SessionRefresh is how long a process uses a session without asking a store that processes
	// share whether it has ended meanwhile. Usually a message of the bus says so at once.
	SessionRefresh = 5 * time.Second
	// AnswerTTL is how long such a store keeps the answer to a question for the process that has
	// asked.
	AnswerTTL = time.Minute
	// RetryStore is the Retry-After of a request that is refused because the store fails.
	RetryStore = time.Second
	// StorePause is how long events are not stored after the store failed, answers excepted.
	StorePause = 5 * time.Second
)

// The store in the memory of a process.
const (
	// StoreBytes is how many bytes store.Memory keeps, plus StoreCost for each value and event.
	// More are refused with an error.
	StoreBytes = 256 << 20
	// StoreCost is how many bytes a value or an event counts in addition to its own and those
	// of its name.
	StoreCost = 128
	// StoreMessages is how many messages wait for a subscriber of store.Memory. If one more
	// comes, all are dropped, and the subscriber gets a gap.
	StoreMessages = 1000
)

// Subscriptions to changes.
const (
	// MaxResources is how many resources a client may subscribe to, with one
	// subscriptions/listen or in one session. One more is refused.
	MaxResources = 1000
	// MaxResourceBytes is how many bytes the URIs of those resources may have together. More
	// are refused.
	MaxResourceBytes = 64 << 10
	// ResourceCost is how many bytes of Memory a URI counts in addition to its own.
	ResourceCost = 64
	// MaxMissed is how many changes are kept for an older client while it has no stream, as
	// many as it may have subscriptions to resources. More are dropped, since a client that
	// missed so many has to read everything again anyway.
	MaxMissed = 1000
	// TellTimeout is how long a client may take to read the notification of one change while
	// more are pending. Then it gets no more notifications.
	TellTimeout = time.Minute
)

// Rate limits.
const (
	// MaxClients is how many clients a rate limit remembers. Beyond it, it forgets the client
	// that was not seen for longest, which then starts anew. An attacker gains little by this,
	// since it needs that many clients.
	MaxClients = 10_000
)
