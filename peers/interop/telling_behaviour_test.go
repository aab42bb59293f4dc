package interop_test

import (
	"context"
	"slices"
	"testing"
)

// watched is the resource of the fixture that changes.
const watched = "test://watched-resource"

// behaveTold changes the fixture, and checks that the client is notified: in the modern era
// on the streams that it opens, in older versions without a request.
func behaveTold(ctx context.Context, t *testing.T, c client) {
	if err := c.Watch(ctx, watched); err != nil {
		t.Fatalf("the client can't watch: %v", err)
	}
	for _, test := range []struct{ what, tool, method string }{
		{"the list of tools changes", "test_trigger_tool_change", "notifications/tools/list_changed"},
		{"a resource changes", "test_trigger_resource_change", "notifications/resources/updated"},
	} {
		t.Run(test.what, func(t *testing.T) {
			before := len(c.Notifications())
			if result := call(ctx, t, c, test.tool, map[string]any{}); result.IsError {
				t.Fatalf("got %+v", result)
			}
			told := func(n notification) bool {
				return n.Method == test.method && (n.Params["uri"] == nil || n.Params["uri"] == watched)
			}
			eventually(t, func() bool { return slices.ContainsFunc(c.Notifications()[before:], told) })
			if !slices.ContainsFunc(c.Notifications()[before:], told) {
				t.Errorf("the client has heard of %v", c.Notifications()[before:])
			}
		})
	}
}
