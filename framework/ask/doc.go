// Package ask defines the questions that a handler may ask its client while it runs,
// and their answers: [Form] and [Confirm] ask the user, [URL] sends the user to a web
// page, [Sample] asks the client's model, and [Roots] asks for the folders that the
// client works in.
//
//	answer, err := request.Ask(ctx, "city", ask.Form("Which city?", func(form *ask.Fields) {
//		form.String("city").Title("City").MinLength(1).Required()
//		form.Enum("unit", "celsius", "fahrenheit").Default("celsius")
//	}))
//	if err != nil {
//		return nil, err
//	}
//	if !answer.Accepted() {
//		return tools.Text("Never mind."), nil
//	}
//	city := answer.String("city")
//
// Questions don't depend on the protocol version: the framework sends them in the form of
// the client's version. If that version or the client doesn't support the question, Ask
// returns an error.
//
// # Asking for secrets
//
// A form goes through the client, and often through its model. Never ask for a
// password, a key, a token or a card number in one: send the user to a page of your
// own with [URL] (MCP 2026-07-28, EL-1).
//
// # Which answers are accepted
//
// An answer is accepted only with a sealed state that proves that the server asked
// the question. The client can't forge the state, or reuse the state of another user or
// another call. The method Early removes this requirement for one question: its answer is
// also accepted if it arrives unasked, with the first request. Never use it for consent.
package ask
