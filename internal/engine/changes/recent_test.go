package changes_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A process hears of a key that its client has followed in another process for a second.
func TestAnInterestFindsWhatHasChangedSinceItsClientFollowsAKey(t *testing.T) {
	other := &changes.Topic{Notification: "other", Filter: "other", Key: "key"}
	for _, test := range []struct {
		name    string
		happens func(p *process)
		missed  int
	}{
		{"the key changes", func(p *process) { p.Publish(changes.Change{Topic: p.items, Key: "a"}) }, 1},
		{"another key changes", func(p *process) { p.Publish(changes.Change{Topic: p.items, Key: "b"}) }, 0},
		{"the key of another topic changes", func(p *process) { p.Publish(changes.Change{Topic: other, Key: "a"}) }, 0},
		{"a list changes", func(p *process) { p.Publish(changes.Change{Topic: p.lists}) }, 0},
		{"it changes for the principal", func(p *process) {
			p.Publish(changes.Change{Topic: p.items, Key: "a", Private: true, Principal: "ada"})
		}, 1},
		{"it changes for another principal", func(p *process) {
			p.Publish(changes.Change{Topic: p.items, Key: "a", Private: true, Principal: "bob"})
		}, 0},
		{"more keys change than are known", func(p *process) {
			p.Publish(changes.Change{Topic: p.items, Key: "a"})
			for i := range limits.MaxRecent {
				p.Publish(changes.Change{Topic: p.items, Key: fmt.Sprint(i)})
			}
		}, 1},
		{"changes may have been lost", func(p *process) { p.Publish(changes.Change{}) }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProcess(t, &sharedBus{Memory: store.NewMemory()}, "server")
				p.Publish(changes.Change{Topic: p.items, Key: "a"}) // before its client follows it
				time.Sleep(limits.RecentTime / 2)
				since := time.Now()
				time.Sleep(time.Second)
				test.happens(p)
				interest := p.Interest(nil, "ada", memory(), nil)
				if missed := interest.Replace(p.items, []string{"a", "c"}, map[string]time.Time{"a": since}); len(missed) != test.missed {
					t.Errorf("it has missed %v, want %d changes", missed, test.missed)
				}
				if missed := interest.Replace(p.items, []string{"a"}, map[string]time.Time{"a": since}); missed != nil {
					t.Errorf("a second time, it has missed %v", missed)
				}
			})
		})
	}
}

// The clocks of the processes may differ a little.
func TestAnInterestFindsWhatHasChangedJustBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, &sharedBus{Memory: store.NewMemory()}, "server")
		time.Sleep(time.Second)
		p.Publish(changes.Change{Topic: p.items, Key: "a"})
		for later, want := range map[time.Duration]int{limits.ClockSkew / 2: 1, 2 * limits.ClockSkew: 0} {
			since := map[string]time.Time{"a": time.Now().Add(later)}
			if missed := p.Interest(nil, "", memory(), nil).Replace(p.items, []string{"a"}, since); len(missed) != want {
				t.Errorf("%s after the change, the client has missed %v, want %d changes", later, missed, want)
			}
		}
	})
}

func TestAFeedForgetsOldChanges(t *testing.T) {
	for _, test := range []struct {
		name string
		age  time.Duration // of the change of b
		want int
	}{{"old", limits.RecentTime + time.Second, 1}, {"recent", limits.RecentTime, 0}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProcess(t, &sharedBus{Memory: store.NewMemory()}, "server")
				time.Sleep(2 * limits.RecentTime) // before that, it may have missed changes
				before := map[string]time.Time{"a": time.Now().Add(-time.Second)}
				p.Publish(changes.Change{Topic: p.items, Key: "b"})
				time.Sleep(test.age)
				p.Publish(changes.Change{Topic: p.items, Key: "c"}) // which makes the feed forget b if that is old
				if missed := p.Interest(nil, "", memory(), nil).Replace(p.items, []string{"a"}, before); len(missed) != test.want {
					t.Errorf("the client has missed %v, want %d changes", missed, test.want)
				}
			})
		})
	}
}

func TestAFeedOfOneProcessKnowsNoRecentChanges(t *testing.T) {
	t.Parallel()
	feed := changes.NewFeed(contents)
	feed.Publish(updated("docs://a"))
	since := map[string]time.Time{"docs://a": time.Now().Add(-time.Second)}
	if missed := feed.Interest(nil, "", memory(), nil).Replace(contents, []string{"docs://a"}, since); missed != nil {
		t.Errorf("the client has missed %v", missed)
	}
}
