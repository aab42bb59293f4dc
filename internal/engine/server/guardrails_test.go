package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
)

// around returns a client of a tool with a guardrail. The client gets the texts of errors.
func around(t *testing.T, runs *int, guard func(context.Context, *guardrails.Operation, guardrails.Next) error) *servertest.Client {
	t.Helper()
	config := servertest.Config(io.Discard)
	config.Debug = true
	tool := tools.New(tools.Definition{Name: "echo", Guardrails: []guardrails.Guardrail{guardrails.Func(guard)}}, func(context.Context, *tools.Request) (tools.Result, error) {
		*runs++
		return tools.Text("ho"), nil
	})
	client, err := servertest.New(&servertest.Server{ToolList: []servers.Tool{tool}}, config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestAGuardrailRunsTheHandlerOnceOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	var late func(ctx context.Context) error
	for name, test := range map[string]struct {
		guard func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error
		runs  int
		want  string
	}{
		"once": {func(ctx context.Context, o *guardrails.Operation, next guardrails.Next) error { return next(ctx, o) }, 1, `"text":"ho"`},
		"twice": {func(ctx context.Context, o *guardrails.Operation, next guardrails.Next) error {
			return errors.Join(next(ctx, o), next(ctx, o))
		}, 1, "a guardrail called next twice, or after it had returned"},
		"never": {func(context.Context, *guardrails.Operation, guardrails.Next) error { return nil }, 0,
			"a guardrail returned nil, although next was not called or failed; return an error instead"},
		"with an operation of its own": {func(ctx context.Context, o *guardrails.Operation, next guardrails.Next) error {
			own := *o
			return next(ctx, &own)
		}, 0, "a guardrail called next with another operation; pass on the one that it received"},
		"later": {func(_ context.Context, o *guardrails.Operation, next guardrails.Next) error {
			late = func(ctx context.Context) error { return next(ctx, o) }
			return guardrails.Errorf("Not now.")
		}, 0, "Not now."},
	} {
		runs := 0
		if got := around(t, &runs, test.guard).Call("echo", "{}"); runs != test.runs || !strings.Contains(got, test.want) {
			t.Errorf("%s: after %d runs got %s, want %s", name, runs, got, test.want)
		}
	}
	if err := late(t.Context()); err == nil || err.Error() != "a guardrail called next twice, or after it had returned" {
		t.Errorf("next results in %v after the guardrail has returned", err)
	}
}

func TestAGuardrailKnowsItsOperation(t *testing.T) {
	t.Parallel()
	runs := 0
	got := around(t, &runs, func(ctx context.Context, o *guardrails.Operation, next guardrails.Next) error {
		text, _ := o.Argument("text")
		before := fmt.Sprintf("%s %s of %s with %s, %d bytes", o.Kind, o.Name, o.Server, text, o.Size())
		if err := next(ctx, o); err != nil {
			return err
		}
		return guardrails.Errorf("%s, then %d bytes, failed: %t", before, o.Size(), o.IsError())
	}).Call("echo", `{}`)
	if want := "call echo of server with , 0 bytes, then 27 bytes, failed: false"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
