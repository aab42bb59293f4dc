// Package stubs holds the templates from which the mcp make commands write Go files.
//
// A stub is a text/template. It may use .Module (the app's module path), .Type (the Go type, WeatherTool), .Name (its wire
// name, weather-tool) and .Title (its title, Weather Tool). An app that wants other code puts a file of the same name into its
// own stubs folder.
package stubs

import (
	"embed"
	"io/fs"
)

//go:embed *.stub
var files embed.FS

// Files returns the built-in stubs: server.stub, tool.stub, resource.stub and prompt.stub, and for each the one of its test,
// such as tool_test.stub.
func Files() fs.FS { return files }
