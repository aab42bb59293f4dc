package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// behave checks all behaviors of the demo server on one connection. Every client in
// interop_test.go runs it.
func behave(t *testing.T, c client, wants expectations) {
	ctx := testContext(t)

	if got := c.Version(); got != wants.Version {
		t.Errorf("the connection has the version %s, want %s", got, wants.Version)
	}
	t.Run("lists the tools", func(t *testing.T) { listsTools(ctx, t, c) })
	t.Run("echoes", func(t *testing.T) { echoes(ctx, t, c) })
	t.Run("calculates with a structured result", func(t *testing.T) { calculates(ctx, t, c) })
	t.Run("division by zero is a tool error", func(t *testing.T) { dividesByZero(ctx, t, c) })
	t.Run("streams tokens and progress before the result", func(t *testing.T) { streams(ctx, t, c, wants.SeesAnyMethod) })
	t.Run("deletes only when confirmed", func(t *testing.T) { confirms(ctx, t, c) })
	t.Run("an unknown tool is -32602", func(t *testing.T) { rejectsUnknownTool(ctx, t, c) })
	t.Run("a bad argument is a tool error that names it", func(t *testing.T) { namesBadArguments(ctx, t, c) })
	t.Run("lists resources, templates and prompts", func(t *testing.T) { listsTheOtherKinds(ctx, t, c) })
	t.Run("reads a resource, itself and by a template", func(t *testing.T) { readsResources(ctx, t, c) })
	t.Run("a resource that is not there is an error by its version", func(t *testing.T) { rejectsUnknownResource(ctx, t, c, wants.OneNotFound) })
	t.Run("gets a prompt", func(t *testing.T) { getsPrompts(ctx, t, c) })
	t.Run("a prompt's missing argument is -32602", func(t *testing.T) { rejectsMissingArgument(ctx, t, c) })
	t.Run("completes an argument and a variable", func(t *testing.T) { completes(ctx, t, c) })
	t.Run("still echoes after all of that", func(t *testing.T) { echoes(ctx, t, c) })
}

// expectations are the differences between the connections.
type expectations struct {
	// Version is the protocol version that both ends must agree on.
	Version string
	// SeesAnyMethod means that the library also delivers notifications whose method it
	// doesn't know.
	SeesAnyMethod bool
	// OneNotFound means that the library reports both codes for an unknown resource as
	// -32602.
	OneNotFound bool
}

func listsTools(ctx context.Context, t *testing.T, c client) {
	names, err := c.ListTools(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"echo", "calculate", "chat-streaming", "delete-page"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not listed; got %v", want, names)
		}
	}
}

func echoes(ctx context.Context, t *testing.T, c client) {
	const message = "hello"
	result := call(ctx, t, c, "echo", map[string]any{"message": message})
	if result.IsError || !slices.Equal(result.Texts, []string{message}) {
		t.Errorf("got %+v, want the one text %q", result, message)
	}
}

func calculates(ctx context.Context, t *testing.T, c client) {
	result := call(ctx, t, c, "calculate", map[string]any{"operation": "add", "a": 2, "b": 3})
	want := map[string]any{"result": 5.0}
	if got := textObject(t, result); result.IsError || got["result"] != want["result"] {
		t.Errorf("the text is %v, want %v", got, want)
	}
	// Versions before 2025-06-18 have no structuredContent, only the text.
	if c.Version() < "2025-06-18" {
		return
	}
	var structured map[string]any
	if err := json.Unmarshal(result.Structured, &structured); err != nil || structured["result"] != want["result"] {
		t.Errorf("structuredContent is %s, want %v", result.Structured, want)
	}
}

func dividesByZero(ctx context.Context, t *testing.T, c client) {
	result := call(ctx, t, c, "calculate", map[string]any{"operation": "divide", "a": 1, "b": 0})
	if !result.IsError || !strings.Contains(strings.Join(result.Texts, ""), "zero") {
		t.Errorf("got %+v, want an isError that mentions zero", result)
	}
}

func streams(ctx context.Context, t *testing.T, c client, seesAnyMethod bool) {
	const message = "tied with care"
	before := len(c.Notifications())
	result, err := c.CallTool(ctx, toolCall{Name: "chat-streaming", Arguments: map[string]any{"message": message}, Progress: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Message streamed successfully."; result.IsError || len(result.Texts) == 0 || result.Texts[len(result.Texts)-1] != want {
		t.Errorf("got %+v, want %q as the last text", result, want)
	}

	// Libraries dispatch notifications concurrently with the response, so the last one may
	// be delivered a moment later.
	var tokens string
	var progress []float64
	eventually(t, func() bool {
		tokens, progress = "", nil
		for _, n := range c.Notifications()[before:] {
			switch n.Method {
			case "chat/token":
				token, _ := n.Params["token"].(string)
				tokens += token
			case "notifications/progress":
				value, _ := n.Params["progress"].(float64)
				progress = append(progress, value)
			}
		}
		return (strings.TrimSpace(tokens) == message || !seesAnyMethod) && len(progress) > 0
	})
	if seesAnyMethod && strings.TrimSpace(tokens) != message {
		t.Errorf("the tokens read %q, want %q", tokens, message)
	}
	if len(progress) == 0 || !slices.IsSorted(progress) {
		t.Errorf("progress is %v, want at least one value and none that falls", progress)
	}
}

func confirms(ctx context.Context, t *testing.T, c client) {
	asked := call(ctx, t, c, "delete-page", map[string]any{"pageId": "page-7"})
	if got := textObject(t, asked); asked.IsError || got["status"] != "confirmation_required" || got["message"] == nil {
		t.Errorf("unconfirmed: got %v (isError %v), want status confirmation_required and a message", got, asked.IsError)
	}
	done := call(ctx, t, c, "delete-page", map[string]any{"pageId": "page-7", "confirmed": true})
	if got := textObject(t, done); done.IsError || got["status"] != "deleted" || got["pageId"] != "page-7" {
		t.Errorf("confirmed: got %v (isError %v), want status deleted and pageId page-7", got, done.IsError)
	}
}

// eventually waits a little for messages that are delivered after a response.
func eventually(t *testing.T, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline) && !happened(); {
		time.Sleep(20 * time.Millisecond)
	}
}

func rejectsUnknownTool(ctx context.Context, t *testing.T, c client) {
	result, err := c.CallTool(ctx, toolCall{Name: "no-such-tool", Arguments: map[string]any{}})
	if rpc, ok := errors.AsType[*rpcError](err); !ok || rpc.Code != -32602 {
		t.Errorf("got result %+v and error %v, want JSON-RPC error -32602", result, err)
	}
}

func namesBadArguments(ctx context.Context, t *testing.T, c client) {
	for name, arguments := range map[string]map[string]any{
		"missing":  {},
		"mistyped": {"message": 3},
	} {
		result := call(ctx, t, c, "echo", arguments)
		if !result.IsError || !strings.Contains(strings.Join(result.Texts, ""), "message") {
			t.Errorf("%s: got %+v, want an isError that names the argument message", name, result)
		}
	}
}

func call(ctx context.Context, t *testing.T, c client, tool string, arguments map[string]any) *toolResult {
	t.Helper()
	result, err := c.CallTool(ctx, toolCall{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// textObject reads the last text of a result as a JSON object: structured results are
// always repeated as text.
func textObject(t *testing.T, result *toolResult) map[string]any {
	t.Helper()
	var object map[string]any
	if len(result.Texts) == 0 {
		t.Fatalf("no text in %+v", result)
	}
	if err := json.Unmarshal([]byte(result.Texts[len(result.Texts)-1]), &object); err != nil {
		t.Fatalf("the text %q is not a JSON object: %v", result.Texts, err)
	}
	return object
}
