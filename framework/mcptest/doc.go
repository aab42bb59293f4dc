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
//
// [Client.Can] returns a client that answers questions. Assertions and answers identify a
// question by its key:
//
//	func TestChooseKnotTool(t *testing.T) {
//		mcptest.New(t, &servers.DemoServer{}).Can("elicitation").
//			Tool(&tools.ChooseKnotTool{}, nil).
//			AssertAsks("use", "What is the knot for?").
//			Respond("use", mcptest.Args{"use": "bowline"}).
//			AssertOK().
//			AssertSee("Tie a bowline.")
//	}
//
// [Client.Transcript] compares every message with a golden file.
package mcptest
