package mcptest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
)

// NoteResource is a template.
type NoteResource struct{ resources.Resource }

func (*NoteResource) URI() string { return "notes://{folder}/{name}" }

func (*NoteResource) Variables(variables *resources.Variables) {
	variables.Variable("name").Complete(completion.Func(func(_ context.Context, r *completion.Request) ([]string, error) {
		return []string{r.Argument("folder") + "-" + r.Value + "1", "other"}, nil
	}))
}

func (*NoteResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	if request.Variable("name") == "locked" {
		return nil, resources.Errorf("The note is locked.")
	}
	user, _ := ctx.Value(userKey{}).(string)
	return resources.Contents(
		content.Resource{Text: request.Variable("folder") + "," + request.Variable("name") + "," + user},
		content.Resource{URI: "notes://image", Blob: []byte("bytes")},
		content.Resource{Text: "second"},
	), nil
}

// AskPrompt is a prompt with an argument.
type AskPrompt struct{ prompts.Prompt }

func (*AskPrompt) Description() string { return "Asks." }

func (*AskPrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("topic").Required()
	arguments.Argument("style").Enum("short", "long")
}

func (*AskPrompt) Handle(_ context.Context, request *prompts.Request) (prompts.Result, error) {
	if request.String("topic") == "" {
		return nil, errors.New("secret")
	}
	return prompts.Messages{
		prompts.User("What is "+request.String("topic")+"?", content.Link("notes://a/b", "")),
		prompts.Assistant("I don't know."),
	}, nil
}

func library() servers.Interface {
	return &libraryServer{
		resources: []servers.Resource{&NoteResource{}},
		prompts: []servers.Prompt{&AskPrompt{}, prompts.New(prompts.Definition{Name: "fixed"}, func(context.Context, *prompts.Request) (prompts.Result, error) {
			return prompts.User("fixed"), nil
		})},
	}
}

type libraryServer struct {
	servers.Server
	resources []servers.Resource
	prompts   []servers.Prompt
}

func (s *libraryServer) Resources() []servers.Resource { return s.resources }
func (s *libraryServer) Prompts() []servers.Prompt     { return s.prompts }

func TestAResourceIsReadByItsURI(t *testing.T) {
	t.Parallel()
	got := mcptest.Resource(t, &NoteResource{}, "notes://a/b").AssertOK().AssertSee("a,b,\n", "second")
	if contents := got.Read.Contents; len(contents) != 3 || contents[1].URI != "notes://image" || string(contents[1].Blob) != "bytes" {
		t.Errorf("got %+v", contents)
	}
	mcptest.Resource(t, &NoteResource{}, "notes://a/locked").AssertError("The note is locked.")
	client := mcptest.New(t, library())
	client.With(context.WithValue(t.Context(), userKey{}, "ann")).Read("notes://x/y").AssertOK().AssertSee("x,y,ann")
	if missing := client.Read("notes://x").AssertError("Resource not found: notes://x"); missing.Err.Code != -32602 || missing.Read != nil {
		t.Errorf("got %+v", missing.Err)
	}
}

func TestAURIIsEncodedForItsHeader(t *testing.T) {
	t.Parallel()
	mcptest.Resource(t, &NoteResource{}, "notes://a/é").AssertOK().AssertSee("a,é,")
	mcptest.Resource(t, &NoteResource{}, "notes://a/\n").AssertError("Resource not found: notes://a/\n")
	mcptest.Resource(t, &NoteResource{}, "=?base64?x?=").AssertError("Resource not found: =?base64?x?=")
}

func TestGetFindsAPromptByTypeOrName(t *testing.T) {
	t.Parallel()
	got := mcptest.Prompt(t, &AskPrompt{}, mcptest.Args{"topic": "a knot"}).AssertOK()
	if want := "What is a knot?\nnotes://a/b\nI don't know."; got.Text() != want {
		t.Errorf("the text is %q, want %q", got.Text(), want)
	}
	if messages := got.Get.Messages; len(messages) != 3 || messages[2].Role != content.Assistant {
		t.Errorf("got %+v", messages)
	}
	client := mcptest.New(t, library())
	client.Prompt(&AskPrompt{}, mcptest.Args{"topic": "rope"}).AssertOK().AssertSee("What is rope?")
	client.Get("ask", mcptest.Args{"topic": "rope"}).AssertOK().AssertSee("What is rope?")
	client.Get("fixed", nil).AssertOK().AssertSee("fixed")
	client.Get("ask", nil).AssertError(`"topic" is missing`)
	client.Get("ask", mcptest.Args{"topic": ""}).AssertError("Internal error")
	client.Get("fixet", nil).AssertError(`Unknown prompt "fixet"; did you mean "fixed"?`)
}

func TestAnArgumentOrAVariableIsCompleted(t *testing.T) {
	t.Parallel()
	client := mcptest.New(t, library())
	enum := client.CompletePrompt("ask", "style", "s", nil).AssertOK()
	if got := enum.Completion; len(got.Values) != 1 || got.Values[0] != "short" || got.Total == nil || *got.Total != 1 {
		t.Errorf("got %+v", got)
	}
	several := client.CompleteResource("notes://{folder}/{name}", "name", "n", map[string]string{"folder": "home"}).AssertOK()
	if want := "home-n1\nother"; several.Text() != want {
		t.Errorf("the text is %q, want %q", several.Text(), want)
	}
	client.CompletePrompt("none", "style", "", nil).AssertError(`Unknown prompt "none"`)
	client.CompleteResource("none://{x}", "x", "", nil).AssertError("Resource not found: none://{x}")
}

func TestAssertionsOfOtherKindsFailWhenTheyShould(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		assert func(*mcptest.Client)
		want   string
	}{
		{"see what a resource does not hold", func(c *mcptest.Client) { c.Read("notes://a/b").AssertSee("moon") }, "the answer does not contain \"moon\":\na,b,\n\nsecond"},
		{"see what a prompt does not say", func(c *mcptest.Client) { c.Get("fixed", nil).AssertSee("moon") }, "the answer does not contain \"moon\":\nfixed"},
		{"see what is not suggested", func(c *mcptest.Client) { c.CompletePrompt("ask", "style", "", nil).AssertSee("moon") }, "the answer does not contain \"moon\":\nshort\nlong"},
		{"completes", func(c *mcptest.Client) {
			c.CompletePrompt("ask", "style", "", nil).AssertCompletes("short", "long")
		}, ""},
		{"completes in another order", func(c *mcptest.Client) {
			c.CompletePrompt("ask", "style", "", nil).AssertCompletes("long", "short")
		},
			`the suggestions are ["short" "long"], want ["long" "short"]`},
		{"completes nothing", func(c *mcptest.Client) { c.CompletePrompt("ask", "style", "x", nil).AssertCompletes() }, ""},
		{"error of contents", func(c *mcptest.Client) { c.Read("notes://a/b").AssertError() }, "the call did not fail; its answer is: a,b,\n\nsecond"},
		{"ok of what is not found", func(c *mcptest.Client) { c.Read("notes://a").AssertOK() }, "the call failed with the JSON-RPC error -32602: Resource not found: notes://a"},
		{"structured content of a prompt", func(c *mcptest.Client) { c.Get("fixed", nil).AssertStructured(1) }, "the answer has no structured content: fixed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := failuretest.Of(t, func(t testing.TB) { test.assert(mcptest.New(t, library())) }); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
