// Package tools defines tools. A tool is a type that embeds [Tool] and defines methods:
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
// # Tools that the user has to confirm
//
// A tool that embeds [Confirmed] beside Tool only runs if the user has agreed. For all
// other questions, a handler calls request.Ask; see package ask.
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
// OpenWorldHint; package annotations has structs to embed that define them.
//
// # Typing mistakes
//
// The compiler checks the methods of [Interface]. The server refuses to start if a tool
// has a method that it would never call although the name suggests it: Guardrail is
// probably meant to be Guardrails. The method OwnMethods names exceptions.
//
// # Small tools
//
// [Func] makes a tool of a function, with a schema from the type of its argument. [New]
// makes a tool whose definition is only known at run time.
package tools
