package interop_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func listsTheOtherKinds(ctx context.Context, t *testing.T, c client) {
	for _, kind := range []struct {
		name string
		list func(context.Context) ([]string, error)
		want string
	}{
		{"resources", c.ListResources, "demo://guide"},
		{"templates", c.ListTemplates, "demo://knots/{name}"},
		{"prompts", c.ListPrompts, "code-review"},
	} {
		got, err := kind.list(ctx)
		if err != nil || !slices.Equal(got, []string{kind.want}) {
			t.Errorf("the %s are %v (error %v), want %s alone", kind.name, got, err, kind.want)
		}
	}
}

func readsResources(ctx context.Context, t *testing.T, c client) {
	for uri, want := range map[string]string{
		"demo://guide":         "# The demo server",
		"demo://knots/bowline": "A loop that neither slips nor jams.",
	} {
		texts, err := c.ReadResource(ctx, uri)
		if err != nil || len(texts) != 1 || !strings.HasPrefix(texts[0], want) {
			t.Errorf("%s holds %q (error %v), want one text that begins with %q", uri, texts, err, want)
		}
	}
}

func rejectsUnknownResource(ctx context.Context, t *testing.T, c client, oneCode bool) {
	want := -32002
	if oneCode || c.Version() == modern {
		want = -32602
	}
	for _, uri := range []string{"demo://none", "demo://knots/granny", "demo://knots/.."} {
		texts, err := c.ReadResource(ctx, uri)
		if rpc, ok := errors.AsType[*rpcError](err); !ok || rpc.Code != want {
			t.Errorf("%s: got %q and error %v, want JSON-RPC error %d", uri, texts, err, want)
		}
	}
}

func getsPrompts(ctx context.Context, t *testing.T, c client) {
	messages, err := c.GetPrompt(ctx, "code-review", map[string]string{"code": "x := 1", "language": "go"})
	want := []string{"user: You review code. Your tone is casual.", "user: Review this code:", "user: ```go\nx := 1\n```"}
	if err != nil || !slices.Equal(messages, want) {
		t.Errorf("got %q (error %v), want %q", messages, err, want)
	}
}

func rejectsMissingArgument(ctx context.Context, t *testing.T, c client) {
	messages, err := c.GetPrompt(ctx, "code-review", map[string]string{"language": "go"})
	if rpc, ok := errors.AsType[*rpcError](err); !ok || rpc.Code != -32602 || !strings.Contains(rpc.Message, "code") {
		t.Errorf("got %q and error %v, want JSON-RPC error -32602 that names the argument code", messages, err)
	}
}

func completes(ctx context.Context, t *testing.T, c client) {
	prompt := reference{Type: "ref/prompt", Name: "code-review"}
	template := reference{Type: "ref/resource", URI: "demo://knots/{name}"}
	for _, test := range []struct {
		ref             reference
		argument, value string
		want            []string
	}{
		{prompt, "language", "p", []string{"php", "python"}},
		{prompt, "style", "", []string{"casual", "formal"}},
		{template, "name", "fi", []string{"figure-eight", "fishermans-knot"}},
		{template, "name", "granny", nil},
	} {
		got, err := c.Complete(ctx, test.ref, test.argument, test.value)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s %q: got %q (error %v), want %q", test.argument, test.value, got, err, test.want)
		}
	}
}
