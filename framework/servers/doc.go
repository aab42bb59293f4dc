// Package servers has what a server is made of. A server is a type that embeds
// [Server] and says the rest by methods:
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
// What a server needs are its fields; main puts them in. One server may be mapped
// to several routes of an app, which then share it; each app needs a value of its own.
//
// The server refuses to start if its type has a method that nobody would ever call
// although the name suggests it: an Instruction is probably meant to be Instructions. A
// method OwnMethods says that one is the type's own.
//
// A method Boot may add what is known only when the program runs, and the same
// calls work later, while the server is serving.
package servers
