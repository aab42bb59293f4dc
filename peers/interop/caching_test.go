package interop_test

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// TestCaching reads a resource of the guide's page on caching with the clients that reuse
// results for as long as the server allows. Each has a process of its own, since it changes the
// resource.
func TestCaching(t *testing.T) {
	t.Parallel()
	binary := buildPage(t, "caching")
	for name, connect := range map[string]func(context.Context, target) (client, error){
		"go-sdk at " + modern:       func(ctx context.Context, to target) (client, error) { return connectGoSDK(ctx, to, modern) },
		"go-sdk at " + newestLegacy: func(ctx context.Context, to target) (client, error) { return connectGoSDK(ctx, to, newestLegacy) },
		"typescript-v2 at " + modern: func(ctx context.Context, to target) (client, error) {
			return connectNode(ctx, "v2.mjs", "auto", to)
		},
		"typescript-v2 at " + newestLegacy: func(ctx context.Context, to target) (client, error) {
			return connectNode(ctx, "v2.mjs", "legacy", to)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(name, "typescript") {
				requireNode(t, "@modelcontextprotocol/client")
			}
			for _, to := range launch(t, binary).targets(t, "/mcp/shop", "shop") {
				t.Run(to.Name, func(t *testing.T) { reusesTheStock(t, to, connect) })
			}
		})
	}
}

// reusesTheStock reads the stock before and after it changes. A client of 2026-07-28 reuses what
// it has read, until it is notified of a change.
func reusesTheStock(t *testing.T, to target, connect func(context.Context, target) (client, error)) {
	t.Helper()
	ctx := testContext(t)
	c, err := connect(ctx, to)
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		texts, err := c.ReadResource(ctx, "shop://stock")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(texts, "")
	}
	if got := read(); got != "5 lamps" {
		t.Errorf("at first there are %s", got)
	}
	call(ctx, t, c, "sell-lamp", map[string]any{})
	want := "4 lamps"
	if c.Version() == modern {
		want = "5 lamps"
	}
	if got := read(); got != want {
		t.Errorf("after a sale, the client reads %s, want %s", got, want)
	}
	if err := c.Watch(ctx, "shop://stock"); err != nil {
		t.Fatal(err)
	}
	call(ctx, t, c, "sell-lamp", map[string]any{})
	eventually(t, func() bool {
		return slices.ContainsFunc(c.Notifications(), func(n notification) bool { return n.Method == "notifications/resources/updated" })
	})
	eventually(t, func() bool { return read() == "3 lamps" })
	if got := read(); got != "3 lamps" {
		t.Errorf("the client was notified by %v, but reads %s", c.Notifications(), got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
