// Package events tells a program what its servers do. A listener is a function; the
// type of its event selects the events that it gets:
//
//	app := mcp.New(config.App())
//	events.Listen(app.Events, func(ctx context.Context, event events.Failed) {
//		failures.WithLabelValues(event.Method, event.Name).Inc()
//	})
//
// An operation on a tool, a resource or a prompt ends with one event: [Called], [Read],
// [Got], [Completed] or [Listed] when it has a result, [Failed] or [Cancelled] when it
// has none. There is no event yet if the client is asked something first. [Started] and
// [Stopped] are about the program.
//
// The goroutine that served the client calls the listeners one after the other, once
// the handler has returned and the transport has the answer. Slow listeners, and those
// that must not lose an event, should hand it to a goroutine of their own. The context
// has the values of the request, and doesn't end with it. Events cost nothing without a
// listener; a call that has one makes two more allocations. If a listener panics, the
// panic is logged and the others still run. Listeners can't change anything; guardrails
// can (see package guardrails).
package events
