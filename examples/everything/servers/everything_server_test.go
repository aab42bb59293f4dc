package servers_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/everything/servers"
)

func TestEverythingServer(t *testing.T) { mcptest.Check(t, &servers.EverythingServer{}) }

// Bad arguments are for the model to mend, so they are never a JSON-RPC error.
func TestEveryToolAnswersACallWithoutArguments(t *testing.T) {
	server := &servers.EverythingServer{}
	client := mcptest.New(t, server).Can("elicitation", "sampling", "roots")
	if n := len(server.Tools()); n < 10 {
		t.Errorf("there are only %d tools", n)
	}
	for _, tool := range server.Tools() {
		if result := client.Tool(tool, nil); result.Err != nil {
			t.Errorf("%s: got the JSON-RPC error %v, want a result", tool.Name(), result.Err)
		}
	}
}

func TestResourcesAreRead(t *testing.T) {
	client := mcptest.New(t, &servers.EverythingServer{})
	client.Read("test://static-text").AssertOK().AssertSee("static text resource")
	client.Read("test://template/123/data").AssertOK().AssertSee("123")
	client.Read("test://nowhere").AssertError("Resource not found")
	client.Read("test://template/..%2f..%2fetc/data").AssertError("Resource not found")
	if contents := client.Read("test://static-binary").AssertOK().Read.Contents; len(contents) != 1 || contents[0].MIMEType != "image/png" || len(contents[0].Blob) == 0 {
		t.Errorf("got %+v, want a picture", contents)
	}
}

func TestTheServerChangesWhileItServes(t *testing.T) {
	client := mcptest.New(t, &servers.EverythingServer{})
	for _, there := range []bool{true, false, true} {
		client.Call("test_trigger_tool_change", nil).AssertOK()
		client.Call("test_trigger_prompt_change", nil).AssertOK()
		if there {
			client.Call("test_sometimes", nil).AssertOK().AssertSee("I am here.")
			client.Get("test_sometimes_prompt", nil).AssertOK().AssertSee("I am here.")
		} else {
			client.Call("test_sometimes", nil).AssertError("Unknown tool")
			client.Get("test_sometimes_prompt", nil).AssertError("Unknown prompt")
		}
	}
	client.Read("test://watched-resource").AssertOK().AssertSee("0 times")
	client.Call("test_trigger_resource_change", nil).AssertOK()
	client.Read("test://watched-resource").AssertOK().AssertSee("1 times")
}

func TestPromptsAreGot(t *testing.T) {
	client := mcptest.New(t, &servers.EverythingServer{})
	client.Get("test_simple_prompt", nil).AssertOK().AssertSee("simple prompt")
	client.Get("test_prompt_with_arguments", mcptest.Args{"arg1": "one", "arg2": "two"}).AssertOK().AssertSee("one", "two")
	client.Get("test_prompt_with_arguments", nil).AssertError("arg1", "arg2")
	client.Get("test_prompt_with_embedded_resource", mcptest.Args{"resourceUri": "test://a"}).AssertOK().AssertSee("Embedded resource")
	client.Get("test_prompt_with_embedded_resource", mcptest.Args{"resourceUri": "not a uri"}).AssertError("resourceUri must be a URI")
	client.Get("test_prompt_with_image", nil).AssertOK().AssertSee("image above")
	client.Can("elicitation").Get("test_input_required_result_prompt", nil).
		AssertAsks("user_context", "What context").
		Respond("user_context", mcptest.Args{"context": "at sea"}).
		AssertOK().AssertSee("at sea")
	client.Get("test_simple_promt", nil).AssertError(`did you mean "test_simple_prompt"?`)
}

func TestArgumentsAreCompleted(t *testing.T) {
	client := mcptest.New(t, &servers.EverythingServer{})
	client.CompletePrompt("test_prompt_with_arguments", "arg1", "test", nil).AssertOK().AssertSee("test\ntesting")
	client.CompleteResource("test://template/{id}/data", "id", "12", nil).AssertOK().AssertSee("123\n124")
	if values := client.CompletePrompt("test_prompt_with_arguments", "arg2", "", nil).AssertOK().Completion.Values; len(values) != 0 {
		t.Errorf("got %q for an argument that nothing completes", values)
	}
	client.CompletePrompt("nothing", "arg1", "", nil).AssertError("Unknown prompt")
}
