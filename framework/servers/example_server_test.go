package servers_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// WeatherServer has the name weather and the title Weather.
type WeatherServer struct {
	servers.Server
	Cities []string // a server's dependencies are its fields
}

// Instructions tell the model how to use the tools together.
func (*WeatherServer) Instructions() string { return "Ask for the city first." }

// Tools returns the server's tools.
func (s *WeatherServer) Tools() []servers.Tool {
	return []servers.Tool{
		tools.Func("list-cities", "Lists the cities.", func(context.Context, struct{}) ([]string, error) { return s.Cities, nil }),
	}
}

// Boot adds items that are known only at run time.
func (s *WeatherServer) Boot(context.Context) error {
	for _, city := range s.Cities {
		forecast := tools.New(tools.Definition{Name: "forecast-" + city, Description: "Tells the weather of " + city + "."},
			func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("Fine."), nil })
		if err := s.AddTool(forecast); err != nil {
			return err
		}
	}
	if err := s.AddMethod("acme/reload", func(context.Context, *exchange.Request) (any, error) { return nil, nil }); err != nil {
		return err
	}
	return s.AddCapability("reload.enabled", true)
}

// A server is a type that embeds servers.Server. Validate returns all its mistakes before
// it serves.
func Example_server() {
	fmt.Println(mcp.Validate(&WeatherServer{Cities: []string{"rome", "oslo"}}))
	fmt.Println(mcp.Validate(&WeatherServer{Cities: []string{"rome", "new york"}}))
	// Output:
	// <nil>
	// the server WeatherServer: Boot: forecast-new york (*tools.defined): its name is "forecast-new york"; it must be 1 to 128 letters, digits, underscores, dots and dashes; define Name to choose another
}
