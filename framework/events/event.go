package events

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/dispatch"
)

// An Event is one of the types of events.
type Event interface {
	Called | Read | Got | Completed | Listed | Failed | Cancelled | Started | Stopped
}

// An Operation is what the events of all operations tell.
type Operation struct {
	Server    string             // the server's name
	Method    string             // of the specification, such as "tools/call"
	Name      string             // of the tool or prompt, or the URI of the resource or template; "" for a list, and for what doesn't exist
	Principal exchange.Principal // who asked
	Version   string             // of the client's protocol, such as "2026-07-28"
	Took      time.Duration      // up to the answer, the handler included
}

// Called says that a tool was called and has a result (tools/call).
type Called struct{ Operation }

// Read says that a resource was read (resources/read).
type Read struct {
	Operation
	URI string // that was asked for, where Name is a template's
}

// Got says that a prompt was got (prompts/get).
type Got struct{ Operation }

// Completed says that values were suggested (completion/complete).
type Completed struct{ Operation }

// Listed says that a page of a list was sent (tools/list and its like).
type Listed struct{ Operation }

// Failed says that an operation failed: the client got a JSON-RPC error, or a result
// with isError set.
type Failed struct {
	Operation

	// Err is what the handler returned, with all that the client wasn't told; or what
	// its result says; or else what the client was told. It wraps
	// context.DeadlineExceeded when the time was over.
	Err error
}

// Cancelled says that an operation was ended before it had a result: by the client,
// who may have hung up, or because the program stops.
type Cancelled struct{ Operation }

// Started says that the program serves: web routes at an address, or a server on
// stdio. A program with an HTTP server of its own knows that itself.
type Started struct {
	Address string // of HTTP, such as 127.0.0.1:8080; "" on stdio
	Handle  string // of the server on stdio; "" over HTTP
}

// Stopped says that the program serves no more.
type Stopped struct {
	Address string
	Handle  string
	Took    time.Duration // since Started
	Err     error         // why, nil if it was asked to
}

// A Dispatcher knows who listens to what. The zero value has no listeners. It is safe
// for concurrent use.
type Dispatcher dispatch.Dispatcher

// Listen calls a listener for all events of its type from now on, after those that
// listen already.
func Listen[E Event](dispatcher *Dispatcher, listener func(ctx context.Context, event E)) {
	operation := true
	switch any(*new(E)).(type) {
	case Started, Stopped:
		operation = false
	}
	dispatch.Listen((*dispatch.Dispatcher)(dispatcher), operation, listener)
}
