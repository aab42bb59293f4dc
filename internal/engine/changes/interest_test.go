package changes_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// The topics of these tests: three lists, and the contents of resources.
var (
	toolsTopic     = &changes.Topic{Notification: "notifications/tools/list_changed", Filter: "toolsListChanged"}
	promptsTopic   = &changes.Topic{Notification: "notifications/prompts/list_changed", Filter: "promptsListChanged"}
	resourcesTopic = &changes.Topic{Notification: "notifications/resources/list_changed", Filter: "resourcesListChanged"}
	contents       = &changes.Topic{Notification: "notifications/resources/updated", Filter: "resourceSubscriptions", Key: "uri", Normalize: naming.NormalizeURI}
)

// updated returns the change of a resource.
func updated(uri string) changes.Change {
	return changes.Change{Topic: contents, Key: uri}
}

func TestAnInterestIncludesItsListsAndResources(t *testing.T) {
	t.Parallel()
	interest := changes.NewFeed().Interest([]*changes.Topic{toolsTopic, resourcesTopic}, "", memory(), nil)
	if refused := interest.Add(contents, "a://b"); refused != nil {
		t.Fatal(refused)
	}
	for _, test := range []struct {
		change changes.Change
		want   bool
	}{
		{changes.Change{Topic: toolsTopic}, true},
		{changes.Change{Topic: promptsTopic}, false},
		{changes.Change{Topic: resourcesTopic}, true},
		{updated("a://b"), true},
		{updated("a://c"), false},
	} {
		if got := interest.Includes(test.change); got != test.want {
			t.Errorf("%+v is included: %t", test.change, got)
		}
	}
	if got := interest.Topics(); !slices.Equal(got, []*changes.Topic{toolsTopic, resourcesTopic}) {
		t.Errorf("the topics are %+v", got)
	}
	interest.Remove(contents, "a://b")
	interest.Remove(contents, "a://b")
	if interest.Includes(updated("a://b")) {
		t.Error("a resource that was taken out is included")
	}
	prompts := changes.NewFeed().Interest([]*changes.Topic{promptsTopic}, "", memory(), nil)
	if !prompts.Includes(changes.Change{Topic: promptsTopic}) {
		t.Error("the prompts are not included")
	}
}

func TestAnInterestIsLimited(t *testing.T) {
	t.Parallel()
	interest := changes.NewFeed().Interest(nil, "", memory(), nil)
	for i := range limits.MaxResources {
		if refused := interest.Add(contents, fmt.Sprint("a://", i)); refused != nil {
			t.Fatalf("resource %d: %v", i, refused)
		}
	}
	if refused := interest.Add(contents, "a://0"); refused != nil {
		t.Errorf("a resource that it already has is refused: %v", refused)
	}
	const want = "Invalid params: at most 1000 resources may be subscribed to, and their URIs may have 65536 bytes together"
	if refused := interest.Add(contents, "a://more"); refused == nil || refused.Code != -32602 || refused.Message != want {
		t.Errorf("one more is answered with %v", refused)
	}
	interest.Remove(contents, "a://0")
	if refused := interest.Add(contents, "a://more"); refused != nil {
		t.Errorf("when one was taken out, the next is refused: %v", refused)
	}
	long := changes.NewFeed().Interest(nil, "", memory(), nil)
	uris := []string{strings.Repeat("a", 40<<10), strings.Repeat("b", 24<<10)}
	for _, uri := range uris {
		if refused := long.Add(contents, uri); refused != nil {
			t.Fatal(refused)
		}
	}
	for _, uri := range uris {
		if refused := long.Add(contents, "c"); refused == nil || refused.Message != want {
			t.Errorf("a byte more is answered with %v", refused)
		}
		long.Remove(contents, uri)
		if refused := long.Add(contents, uri); refused != nil {
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
	interest := func() *changes.Interest { return feed.Interest(nil, "", room, nil) }
	var all []*changes.Interest
	for range 4 {
		all = append(all, interest())
		if refused := all[len(all)-1].Add(contents, uri); refused != nil {
			t.Fatalf("client %d: %v", len(all), refused)
		}
	}
	next := interest()
	if refused := next.Add(contents, "b"); refused == nil || refused.Status != 503 {
		t.Errorf("one more is answered with %v", refused)
	}
	all[0].End()
	all[0].End()
	if refused := next.Add(contents, "b"); refused != nil {
		t.Errorf("after a client has disconnected, the next one is refused: %v", refused)
	}
	if refused := all[0].Add(contents, "b"); refused != nil || all[0].Includes(updated("b")) {
		t.Errorf("a disconnected client subscribes: %v", refused)
	}
	last := interest()
	if refused := last.Add(contents, uri); refused == nil || refused.Status != 503 {
		t.Errorf("more than there is room for is answered with %v", refused)
	}
	all[1].Remove(contents, uri)
	if refused := last.Add(contents, uri); refused != nil {
		t.Errorf("when a resource was taken out, the next is refused: %v", refused)
	}
}

func TestTheInterestsOfOneClientHaveAShare(t *testing.T) {
	t.Parallel()
	feed, room, client := changes.NewFeed(), memory(), throttle.KeyOf("ada", netip.Addr{})
	room.Client, room.Spare, room.Logger = 1000, 0, slog.New(slog.DiscardHandler)
	for range 10 {
		if refused := feed.Interest(nil, "", room, &client).Add(contents, "a://b"); refused != nil {
			t.Fatal(refused)
		}
	}
	if refused := feed.Interest(nil, "", room, &client).Add(contents, strings.Repeat("a", 500)); refused == nil || refused.Status != 429 {
		t.Errorf("beyond its share a client gets %v", refused)
	}
}

func TestSubscriptionsAreRecorded(t *testing.T) {
	t.Parallel()
	var recorded []string
	var refusal *exchange.Error
	interest := changes.NewFeed(contents).Interest(nil, "", memory(), nil)
	interest.Keep(func(_ context.Context, key string, follows bool) *exchange.Error {
		recorded = append(recorded, fmt.Sprint(key, follows))
		return refusal
	})
	follows := func(uri string, want bool) {
		t.Helper()
		if interest.Includes(updated(uri)) != want {
			t.Errorf("the client follows %s: %t, want %t", uri, !want, want)
		}
	}
	if got := interest.Subscribe(t.Context(), contents, "docs://a"); got != nil {
		t.Error(got)
	}
	follows("docs://a", true)
	refusal = &exchange.Error{Message: "the store fails"}
	if got := interest.Subscribe(t.Context(), contents, "docs://b"); got != refusal {
		t.Errorf("Subscribe returns %v", got)
	}
	follows("docs://b", false)
	if got := interest.Unsubscribe(t.Context(), contents, "docs://a"); got != refusal {
		t.Errorf("Unsubscribe returns %v", got)
	}
	follows("docs://a", true)
	refusal = nil
	if got := interest.Unsubscribe(t.Context(), contents, "docs://a"); got != nil {
		t.Error(got)
	}
	follows("docs://a", false)
	if got := interest.Subscribe(t.Context(), contents, strings.Repeat("x", limits.MaxResourceBytes+1)); got == nil {
		t.Error("a key that is too long is accepted")
	}
	if want := []string{"docs://atrue", "docs://btrue", "docs://afalse", "docs://afalse"}; !slices.Equal(recorded, want) {
		t.Errorf("recorded are %q, want %q", recorded, want)
	}
}

func TestTheKeysOfATopicAreReplaced(t *testing.T) {
	t.Parallel()
	other := &changes.Topic{Notification: "other", Filter: "other", Key: "key"}
	interest := changes.NewFeed(contents, other).Interest(nil, "", memory(), nil)
	for _, key := range []string{"docs://a", "DOCS://b"} {
		_ = interest.Add(contents, key)
		_ = interest.Add(other, key)
	}
	interest.Replace(contents, []string{"docs://b", "docs://c"}, nil)
	for key, want := range map[string]bool{"docs://a": false, "docs://b": true, "docs://c": true} {
		if interest.Includes(updated(key)) != want {
			t.Errorf("the client follows %s: %t, want %t", key, !want, want)
		}
	}
	if !interest.Includes(changes.Change{Topic: other, Key: "docs://a"}) {
		t.Error("the keys of another topic are gone")
	}
}

func TestASubscriptionThatCannotBeRecordedChangesNothing(t *testing.T) {
	t.Parallel()
	interest := changes.NewFeed().Interest(nil, "", memory(), nil)
	var down *exchange.Error
	interest.Keep(func(context.Context, string, bool) *exchange.Error { return down })
	if refusal := interest.Subscribe(t.Context(), contents, "a://old"); refusal != nil {
		t.Fatal(refusal)
	}
	down = &exchange.Error{Message: "down"}
	for _, uri := range []string{"a://old", "a://new"} {
		if refusal := interest.Subscribe(t.Context(), contents, uri); refusal != down {
			t.Errorf("subscribing to %s gets %v", uri, refusal)
		}
	}
	if refusal := interest.Unsubscribe(t.Context(), contents, "a://old"); refusal != down {
		t.Errorf("unsubscribing gets %v", refusal)
	}
	if !interest.Includes(updated("a://old")) || interest.Includes(updated("a://new")) {
		t.Error("what couldn't be recorded changes the interest")
	}
}
