package ask_test

import (
	"fmt"

	"github.com/bowline-mcp/bowline/framework/ask"
)

// What a form asks, and what comes back. A handler passes the question to
// request.Ask instead of compiling it.
func ExampleForm() {
	question, err := ask.Compile(ask.Form("Which city?", func(form *ask.Fields) {
		form.String("city").Title("City").MinLength(1).Required()
		form.Enum("unit").Option("c", "Celsius").Option("f", "Fahrenheit").Default("c")
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %s\n", question.Method(), question.Params([]byte(`{"elicitation":{}}`), "2025-06-18"))

	answer, err := question.Answer([]byte(`{"action":"accept","content":{"city":"Bergen"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Accepted(), answer.String("city"), answer.String("unit"))
	// Output:
	// elicitation/create {"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string","title":"City","minLength":1},"unit":{"type":"string","enum":["c","f"],"enumNames":["Celsius","Fahrenheit"]}},"required":["city"]}}
	// true Bergen c
}
