package limits

import "time"

// HTTP.
const (
	// MaxHeaderBytes is how many bytes the headers of a request may have; net/http adds a small
	// tolerance. A request with more is refused with 431.
	MaxHeaderBytes = 64 << 10
	// HeaderTimeout is the default of Config.HeaderTimeout: how long a client may take to
	// send a request's headers. Then the connection is closed.
	HeaderTimeout = 10 * time.Second
	// BodyTimeout is the default of Config.BodyTimeout: how long a client may take to send a
	// body. A slower request is refused with 408.
	BodyTimeout = 30 * time.Second
	// UnreadBodyTimeout is how long a client may continue to send a body after an answer that doesn't
	// need it. Then the connection is closed.
	UnreadBodyTimeout = 5 * time.Second
	// ShortAnswer is how long a client may take to read an answer without a result, such as a
	// refusal, if the HTTP server has no WriteTimeout.
	ShortAnswer = 5 * time.Second
	// LeftBodyBytes is how many bytes of such a body are read and dropped, so that a client that
	// sends the whole body before it reads gets the answer.
	LeftBodyBytes = 64 << 20
	// LeftBodies is how many such bodies are read at once. The connections of others are closed.
	LeftBodies = 8
	// LeftBodyPart is how many bytes of such a body are read before a pause of LeftBodyPause.
	// Without pauses, a client that sends bodies of 4 MiB in vain takes a whole processor.
	LeftBodyPart  = 256 << 10
	LeftBodyPause = 10 * time.Millisecond
	// WriteTimeout is the default of Config.WriteTimeout: how long a client may take to read an
	// answer or an event. Then the connection is closed.
	WriteTimeout = 30 * time.Second
	// KeepAlive is the default of Config.KeepAlive: how long a stream or a call is quiet before
	// the server sends a comment, so that no proxy closes it. A call becomes a stream for that.
	KeepAlive = 15 * time.Second
	// ConnectionIdle is how long a connection may be open without a request. Then it is closed.
	ConnectionIdle = 2 * time.Minute
	// CloseTime is how long a client may take to read the remaining data when the server ends
	// the connection of a stream. Then the rest is dropped.
	CloseTime = 100 * time.Millisecond
	// FinalWriteTimeout is how long the end of a stream may take to be written once no other write
	// blocks it. On a busy machine, that can be more than CloseTime for a client that reads.
	FinalWriteTimeout = time.Second
	// DisconnectInterval is how often the server looks for older clients that have disconnected
	// while their calls continue. It closes their connections.
	DisconnectInterval = time.Second
	// RetryBusy is the Retry-After of a request that is refused because its client or all
	// clients exceed a share, or because the server is stopping.
	RetryBusy = time.Second
	// RetryFull is the Retry-After of a session, or a stream of HTTP with SSE, that is refused
	// because too many are open. Such a stream also gets it from a stopping server.
	RetryFull = time.Minute
	// ReportedProxies is how many proxies that aren't trusted the log names, each once. Any
	// machine of the network can send the header of a proxy, so one must not hide the next.
	ReportedProxies = 16
	// SSECalls is how many calls of one stream run at once over HTTP with SSE, unless
	// Config.MaxCalls is less. The others wait, as on stdio.
	SSECalls = 16
)

// Connections that carry many messages: stdio, custom transports, and HTTP with SSE.
const (
	// MaxCalls is the default of Config.MaxCalls: how many calls of a connection run at once.
	// The others wait.
	MaxCalls = 64
	// MaxWaiting is how many calls of a connection may wait. The next one is refused.
	MaxWaiting = 1024
)
