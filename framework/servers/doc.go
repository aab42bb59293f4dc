// Package servers defines servers. A server is a type that embeds [Server] and defines
// methods:
//
//	type WeatherServer struct {
//		servers.Server
//		Weather *weather.Client
//	}
//
//	func (s *WeatherServer) Tools() []servers.Tool {
//		return []servers.Tool{
//			&tools.CurrentWeatherTool{Weather: s.Weather},
//		}
//	}
//
// A server's dependencies are its fields, which main sets. Several routes of an app may
// share one server. Two apps can't: make a value for each.
//
// The server refuses to start if the name of another method looks like a misspelled one
// of the framework, such as Instruction for Instructions. The method OwnMethods lists
// exceptions.
//
// The method Boot may add tools, resources and prompts that are known only at run time.
// They can also be added later, while the server is serving.
//
// [New] makes a server without a type, from a [Definition].
package servers
