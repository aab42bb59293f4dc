// Package resources has what a resource is made of: something that a client reads by
// its URI, to put it in front of a model. A resource is a type that embeds [Resource]
// and says the rest by methods:
//
//	type HandbookResource struct{ resources.Resource }
//
//	func (*HandbookResource) URI() string { return "docs://handbook" }
//
//	func (*HandbookResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
//		return resources.File("handbook.md")
//	}
//
// # Templates
//
// A URI with braces is a template, and the resource one of many:
//
//	func (*UserResource) URI() string { return "users://{userId}" }
//
//	func (*UserResource) Variables(variables *resources.Variables) {
//		variables.Variable("userId").Complete(completion.Func(suggestUsers))
//	}
//
//	func (r *UserResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
//		var in struct {
//			UserID int `uri:"userId"`
//		}
//		if err := request.Bind(&in); err != nil {
//			return nil, err
//		}
//		…
//	}
//
// [Template] says what may be in one. A resource of exactly the URI that is read goes
// before every template, and of several templates the one with more literal
// characters before the others.
//
// # Schemes
//
// Use https: only for what the client can fetch itself, and file: for what looks like
// files. For the rest, make up a scheme, such as users: or config:.
//
// # How a resource fails
//
//	return nil, exchange.ErrResourceNotFound             // or an error that wraps it
//	return nil, resources.Errorf("%s is locked.", name)  // the client reads it: -32603
//	return nil, &exchange.Error{Code: …}                 // any other JSON-RPC error
//	return nil, err                                      // logged; the client reads "Internal error"
//
// # Who may see it
//
// A resource whose method VisibleTo returns false for a caller doesn't exist for that
// caller. Several share such a method by embedding a struct that has it, beside
// [Resource].
//
// # Typing mistakes
//
// The server refuses to start if a resource has a method that it would never call although
// the name suggests it: a Guardrail is probably meant to be Guardrails. A method
// OwnMethods says that one is the resource's own.
package resources
