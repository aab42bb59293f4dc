// Package prompts defines prompts: messages that a person picks by name and a client
// puts in front of a model. A prompt is a type that embeds [Prompt] and defines
// methods:
//
//	type CodeReviewPrompt struct{ prompts.Prompt }
//
//	func (*CodeReviewPrompt) Description() string { return "Asks for a review of code." }
//
//	func (*CodeReviewPrompt) Arguments(arguments *prompts.Arguments) {
//		arguments.Argument("code").Description("The code to review.").Required()
//		arguments.Argument("style").Enum("casual", "formal").Default("casual")
//	}
//
//	func (*CodeReviewPrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
//		return prompts.Messages{
//			prompts.System("You are a " + request.String("style") + " reviewer."),
//			prompts.User("Review this code:\n" + request.String("code")),
//		}, nil
//	}
//
// # How a prompt fails
//
//	return nil, prompts.Errorf("No repository %q.", name)  // the client reads it: -32603
//	return nil, &exchange.Error{Code: …}                   // any other JSON-RPC error
//	return nil, err                                        // logged; the client reads "Internal error"
//
// A required argument that is missing, and a value outside an Enum, are refused
// before Handle is called.
//
// # Who may see it
//
// A prompt whose method VisibleTo returns false for a caller doesn't exist for that
// caller. Prompts share such a method by embedding a struct that has it, beside
// [Prompt].
//
// # Typing mistakes
//
// The server refuses to start if a prompt has a method that it would never call
// although the name suggests it: Guardrail is probably meant to be Guardrails. The
// method OwnMethods names exceptions.
package prompts
