// Package mcp is the entry point of the framework: an [App] that serves, a [Router]
// that maps servers to HTTP paths and stdio handles, and the [Config] of both.
//
//	func main() {
//		app := mcp.New(config.App())
//		routes.AI(app.Router)
//		os.Exit(app.Main())
//	}
//
// The program has a command line: serve, start HANDLE, list.
//
// [Main] is such a program with one server and no routes of its own:
//
//	func main() {
//		os.Exit(mcp.Main(mcp.Config{}, &WeatherServer{}))
//	}
//
// A program that has its own HTTP server or command line needs no App: [Handler] returns
// an http.Handler, and [ServeStdio] serves a pair of streams.
package mcp
