// Package mcptest tests tools, resources, prompts and servers through the real
// engine, without a network:
//
//	func TestEchoTool(t *testing.T) {
//		mcptest.Tool(t, &tools.EchoTool{}, mcptest.Args{"message": "Hello."}).
//			AssertOK().
//			AssertSee("Hello.")
//	}
//
//	func TestKnotResource(t *testing.T) {
//		mcptest.Resource(t, &resources.KnotResource{}, "demo://knots/bowline").
//			AssertOK().
//			AssertSee("A loop")
//	}
//
//	func TestDemoServer(t *testing.T) { mcptest.Check(t, &servers.DemoServer{}) }
package mcptest
