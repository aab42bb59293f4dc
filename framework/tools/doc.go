// Package tools has what a tool is made of. A tool is a type that embeds [Tool] and
// says the rest by methods:
//
//	type EchoTool struct {
//		tools.Tool
//		annotations.IsReadOnly
//	}
//
//	func (*EchoTool) Description() string { return "Repeats a message." }
//
//	func (*EchoTool) Schema(schema *schema.Object) {
//		schema.String("message").Description("The message to repeat.").Required()
//	}
//
//	func (*EchoTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
//		return tools.Text(request.String("message")), nil
//	}
//
// # How a tool fails
//
//	return tools.Error("No such city."), nil          // the model reads it and may try again
//	return nil, tools.Errorf("No city %q.", name)     // the same, as an error
//	return nil, err                                   // logged; the model reads that the tool failed
//	return nil, &exchange.Error{Code: …}              // a JSON-RPC error, for the client program
//
// # What the user has to agree to
//
// A tool that embeds [Confirmed] beside Tool runs once the user has agreed. A handler
// asks anything else by request.Ask; see package ask.
//
// # Who may see it
//
// A tool whose method VisibleTo returns false for a caller doesn't exist for that caller:
//
//	func (*RefundTool) VisibleTo(ctx context.Context) bool {
//		return exchange.PrincipalFrom(ctx).ID != ""
//	}
//
// Tools share such a method by embedding a struct that has it, beside [Tool].
//
// # Optional methods
//
// A tool may also have the methods ReadOnlyHint, DestructiveHint, IdempotentHint and
// OpenWorldHint; package annotations has structs that bring them along.
//
// # Typing mistakes
//
// The compiler checks the methods of [Interface]. The server refuses to start if a tool
// has a method that it would never call although the name suggests it: a Guardrail is
// probably meant to be Guardrails. A method OwnMethods says that one is the tool's own.
//
// # Small tools
//
// [Func] makes a tool of a function whose schema is its argument's type; [New] one
// whose definition is known only when the program runs.
package tools
