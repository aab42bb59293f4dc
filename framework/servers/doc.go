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
// A server's dependencies are its fields; main sets them. One server may be mapped to
// several routes of an app, which then share it; each app needs a value of its own.
//
// The server refuses to start if its type has a method that the framework would never
// call although the name suggests it: Instruction is probably meant to be Instructions.
// The method OwnMethods names exceptions.
//
// The method Boot may add tools, resources and prompts that are only known at run time.
// The same calls work later, while the server is serving.
package servers
