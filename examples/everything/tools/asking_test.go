package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

// askingServer has the tools that ask.
type askingServer struct{ servers.Server }

func (*askingServer) Tools() []servers.Tool {
	return []servers.Tool{
		&tools.SamplingTool{}, &tools.ElicitationTool{}, &tools.ElicitationDefaultsTool{}, &tools.ElicitationEnumsTool{},
		&tools.StreamingElicitationTool{}, &tools.MissingCapabilityTool{}, &tools.AskNameTool{}, &tools.AskModelTool{}, &tools.AskRootsTool{},
		&tools.AskStateTool{}, &tools.AskTamperedTool{}, &tools.AskSeveralTool{}, &tools.AskRoundsTool{}, &tools.AskCapableTool{},
	}
}

// client can be asked everything.
func client(t *testing.T) *mcptest.Client {
	return mcptest.New(t, &askingServer{}).Can("elicitation", "sampling", "roots")
}

func TestSamplingToolAsksTheModel(t *testing.T) {
	client(t).Tool(&tools.SamplingTool{}, mcptest.Args{"prompt": "Say hi."}).
		AssertAsks("answer", "Say hi.", `"maxTokens":100`).
		Respond("answer", "Hi.").
		AssertOK().AssertSee("mcptest says: Hi.")
}

func TestElicitationToolAsksTheUser(t *testing.T) {
	asked := client(t).Tool(&tools.ElicitationTool{}, mcptest.Args{"message": "Who are you?"}).AssertAsks("user", "Who are you?")
	asked.Respond("user", mcptest.Args{"username": "Ada", "email": "ada@example.com"}).AssertOK().AssertSee("The user is Ada at ada@example.com.")
	asked.Decline("user").AssertOK().AssertSee("decline")
	asked.Cancel("user").AssertOK().AssertSee("cancel")
}

func TestElicitationDefaultsToolFillsInWhatIsLeftOut(t *testing.T) {
	asked := client(t).Tool(&tools.ElicitationDefaultsTool{}, nil).AssertAsks("person", `"default":95.5`)
	asked.Respond("person", mcptest.Args{"age": 31}).
		AssertStructured(map[string]any{"name": "John Doe", "age": 31, "score": 95.5, "status": "active", "verified": true})
	asked.Decline("person").AssertOK().AssertSee("decline")
}

func TestElicitationEnumsToolReadsEveryChoice(t *testing.T) {
	asked := client(t).Tool(&tools.ElicitationEnumsTool{}, nil).AssertAsks("choices", `"oneOf"`, `"anyOf"`, `"enumNames"`)
	asked.Respond("choices", mcptest.Args{
		"untitledSingle": "option1", "titledSingle": "value2", "legacyEnum": "opt3", "untitledMulti": []string{"option1", "option2"}, "titledMulti": []string{},
	}).AssertOK().AssertSee(`The user chose "option1", "value2", "opt3", ["option1" "option2"] and [].`)
	asked.Respond("choices", mcptest.Args{"titledSingle": "Second"}).AssertError("/content/titledSingle: must be one of")
	asked.Cancel("choices").AssertOK().AssertSee("cancel")
}

func TestStreamingElicitationToolAsksAfterAMessage(t *testing.T) {
	asked := client(t).Tool(&tools.StreamingElicitationTool{}, nil).
		AssertNotified("notifications/progress").
		AssertAsks("proceed", "Go on?")
	asked.Respond("proceed", nil).AssertOK().AssertSee("wants to go on")
	asked.Decline("proceed").AssertOK().AssertSee("does not want")
}

func TestMissingCapabilityToolSaysWhatTheClientLacks(t *testing.T) {
	result := mcptest.New(t, &askingServer{}).Tool(&tools.MissingCapabilityTool{}, nil).AssertError("sampling")
	if result.Err == nil || result.Err.Code != exchange.CodeMissingClientCapability {
		t.Errorf("got %v", result.Err)
	}
	client(t).Tool(&tools.MissingCapabilityTool{}, nil).Respond("greeting", "Hello.").AssertOK().AssertSee("Hello.")
}

func TestToolsAskForOneThing(t *testing.T) {
	name := client(t).Tool(&tools.AskNameTool{}, nil).AssertAsks("user_name", "What is your name?")
	name.Respond("user_name", mcptest.Args{"name": "Ada"}).AssertOK().AssertSee("Hello, Ada!")
	name.Decline("user_name").AssertOK().AssertSee("whoever")
	client(t).Tool(&tools.AskModelTool{}, nil).Respond("capital_question", "Paris.").AssertOK().AssertSee("Paris.")
	client(t).Tool(&tools.AskRootsTool{}, nil).Respond("client_roots", []ask.Root{{URI: "file:///src"}}).AssertOK().AssertSee("file:///src")
}

func TestConsentIsAskedFor(t *testing.T) {
	agree := client(t).Tool(&tools.AskStateTool{}, nil).AssertAsks("confirm", "Do you agree?")
	agree.Respond("confirm", mcptest.Args{"ok": true}).AssertOK().AssertSee("state-ok")
	agree.Respond("confirm", mcptest.Args{"ok": false}).AssertOK().AssertSee("does not agree")
	agree.Decline("confirm").AssertOK().AssertSee("does not agree")
	agree = client(t).Tool(&tools.AskTamperedTool{}, nil)
	agree.Respond("confirm", mcptest.Args{"ok": true}).AssertOK().AssertSee("The user agrees.")
	agree.Cancel("confirm").AssertOK().AssertSee("does not agree")
}

func TestSeveralThingsAreAskedFor(t *testing.T) {
	client(t).Tool(&tools.AskSeveralTool{}, nil).
		AssertAsks("user_name").AssertAsks("greeting").AssertAsks("client_roots").
		Respond("greeting", "Well met,").
		Respond("client_roots", []ask.Root{{URI: "file:///a"}, {URI: "file:///b"}}).
		Respond("user_name", mcptest.Args{"name": "Ada."}).
		AssertOK().AssertSee("Well met, Ada. You work in 2 folders.")
	client(t).Tool(&tools.AskRoundsTool{}, nil).
		Respond("step1", mcptest.Args{"name": "Ada"}).
		AssertAsks("step2", "favourite colour, Ada?").
		Respond("step2", mcptest.Args{"color": "blue"}).
		AssertOK().AssertSee("Ada likes blue.")
}

func TestOnlyWhatTheClientCanDoIsAskedFor(t *testing.T) {
	client(t).Tool(&tools.AskCapableTool{}, nil).Respond("user_name", mcptest.Args{"name": "Ada"}).AssertOK().AssertSee("Hello, Ada!")
	mcptest.New(t, &askingServer{}).Can("sampling").Tool(&tools.AskCapableTool{}, nil).
		Respond("made_up", "Bo").AssertOK().AssertSee("Hello, Bo!")
}
