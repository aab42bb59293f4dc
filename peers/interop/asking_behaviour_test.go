package interop_test

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// behaveAsked checks on one connection how the fixture asks a client. The user of a
// client library doesn't notice whether the server asks by a result or by a request.
func behaveAsked(t *testing.T, c client, wants expectations) {
	ctx := testContext(t)

	if got := c.Version(); got != wants.Version {
		t.Errorf("the connection has the version %s, want %s", got, wants.Version)
	}
	if wants.Version >= "2025-06-18" { // the first version with elicitation
		t.Run("a form is filled in", func(t *testing.T) {
			asks(ctx, t, c, "test_elicitation", map[string]any{"message": "Who are you?"}, answeredName, answeredEmail)
		})
		t.Run("a form of one round", func(t *testing.T) {
			asks(ctx, t, c, "test_input_required_result_elicitation", nil, "Hello, "+answeredName)
		})
	}
	t.Run("a model answers", func(t *testing.T) {
		asks(ctx, t, c, "test_sampling", map[string]any{"prompt": "What is the capital of France?"}, answeredText)
	})
	t.Run("the roots are known", func(t *testing.T) { asks(ctx, t, c, "test_input_required_result_list_roots", nil, answeredRoot) })
	t.Run("progress comes before the result", func(t *testing.T) { progresses(ctx, t, c) })
	t.Run("a resource is read", func(t *testing.T) {
		if texts, err := c.ReadResource(ctx, "test://static-text"); err != nil || len(texts) != 1 || texts[0] == "" {
			t.Errorf("got %q, %v", texts, err)
		}
	})
	t.Run("a prompt is got", func(t *testing.T) {
		messages, err := c.GetPrompt(ctx, "test_prompt_with_arguments", map[string]string{"arg1": "one", "arg2": "two"})
		if text := strings.Join(messages, " "); err != nil || !strings.Contains(text, "one") || !strings.Contains(text, "two") {
			t.Errorf("got %q, %v", messages, err)
		}
	})
}

// asks calls a tool that asks the client, and checks the answers in its result.
func asks(ctx context.Context, t *testing.T, c client, tool string, arguments map[string]any, wants ...string) {
	if arguments == nil {
		arguments = map[string]any{}
	}
	result := call(ctx, t, c, tool, arguments)
	for _, want := range wants {
		if text := strings.Join(result.Texts, " "); result.IsError || !strings.Contains(text, want) {
			t.Errorf("got %+v, want a text with %q", result, want)
		}
	}
}

func progresses(ctx context.Context, t *testing.T, c client) {
	before := len(c.Notifications())
	if result, err := c.CallTool(ctx, toolCall{Name: "test_tool_with_progress", Arguments: map[string]any{}, Progress: true}); err != nil || result.IsError {
		t.Fatalf("got %+v, %v", result, err)
	}
	var progress []float64
	eventually(t, func() bool {
		progress = nil
		for _, n := range c.Notifications()[before:] {
			if value, ok := n.Params["progress"].(float64); ok && n.Method == "notifications/progress" {
				progress = append(progress, value)
			}
		}
		return len(progress) >= 3
	})
	if len(progress) < 3 || !slices.IsSorted(progress) {
		t.Errorf("progress is %v, want three values that rise", progress)
	}
}
