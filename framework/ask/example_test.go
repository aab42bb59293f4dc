package ask_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// WeatherTool asks the user for the city.
type WeatherTool struct{ tools.Tool }

func (*WeatherTool) Description() string { return "Tells the weather." }

func (*WeatherTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "city", ask.Form("Which city?", func(form *ask.Fields) {
		form.String("city").Title("City").MinLength(1).Required()
		form.Enum("unit").Option("c", "Celsius").Option("f", "Fahrenheit").Default("c")
	}))
	if err != nil {
		return nil, err // the client is asked first
	}
	if !answer.Accepted() {
		return tools.Text("Never mind."), nil
	}
	return tools.Text("Rain in " + answer.String("city") + ", 9 degrees " + answer.String("unit") + "."), nil
}

// The questions that a client of 2025-06-18 gets, and the results for its answers.
func ExampleForm() {
	fmt.Println(called(&WeatherTool{}, `{"action":"accept","content":{"city":"Bergen"}}`))
	fmt.Println(called(&WeatherTool{}, `{"action":"decline"}`))
	// Output:
	// elicitation/create {"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string","title":"City","minLength":1},"unit":{"type":"string","enum":["c","f"],"enumNames":["Celsius","Fahrenheit"]}},"required":["city"]}}
	// Rain in Bergen, 9 degrees c.
	// elicitation/create {"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string","title":"City","minLength":1},"unit":{"type":"string","enum":["c","f"],"enumNames":["Celsius","Fahrenheit"]}},"required":["city"]}}
	// Never mind.
}
