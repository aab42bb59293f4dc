package exchange

// A Trace is the trace that a request is part of, in the words of W3C Trace Context
// and Baggage. Members that the client didn't send are "".
type Trace struct {
	Parent  string // traceparent
	State   string // tracestate
	Baggage string // baggage
}

// Trace returns the trace context of the request's _meta, unchecked.
func (r *Request) Trace() (trace Trace) {
	r.Meta("traceparent", &trace.Parent)
	r.Meta("tracestate", &trace.State)
	r.Meta("baggage", &trace.Baggage)
	return trace
}
