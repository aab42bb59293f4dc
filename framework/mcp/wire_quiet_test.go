package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// An answer is a stream only if a notification precedes it. A tool that sends no
// notification answers with one JSON object.
func TestAnAnswerIsAStreamOnlyAfterANotification(t *testing.T) {
	t.Parallel()
	const one, stream = "application/json", "text/event-stream"
	tell := func(token any) params {
		if token == nil {
			return params{}
		}
		return params{"_meta": params{"progressToken": token}}
	}
	for _, test := range []struct {
		name   string
		handle func(context.Context, *tools.Request) (tools.Result, error)
		token  any
		want   string
		method string // of the messages before the answer
	}{
		{"nothing is said", func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("done"), nil }, "p", one, ""},
		{"a stream of the result alone", func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			return tools.StreamFunc(ctx, func(send func(tools.Message) error) error { return send(tools.Text("done")) }), nil
		}, "p", one, ""},
		{"progress that nobody asked for", func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			return tools.StreamFunc(ctx, func(send func(tools.Message) error) error {
				return errors.Join(send(tools.Progress{Done: 1}), send(tools.Text("done")))
			}), nil
		}, nil, one, ""},
		{"progress that nobody asked the handler for", func(_ context.Context, request *tools.Request) (tools.Result, error) {
			return tools.Text("done"), request.Progress(1, 2, "half")
		}, nil, one, ""},
		{"progress that was asked for", func(_ context.Context, request *tools.Request) (tools.Result, error) {
			return tools.Text("done"), request.Progress(1, 2, "half")
		}, "p", stream, `"method":"notifications/progress"`},
		{"a notification", func(_ context.Context, request *tools.Request) (tools.Result, error) {
			return tools.Text("done"), request.Notify("acme/step", nil)
		}, nil, stream, `"method":"acme/step"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			modern := probeServer(t, mcp.Config{}, boxOf(doing("talk", test.handle)))
			legacy, _ := modern.as("2025-11-25")
			for _, p := range []*probe{modern, legacy} {
				given := tell(test.token)
				given["name"] = "talk"
				r := p.ask("tools/call", given)
				if got := r.header.Get("Content-Type"); got != test.want || len(r.notes) != map[string]int{one: 0, stream: 1}[test.want] ||
					!strings.Contains(fmt.Sprint(r.notes), test.method) {
					t.Errorf("%s: got %s with the notifications %s, want %s", p.version, got, r.notes, test.want)
				}
				if text, isError := r.text(); isError || text != "done" {
					t.Errorf("%s: the answer is %q", p.version, text)
				}
			}
		})
	}
}
