package exchange

// A TypedResult ends a call in a result of a type of its own, which an extension of the server
// declares, instead of the handler's usual result (specification: resultType). A handler, or a
// guardrail, returns it as its error; it isn't a failure. The client must declare the extension.
type TypedResult struct {
	Type  string // such as "task"
	Value any    // encodes as a JSON object without the member resultType
}

// Error says that the call ends in a result of the type.
func (r *TypedResult) Error() string { return "the call ends in a result of the type " + r.Type }
