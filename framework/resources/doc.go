// Package resources defines resources: data that a client reads by its URI, to put it
// in front of a model. A resource is a type that embeds [Resource] and defines methods:
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
// A URI with braces is a template of many resources:
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
// [Template] describes the syntax. An exact URI wins over templates; of several
// templates, the one with the most literal characters wins.
//
// # Schemes
//
// Use https: only for resources that the client can fetch itself, and file: for those
// that look like files. For others, make up a scheme, such as users: or config:.
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
// caller. Resources share such a method by embedding a struct that has it, beside
// [Resource].
//
// # Typing mistakes
//
// The server refuses to start if a resource has a method that it would never call
// although the name suggests it: Guardrail is probably meant to be Guardrails. The
// method OwnMethods names exceptions.
package resources
