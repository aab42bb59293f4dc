// Package tools defines tools. A tool is a type that embeds [Typed], with the types of its
// arguments and its result, and defines methods:
//
//	type AddTool struct {
//		tools.Typed[AddArguments, AddResult]
//		annotations.IsReadOnly
//	}
//
//	type AddArguments struct {
//		A int `json:"a" schema:"description='The first number.'"`
//		B int `json:"b,omitempty"`
//	}
//
//	type AddResult struct {
//		Sum int `json:"sum"`
//	}
//
//	func (*AddTool) Description() string { return "Adds two numbers." }
//
//	func (*AddTool) Call(ctx context.Context, request *tools.Request, arguments AddArguments) (AddResult, error) {
//		return AddResult{Sum: arguments.A + arguments.B}, nil
//	}
//
// # What Go types can't say
//
// A tool that embeds [Tool] describes its arguments by calls, such as one of several types,
// and reads them from the request:
//
//	type EchoTool struct{ tools.Tool }
//
//	func (*EchoTool) Description() string { return "Repeats a message." }
//
//	func (*EchoTool) Schema(s *schema.Object) {
//		s.String("message").Description("The message to repeat.").Required()
//	}
//
//	func (*EchoTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
//		return tools.Text(request.String("message")), nil
//	}
//
// # Small tools
//
// [Func] makes a tool from a function. Its schemas come from the types of the function, as
// those of Typed. [New] makes a tool whose definition is known only at run time.
//
// # How a tool fails
//
//	return tools.Error("No such city."), nil          // the model reads it and may try again
//	return nil, tools.Errorf("No city %q.", name)     // the same, as an error
//	return nil, err                                   // logged; the model learns that the tool failed
//	return nil, &exchange.Error{Code: …}              // a JSON-RPC error, for the client program
//
// # Confirmation by the user
//
// A tool that embeds [Confirmed] next to its base runs only after the user has confirmed the
// call. To ask other questions, a handler calls request.Ask; see package ask.
//
// # Visibility
//
// If the method VisibleTo returns false for a caller, the tool doesn't exist for that
// caller:
//
//	func (*RefundTool) VisibleTo(ctx context.Context) bool {
//		return exchange.PrincipalFrom(ctx).ID != ""
//	}
//
// To share VisibleTo among tools, define it on a struct and embed that next to the base.
//
// # Optional methods
//
// A tool may also define the methods ReadOnlyHint, DestructiveHint, IdempotentHint and
// OpenWorldHint; embed the structs of package annotations to define them.
//
// # Misspelled methods
//
// The compiler checks the methods of [Interface]. The server refuses to start if the name
// of another method looks like a misspelled one of the framework, such as Guardrail for
// Guardrails. The method OwnMethods lists exceptions.
package tools
