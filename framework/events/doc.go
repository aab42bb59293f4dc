// Package events notifies a program of the operations of its servers. A listener is a
// function; the type of its event selects the events that it gets:
//
//	app := mcp.New(config.App())
//	events.Listen(app.Events, func(ctx context.Context, event events.Failed) {
//		failures.WithLabelValues(event.Method, event.Name).Inc()
//	})
//
// An operation ends with one event: [Called], [Read], [Got], [Completed], [Listed] or [Handled]
// if it has a result, otherwise [InputRequired], [Refused], [Failed] or [Canceled]. The field
// Outcome has the word that the log has, too. [Started] and [Stopped] are about the program, and
// the events with an [Authorization] about logins and access at an authorization server.
//
// The goroutine that served the request calls the listeners one after another, those of an
// operation after the handler has returned and the transport has the answer. At a timeout, they
// have a goroutine of their own. A listener that is slow, or must not lose an event, should pass
// it to another goroutine. The context has the values of the request but doesn't end with it. Without a listener, events cost nothing;
// with one, a call makes two more allocations. If a listener panics, the panic is logged
// and the others still run. Listeners can't change the answer; guardrails can (see
// package guardrails).
package events
