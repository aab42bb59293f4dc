package events

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
)

// An Event is one of the types of events.
type Event interface {
	Called | Read | Got | Completed | Listed | Handled | InputRequired | Refused | Failed | Canceled | Started | Stopped |
		LoggedIn | LoginFailed | LockedOut | LoggedOut | Consented | ConsentDenied | GrantIssued | GrantRevoked | RefreshTokenReused | CodeReused | UserChanged
}

// An Operation has the common fields of all events of operations.
type Operation struct {
	Server    string             // the server's name
	Method    string             // of the specification, such as "tools/call"
	Name      string             // of the tool or prompt, or the URI of the resource or template; "" for a list or a method, and for an unknown item
	Principal exchange.Principal // the caller
	Version   string             // of the client's protocol, such as "2026-07-28"
	RequestID string             // as the log has it, such as "8f3a12c7"; not the id of JSON-RPC, which repeats
	Outcome   exchange.Outcome   // as the log has it
	Took      time.Duration      // until the answer, including the handler
}

// Called reports that a tool was called and returned a result (tools/call).
type Called struct{ Operation }

// Read reports that a resource was read (resources/read).
type Read struct {
	Operation
	URI string // the URI that was read; Name may be a template's
}

// Got reports that a client got a prompt (prompts/get).
type Got struct{ Operation }

// Completed reports that values were suggested (completion/complete).
type Completed struct{ Operation }

// Listed reports that a page of a list was sent (tools/list and similar methods).
type Listed struct{ Operation }

// Handled reports that a method of an extension, or one that AddMethod of a server added,
// returned a result.
type Handled struct{ Operation }

// InputRequired reports that the server asked the client first. Another event reports the
// request with the answers. Clients before 2026-07-28 are asked while the operation runs, so
// it has only its final event.
type InputRequired struct{ Operation }

// Refused reports that a request couldn't be served as it is (exchange.OutcomeRefused): the
// client got a JSON-RPC error, or a result with isError set.
type Refused struct {
	Operation

	// Err is the error of the handler or of a guardrail, including details that the client
	// doesn't get. If the handler returned a result with isError set, Err has its text;
	// otherwise it is the error that the client got.
	Err error
}

// Failed reports that an operation failed, timed out or panicked, which Outcome says.
type Failed struct {
	Operation

	// Err is the handler's error, including details that the client doesn't get. It has the
	// value and the place of a panic, and wraps context.DeadlineExceeded if the operation
	// timed out.
	Err error
}

// Canceled reports that an operation ended without a result, because the client
// canceled it or disconnected, or because the program stops.
type Canceled struct{ Operation }

// Started reports that the program has begun to serve: web routes at an address, or a
// server on stdio. App.Handler doesn't send it, since the program then runs the HTTP
// server itself.
type Started struct {
	Address string // of HTTP, such as 127.0.0.1:8080; "" on stdio
	Handle  string // of the server on stdio; "" over HTTP
}

// Stopped reports that the program has stopped serving.
type Stopped struct {
	Address string
	Handle  string
	Took    time.Duration // since Started
	Err     error         // the cause; nil after a requested stop
}

// A Dispatcher calls listeners. The zero value has no listeners. It is safe for
// concurrent use.
type Dispatcher dispatch.Dispatcher

// Listen registers a listener for all later events of its type. Listeners are called in
// the order of their registration.
func Listen[E Event](dispatcher *Dispatcher, listener func(ctx context.Context, event E)) {
	operation := false
	switch any(*new(E)).(type) {
	case Called, Read, Got, Completed, Listed, Handled, InputRequired, Refused, Failed, Canceled:
		operation = true
	}
	dispatch.Listen((*dispatch.Dispatcher)(dispatcher), operation, listener)
}
