// Package events tells a program what its servers do. A listener is a function, and
// the type of its event is what it listens for:
//
//	app := mcp.New(config.App())
//	events.Listen(app.Events, func(ctx context.Context, event events.Failed) {
//		failures.WithLabelValues(event.Method, event.Name).Inc()
//	})
//
// An operation on a tool, a resource or a prompt ends with one event: [Called], [Read],
// [Got], [Completed] or [Listed] when it has a result, [Failed] or [Cancelled] when it
// has none. One whose client is asked something first has none yet. [Started] and
// [Stopped] are about the program.
//
// Listeners are called one after the other by the goroutine that served the client,
// once the handler has returned and the answer was given to the transport: who takes
// long, or must not lose an event, hands it on. The context has the values of the
// request, and doesn't end with it. While nobody listens, nothing is done for events;
// a call that somebody listens to allocates twice more. A listener that panics is logged; the others are
// called all the same. Listeners can change nothing: see package guardrails for that.
package events
