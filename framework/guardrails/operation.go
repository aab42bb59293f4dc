package guardrails

import (
	"log/slog"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A Kind is a kind of operation.
type Kind uint8

// The kinds of operations, with the methods of the specification.
const (
	Call     Kind = iota // a tool: tools/call
	Read                 // a resource: resources/read
	Get                  // a prompt: prompts/get
	List                 // one of the four lists, such as tools/list
	Complete             // an argument or a variable: completion/complete
	Method               // a method of an extension, or one that AddMethod of a server added
)

// String returns the name of the kind, such as "call".
func (k Kind) String() string {
	switch k {
	case Call:
		return "call"
	case Read:
		return "read"
	case Get:
		return "get"
	case List:
		return "list"
	case Complete:
		return "complete"
	case Method:
		return "method"
	}
	return "unknown"
}

// An Operation is the work of a server for one request.
type Operation struct {
	Kind   Kind
	Server string // the server's name
	Name   string // the name of the tool, prompt or method, or the URI of the resource or template; "" for a list

	// Request is the handler's request, with the principal, its address, and the method.
	// The handler gets values that guardrails set on it.
	Request *exchange.Request
}

func (o *Operation) call() request.Call { return (*request.Request)(o.Request).Call() }

// Logger returns the logger of the operation's request; see exchange.Request.Logger.
func (o *Operation) Logger() *slog.Logger { return o.Request.Logger() }

// Argument returns an argument of the tool or prompt, a variable of the template, or a member
// of the params of a method, and whether it is present. It returns a string unchanged and any other value as JSON.
// Before the guardrail calls next, the argument isn't validated, but converted, if
// Config.CoerceArguments is set.
func (o *Operation) Argument(name string) (text string, ok bool) {
	input := &o.call().Facts().Input
	if completing := input.Completing; completing != nil && name == completing.Argument {
		return completing.Value, true
	}
	if text, ok = input.Values[name]; ok {
		return text, true
	}
	var members map[string]codec.Value
	if input.Arguments == nil || codec.Unmarshal(input.Arguments, &members) != nil || members[name] == nil {
		return "", false
	}
	if text, ok = codec.Unquote(members[name]); ok {
		return text, true
	}
	return string(members[name]), true
}

// IsError reports, after next has returned nil, whether a tool's result has isError set.
func (o *Operation) IsError() bool {
	result := o.call().Result()
	return result != nil && result.Err() != nil
}

// Size returns, after next has returned nil, the size of the result's JSON in bytes. It
// is the size for a client of the newest version, without the server's name and version.
func (o *Operation) Size() int {
	if result := o.call().Result(); result != nil {
		return result.Size()
	}
	return 0
}
