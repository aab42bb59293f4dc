package changes_test

import (
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/changes"
)

func TestAFeedNotifiesAllListeners(t *testing.T) {
	t.Parallel()
	feed, heard := changes.NewFeed(), map[int]int{}
	stops := map[int]func(){}
	for i := range 10_000 {
		stops[i] = feed.Listen(func(change changes.Change) {
			if change.URI == "a://b" {
				heard[i]++
			}
		})
	}
	updated := changes.Change{Kind: changes.ResourceUpdated, URI: "a://b"}
	feed.Publish(updated)
	for i := range 5_000 {
		stops[i]()
	}
	feed.Publish(updated)
	for i := range 10_000 {
		if want := 1 + i/5_000; heard[i] != want {
			t.Fatalf("listener %d got %d changes, want %d", i, heard[i], want)
		}
	}
}

func TestAFeedWithoutListenersAcceptsNewOnes(t *testing.T) {
	t.Parallel()
	feed := changes.NewFeed()
	feed.Publish(changes.Change{Kind: changes.ToolsChanged}) // without listeners
	var heard []changes.ChangeKind
	for range 2 {
		stop := feed.Listen(func(change changes.Change) { heard = append(heard, change.Kind) })
		feed.Publish(changes.Change{Kind: changes.PromptsChanged})
		stop()
		feed.Publish(changes.Change{Kind: changes.ToolsChanged})
	}
	if want := []changes.ChangeKind{changes.PromptsChanged, changes.PromptsChanged}; !slices.Equal(heard, want) {
		t.Errorf("got %v, want %v", heard, want)
	}
}

func TestNotificationsOfChangesHaveTheirWireForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		change       changes.Change
		subscription string
		want         string
	}{
		{changes.Change{Kind: changes.ToolsChanged}, ``, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`},
		{changes.Change{Kind: changes.PromptsChanged}, ``, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`},
		{changes.Change{Kind: changes.ResourcesChanged}, ``, `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`},
		{
			changes.Change{Kind: changes.ResourceUpdated, URI: "a://\"b\""}, ``,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://\"b\""}}`,
		},
		{
			changes.Change{Kind: changes.ToolsChanged}, `7`,
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`,
		},
		{
			changes.Change{Kind: changes.ResourceUpdated, URI: "a://b"}, `"7"`,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","_meta":{"io.modelcontextprotocol/subscriptionId":"7"}}}`,
		},
	} {
		var subscription []byte
		if test.subscription != "" {
			subscription = []byte(test.subscription)
		}
		if got := string(test.change.AppendNotification(nil, subscription)); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
