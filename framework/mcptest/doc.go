// Package mcptest tests tools and servers through the real engine, without a
// network:
//
//	func TestEchoTool(t *testing.T) {
//		mcptest.Tool(t, &tools.EchoTool{}, mcptest.Args{"message": "Hello."}).
//			AssertOK().
//			AssertSee("Hello.")
//	}
//
//	func TestDemoServer(t *testing.T) { mcptest.Check(t, &servers.DemoServer{}) }
package mcptest
