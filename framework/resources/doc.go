// Package resources defines resources: data that a client reads by URI and passes to a
// model. A resource is a type that embeds [Resource] and defines methods:
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
// A URI with braces is a template for many resources:
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
// [Template] describes the syntax. An exact URI wins over templates. If several templates
// match, the one with the most literal characters wins.
//
// # Schemes
//
// Use https: only for resources that the client can fetch itself, and file: for resources
// that behave like files. For others, define a scheme of your own, such as users: or
// config:.
//
// # How a resource fails
//
//	return nil, exchange.ErrResourceNotFound             // or an error that wraps it
//	return nil, resources.Errorf("%s is locked.", name)  // the client reads it: -32603
//	return nil, &exchange.Error{Code: …}                 // any other JSON-RPC error
//	return nil, err                                      // logged; the client reads "Internal error"
//
// # Visibility
//
// If the method VisibleTo returns false for a caller, the resource doesn't exist for that
// caller. To share VisibleTo among resources, define it on a struct and embed that next
// to [Resource].
//
// # Misspelled methods
//
// The server refuses to start if the name of another method looks like a misspelled one
// of the framework, such as Guardrail for Guardrails. The method OwnMethods lists
// exceptions.
package resources
