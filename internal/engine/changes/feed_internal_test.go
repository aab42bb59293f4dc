package changes

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// A feed knows the principals of connected clients only.
func TestAFeedForgetsAPrincipalWhoseClientsHaveLeft(t *testing.T) {
	t.Parallel()
	feed, memory := NewFeed(), &throttle.Share{Limit: 1 << 20, Client: 1 << 20, Unit: "bytes"}
	one, two := feed.Interest(nil, "ada", memory, nil), feed.Interest(nil, "ada", memory, nil)
	other := feed.Interest(nil, "bob", memory, nil)
	for range 2 { // an interest may end twice
		one.End()
	}
	if feed.principals["ada"] == nil {
		t.Error("the principal is forgotten while a client is connected")
	}
	two.End()
	feed.Publish(Change{Topic: &Topic{}, Private: true, Principal: "ada"})
	if len(feed.principals) != 1 || feed.principals["bob"] == nil {
		t.Errorf("of a principal with a client and one without, the feed knows %d", len(feed.principals))
	}
	other.End()
	if len(feed.principals) > 0 {
		t.Errorf("the feed has %d principals without clients", len(feed.principals))
	}
}
