package mcptest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
)

type hiddenTool struct{ EchoTool }

func (*hiddenTool) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.Permission(func(context.Context, string) bool { return false })}
}

// The client must not get this information, but the test may.
func TestAFailureExplainsWhyANameIsUnknown(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]func(t testing.TB){
		`Unknown tool "hidden"; boxServer.Tools lists it, so it was removed or is hidden from this caller: use As with a principal that may see it`: func(t testing.TB) {
			mcptest.New(t, &boxServer{tools: []servers.Tool{&hiddenTool{}}}).Tool(&hiddenTool{}, nil).AssertOK()
		},
		`Unknown tool "fine"; boxServer.Tools doesn't list it`: func(t testing.TB) {
			mcptest.New(t, &boxServer{tools: []servers.Tool{&EchoTool{}}}).Tool(&fineTool{}, nil).AssertOK()
		},
		`Unknown prompt "none"; libraryServer.Prompts doesn't list it`: func(t testing.TB) {
			mcptest.New(t, library()).Get("none", nil).AssertOK()
		},
		`Resource not found: notes://{x}; the server's templates are notes://{folder}/{name}`: func(t testing.TB) {
			mcptest.New(t, library()).CompleteResource("notes://{x}", "x", "", nil).AssertOK()
		},
		`Resource not found: notes://{x}; libraryServer.Resources doesn't list it`: func(t testing.TB) {
			mcptest.New(t, &libraryServer{prompts: []servers.Prompt{&AskPrompt{}}}).CompleteResource("notes://{x}", "x", "", nil).AssertOK()
		},
		`Resource not found: notes://{y}; libraryServer.Resources doesn't list it`: func(t testing.TB) {
			plain := resources.New(resources.Definition{URI: "notes://all", Name: "all"}, readNothing)
			mcptest.New(t, &libraryServer{resources: []servers.Resource{plain}, prompts: []servers.Prompt{&AskPrompt{}}}).
				CompleteResource("notes://{y}", "y", "", nil).AssertOK()
		},
	} {
		if got := failuretest.Of(t, test); !strings.HasSuffix(got, want) {
			t.Errorf("got\n%s\nwant …\n%s", got, want)
		}
	}
}

// Without the check, a misspelled name would look like an empty value.
func TestAMisspelledNameFailsTheTest(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]func(t testing.TB){
		`the form "name" has no field "naem"; did you mean "name"?`: func(t testing.TB) {
			asking(t).Can("elicitation").Call("act", nil).Respond("name", mcptest.Args{"name": "Ada", "naem": 1})
		},
		`the form "name" has no field "colour"; the known names are: name`: func(t testing.TB) {
			asking(t).Can("elicitation").Call("act", nil).Respond("name", struct {
				Colour string `json:"colour"`
			}{})
		},
		`clients have no capability "elicitaton"; did you mean "elicitation"?`: func(t testing.TB) { asking(t).Can("elicitaton") },
		`the prompt ask has no argument "stile"; did you mean "style"?`:        func(t testing.TB) { mcptest.New(t, library()).CompletePrompt("ask", "stile", "", nil) },
		`the prompt ask has no argument "topik"; did you mean "topic"?`: func(t testing.TB) {
			mcptest.New(t, library()).Get("ask", mcptest.Args{"style": "long", "topik": "rope"})
		},
		`the prompt fixed has no argument "topic", and no other one`: func(t testing.TB) {
			mcptest.New(t, library()).Get("fixed", mcptest.Args{"topic": "rope"})
		},
		`the template notes://{a} has no variable "b"; the known names are: a`:       func(t testing.TB) { mcptest.New(t, library()).CompleteResource("notes://{a}", "b", "", nil) },
		`the tool or prompt is nil; pass a pointer, such as &tools.EchoTool{}`:       func(t testing.TB) { mcptest.New(t, library()).Tool(nil, nil) },
		`the tool or prompt is nil; pass a pointer, such as &prompts.ReviewPrompt{}`: func(t testing.TB) { mcptest.New(t, library()).Prompt((*AskPrompt)(nil), nil) },
	} {
		if got := failuretest.Of(t, test); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	if got := failuretest.Of(t, func(t testing.TB) { asking(t).Can("experimental.acme", "extensions.acme/x") }); got != "" {
		t.Errorf("capabilities of the client's own: %s", got)
	}
}
