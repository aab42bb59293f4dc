// Package prompts defines prompts: messages that a person picks by name and a client
// passes to a model. A prompt is a type that embeds [Prompt] and defines methods:
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
// A request that lacks a required argument, or has a value outside an Enum, is refused
// before Handle is called.
//
// # Visibility
//
// If the method VisibleTo returns false for a caller, the prompt doesn't exist for that
// caller. To share VisibleTo among prompts, define it on a struct and embed that next to
// [Prompt].
//
// # Misspelled methods
//
// The server refuses to start if the name of another method looks like a misspelled one
// of the framework, such as Guardrail for Guardrails. The method OwnMethods lists
// exceptions.
package prompts
