package tools_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// CityTool fails in every possible way.
type CityTool struct{ tools.Tool }

// Description tells the model what the tool does.
func (*CityTool) Description() string { return "Knows cities." }

// Schema describes the arguments.
func (*CityTool) Schema(s *schema.Object) { s.String("city").Required() }

// Handle runs the tool.
func (*CityTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	switch city := request.String("city"); city {
	case "Atlantis":
		return tools.Error("There is no such city."), nil // the model reads it
	case "Ys":
		return nil, tools.Errorf("There is no city %q.", city) // the same, as an error
	case "Troy":
		return nil, errors.New("the password is hunter2") // the log has it
	case "Thule":
		return nil, &exchange.Error{Code: 7, Message: "Out of range"} // the client program gets it
	}
	return tools.Text("Known."), nil
}

// The returned value decides who reads the error.
func Example_errors() {
	for _, city := range []string{"Rome", "Atlantis", "Ys", "Troy", "Thule"} {
		text, _, _ := strings.Cut(call(&CityTool{}, fmt.Sprintf(`{"city": %q}`, city)), " (request ") // an id in the log
		fmt.Println(text)
	}
	// Output:
	// Known.
	// There is no such city.
	// There is no city "Ys".
	// The tool city failed. The server's log says why
	// JSON-RPC error 7: Out of range
}
