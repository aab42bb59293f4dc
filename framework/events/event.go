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

// An Operation holds what all events of operations have in common.
type Operation struct {
	Server    string             // the server's name
	Method    string             // of the specification, such as "tools/call"
	Name      string             // of the tool or prompt, or the URI of the resource or template; "" for a list, and for what doesn't exist
	Principal exchange.Principal // who asked
	Version   string             // of the client's protocol, such as "2026-07-28"
	Took      time.Duration      // until the answer, including the handler
}

// Called says that a tool was called and has a result (tools/call).
type Called struct{ Operation }

// Read says that a resource was read (resources/read).
type Read struct {
	Operation
	URI string // the URI that was read; Name may be a template's
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

	// Err is the handler's error, including what the client wasn't told. If the handler
	// returned a result with isError set, Err has its text; otherwise it is the error
	// that the client got. It wraps context.DeadlineExceeded if the operation timed
	// out.
	Err error
}

// Cancelled says that an operation ended before it had a result, because the client
// cancelled it or hung up, or because the program stops.
type Cancelled struct{ Operation }

// Started says that the program serves: web routes at an address, or a server on stdio.
// It isn't sent for App.Handler, since the program then runs the HTTP server itself.
type Started struct {
	Address string // of HTTP, such as 127.0.0.1:8080; "" on stdio
	Handle  string // of the server on stdio; "" over HTTP
}

// Stopped says that the program has stopped serving.
type Stopped struct {
	Address string
	Handle  string
	Took    time.Duration // since Started
	Err     error         // why it stopped, nil if it was asked to
}

// A Dispatcher calls listeners. The zero value has none. It is safe for concurrent use.
type Dispatcher dispatch.Dispatcher

// Listen registers a listener for all events of its type from now on. It is called
// after those registered before.
func Listen[E Event](dispatcher *Dispatcher, listener func(ctx context.Context, event E)) {
	operation := true
	switch any(*new(E)).(type) {
	case Started, Stopped:
		operation = false
	}
	dispatch.Listen((*dispatch.Dispatcher)(dispatcher), operation, listener)
}
