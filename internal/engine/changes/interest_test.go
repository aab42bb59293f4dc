package changes_test

import (
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// updated returns the change of a resource.
func updated(uri string) changes.Change {
	return changes.Change{Kind: changes.ResourceUpdated, URI: uri}
}

func TestAnInterestIncludesItsListsAndResources(t *testing.T) {
	t.Parallel()
	interest := changes.NewFeed().Interest(changes.Lists{Tools: true, Resources: true}, "", memory(), nil)
	if refused := interest.Add("a://b"); refused != nil {
		t.Fatal(refused)
	}
	for _, test := range []struct {
		change changes.Change
		want   bool
	}{
		{changes.Change{Kind: changes.ToolsChanged}, true},
		{changes.Change{Kind: changes.PromptsChanged}, false},
		{changes.Change{Kind: changes.ResourcesChanged}, true},
		{updated("a://b"), true},
		{updated("a://c"), false},
	} {
		if got := interest.Includes(test.change); got != test.want {
			t.Errorf("%+v is included: %t", test.change, got)
		}
	}
	if got := interest.Lists(); got != (changes.Lists{Tools: true, Resources: true}) {
		t.Errorf("the lists are %+v", got)
	}
	interest.Remove("a://b")
	interest.Remove("a://b")
	if interest.Includes(updated("a://b")) {
		t.Error("a resource that was taken out is included")
	}
	prompts := changes.NewFeed().Interest(changes.Lists{Prompts: true}, "", memory(), nil)
	if !prompts.Includes(changes.Change{Kind: changes.PromptsChanged}) {
		t.Error("the prompts are not included")
	}
}

func TestAnInterestIsLimited(t *testing.T) {
	t.Parallel()
	interest := changes.NewFeed().Interest(changes.Lists{}, "", memory(), nil)
	for i := range limits.MaxResources {
		if refused := interest.Add(fmt.Sprint("a://", i)); refused != nil {
			t.Fatalf("resource %d: %v", i, refused)
		}
	}
	if refused := interest.Add("a://0"); refused != nil {
		t.Errorf("a resource that it already has is refused: %v", refused)
	}
	const want = "Invalid params: at most 1000 resources may be subscribed to, and their URIs may have 65536 bytes together"
	if refused := interest.Add("a://more"); refused == nil || refused.Code != -32602 || refused.Message != want {
		t.Errorf("one more is answered with %v", refused)
	}
	interest.Remove("a://0")
	if refused := interest.Add("a://more"); refused != nil {
		t.Errorf("when one was taken out, the next is refused: %v", refused)
	}
	long := changes.NewFeed().Interest(changes.Lists{}, "", memory(), nil)
	uris := []string{strings.Repeat("a", 40<<10), strings.Repeat("b", 24<<10)}
	for _, uri := range uris {
		if refused := long.Add(uri); refused != nil {
			t.Fatal(refused)
		}
	}
	for _, uri := range uris {
		if refused := long.Add("c"); refused == nil || refused.Message != want {
			t.Errorf("a byte more is answered with %v", refused)
		}
		long.Remove(uri)
		if refused := long.Add(uri); refused != nil {
			t.Errorf("when a long one was taken out, it is refused: %v", refused)
		}
	}
}

// memory returns a large share of memory.
func memory() *throttle.Share {
	return &throttle.Share{Limit: 1 << 30, Client: 1 << 30, Spare: 1 << 20, Unit: "bytes"}
}

func TestTheInterestsOfAllClientsAreLimited(t *testing.T) {
	t.Parallel()
	feed, room, uri := changes.NewFeed(), memory(), strings.Repeat("a", 64<<10-64)
	room.Limit, room.Spare = 4*64<<10, 0
	interest := func() *changes.Interest { return feed.Interest(changes.Lists{}, "", room, nil) }
	var all []*changes.Interest
	for range 4 {
		all = append(all, interest())
		if refused := all[len(all)-1].Add(uri); refused != nil {
			t.Fatalf("client %d: %v", len(all), refused)
		}
	}
	next := interest()
	if refused := next.Add("b"); refused == nil || refused.Status != 503 {
		t.Errorf("one more is answered with %v", refused)
	}
	all[0].End()
	all[0].End()
	if refused := next.Add("b"); refused != nil {
		t.Errorf("after a client has disconnected, the next one is refused: %v", refused)
	}
	if refused := all[0].Add("b"); refused != nil || all[0].Includes(updated("b")) {
		t.Errorf("a disconnected client subscribes: %v", refused)
	}
	last := interest()
	if refused := last.Add(uri); refused == nil || refused.Status != 503 {
		t.Errorf("more than there is room for is answered with %v", refused)
	}
	all[1].Remove(uri)
	if refused := last.Add(uri); refused != nil {
		t.Errorf("when a resource was taken out, the next is refused: %v", refused)
	}
}

func TestTheInterestsOfOneClientHaveAShare(t *testing.T) {
	t.Parallel()
	feed, room, client := changes.NewFeed(), memory(), throttle.KeyOf("ada", netip.Addr{})
	room.Client, room.Spare, room.Logger = 1000, 0, slog.New(slog.DiscardHandler)
	for range 10 {
		if refused := feed.Interest(changes.Lists{}, "", room, &client).Add("a://b"); refused != nil {
			t.Fatal(refused)
		}
	}
	if refused := feed.Interest(changes.Lists{}, "", room, &client).Add(strings.Repeat("a", 500)); refused == nil || refused.Status != 429 {
		t.Errorf("beyond its share a client gets %v", refused)
	}
}
