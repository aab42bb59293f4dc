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
// A question doesn't depend on the protocol version: the framework sends it in the form
// of the client's version. If that version or the client doesn't support the question,
// Ask returns an error.
//
// # Asking for secrets
//
// A form goes through the client, and often through its model. Never ask for a
// password, a key, a token or a card number in one: send the user to a page of your
// own with [URL] (MCP 2026-07-28, EL-1).
//
// # When an answer counts
//
// An answer only counts together with a sealed state that proves that the question was
// asked. The client can't forge that state, and can't reuse that of another user or
// another call. Early lifts this for one question: its answer also counts if it arrives
// unasked, with the first request. Never use it for consent.
package ask
