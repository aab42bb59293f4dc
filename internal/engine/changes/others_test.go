package changes_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/shared"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A sharedBus is the bus of a store, which may be down.
type sharedBus struct {
	*store.Memory
	busy chan struct{} // nil, or closed when messages may be sent
	lock sync.Mutex
	down bool
	most int // how many messages may be sent before it goes down; 0 for any number
	sent int
	long int // the longest payload
}

func (b *sharedBus) set(down bool) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.down = down
}

func (b *sharedBus) Publish(ctx context.Context, topic string, payload []byte) error {
	if b.busy != nil {
		<-b.busy
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.down || b.most > 0 && b.sent >= b.most {
		return errors.New("down")
	}
	b.sent, b.long = b.sent+1, max(b.long, len(payload))
	return b.Memory.Publish(ctx, topic, payload)
}

// A process has a feed of its own, whose changes its listener hears.
type process struct {
	*changes.Feed
	lists, items *changes.Topic
	heard        []string
	end          context.CancelFunc
}

// newProcess returns a process that shares a feed. Its topics are its own values, as in another
// process.
func newProcess(t *testing.T, bus *sharedBus, name string) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	p := &process{lists: &changes.Topic{Notification: "lists", Filter: "lists"}, items: &changes.Topic{Notification: "items", Filter: "items", Key: "key"}, end: cancel}
	p.Feed = changes.NewFeed(p.lists, p.items)
	p.Share(shared.New(ctx, bus, slog.New(slog.DiscardHandler)), name)
	synctest.Wait()
	p.Listen(func(change changes.Change) {
		text := "anything"
		if change.Topic != nil {
			text = strings.TrimSpace(fmt.Sprint(change.Topic.Notification, " ", change.Key))
		}
		if change.Private {
			text += " for " + change.Principal
		}
		p.heard = append(p.heard, text)
	})
	return p
}

// hears checks the changes since it was last called.
func (p *process) hears(t *testing.T, what string, want ...string) {
	t.Helper()
	synctest.Wait()
	if !slices.Equal(p.heard, want) {
		t.Errorf("%s: it hears %q, want %q", what, p.heard, want)
	}
	p.heard = nil
}

// inProcesses runs a test with two processes, and a third one of another server.
func inProcesses(t *testing.T, test func(t *testing.T, bus *sharedBus, one, two, other *process)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bus := &sharedBus{Memory: store.NewMemory()}
		test(t, bus, newProcess(t, bus, "a"), newProcess(t, bus, "a"), newProcess(t, bus, "b"))
	})
}

func TestChangesReachTheFeedsOfOtherProcesses(t *testing.T) {
	inProcesses(t, func(t *testing.T, _ *sharedBus, one, two, other *process) {
		one.Publish(changes.Change{Topic: one.lists})
		one.hears(t, "here", "lists")
		two.hears(t, "a list", "lists")
		one.Publish(changes.Change{Topic: one.items, Key: "a key\n"})
		two.hears(t, "a key", "items a key")
		two.Publish(changes.Change{Topic: two.lists, Private: true, Principal: "ada"})
		two.hears(t, "a private change here", "lists for ada")
		one.heard = one.heard[1:] // its own one
		one.hears(t, "a private change", "lists for ada")
		other.hears(t, "another server")
		one.Publish(changes.Change{Topic: &changes.Topic{Notification: "of a newer release"}})
		two.hears(t, "an unknown topic")
	})
}

func TestAClientThatConnectsLaterHearsOfChangesInOtherProcesses(t *testing.T) {
	inProcesses(t, func(t *testing.T, _ *sharedBus, one, two, _ *process) {
		interest := two.Interest([]*changes.Topic{two.lists}, "ada", memory(), nil)
		one.Publish(changes.Change{Topic: one.lists})
		synctest.Wait()
		var told []changes.Change
		two.Follow(interest, func(change changes.Change) error {
			told = append(told, change)
			return nil
		}, func(err error) { t.Error(err) }).Begin()
		if synctest.Wait(); len(told) != 1 || told[0].Topic != two.lists {
			t.Errorf("the client is notified of %v", told)
		}
	})
}

func TestChangesThatCannotBeSentBecomeAChangeOfAnything(t *testing.T) {
	inProcesses(t, func(t *testing.T, bus *sharedBus, one, two, _ *process) {
		bus.set(true)
		for i := range 100 {
			one.Publish(changes.Change{Topic: one.items, Key: fmt.Sprint(i)})
		}
		time.Sleep(3 * limits.StorePause)
		two.hears(t, "while the store fails")
		bus.set(false)
		time.Sleep(limits.StorePause)
		two.hears(t, "afterwards", "anything")
		one.heard = nil
		one.Publish(changes.Change{Topic: one.lists})
		two.hears(t, "the next change", "lists")
	})
}

func TestWaitingChangesAreFewAndEachIsSentOnce(t *testing.T) {
	for extra, want := range map[int]int{0: limits.StoreMessages + 1, 1: 2} { // the first change is on its way
		t.Run(fmt.Sprint(extra), func(t *testing.T) {
			inProcesses(t, func(t *testing.T, bus *sharedBus, one, two, _ *process) {
				bus.busy = make(chan struct{})
				one.Publish(changes.Change{Topic: one.lists})
				synctest.Wait()
				for range 2 {
					for i := range limits.StoreMessages + extra {
						one.Publish(changes.Change{Topic: one.items, Key: fmt.Sprint(i)})
					}
				}
				close(bus.busy)
				synctest.Wait()
				if bus.sent != want || extra > 0 && !slices.Equal(two.heard, []string{"lists", "anything"}) {
					t.Errorf("%d messages were sent, want %d: %.200q", bus.sent, want, two.heard)
				}
			})
		})
	}
}

func TestAfterAFailureTheOtherWaitingChangesAreNotSent(t *testing.T) {
	inProcesses(t, func(t *testing.T, bus *sharedBus, one, two, _ *process) {
		bus.busy, bus.most = make(chan struct{}), 2
		for i := range 10 {
			one.Publish(changes.Change{Topic: one.items, Key: fmt.Sprint(i)})
			synctest.Wait()
		}
		close(bus.busy)
		two.hears(t, "before the failure", "items 0", "items 1")
		bus.lock.Lock()
		bus.most = 0
		bus.lock.Unlock()
		time.Sleep(limits.StorePause)
		two.hears(t, "afterwards", "anything")
	})
}

func TestAChangeThatIsTooLongForAMessageIsAChangeOfAnything(t *testing.T) {
	inProcesses(t, func(t *testing.T, bus *sharedBus, one, two, _ *process) {
		for length := store.MaxMessage - 200; length < store.MaxMessage; length++ {
			one.Publish(changes.Change{Topic: one.items, Key: strings.Repeat("x", length)})
			synctest.Wait()
		}
		if bus.long != store.MaxMessage || two.heard[0] == "anything" || two.heard[len(two.heard)-1] != "anything" {
			t.Errorf("the longest message has %d bytes, and the last change is %.20q", bus.long, two.heard[len(two.heard)-1])
		}
	})
}

func TestAnythingNotifiesAClientOfAllThatItFollows(t *testing.T) {
	inProcesses(t, func(t *testing.T, bus *sharedBus, one, two, _ *process) {
		interest := two.Interest([]*changes.Topic{two.lists}, "ada", memory(), nil)
		for _, key := range []string{"a", "b"} {
			if refusal := interest.Add(two.items, key); refusal != nil {
				t.Fatal(refusal)
			}
		}
		var told []string
		two.Follow(interest, func(change changes.Change) error {
			told = append(told, change.Topic.Notification+" "+change.Key)
			return nil
		}, func(err error) { t.Error(err) }).Begin()
		bus.set(true)
		one.Publish(changes.Change{Topic: one.lists})
		synctest.Wait()
		bus.set(false)
		time.Sleep(limits.StorePause)
		synctest.Wait()
		slices.Sort(told)
		if !slices.Equal(told, []string{"items a", "items b", "lists "}) {
			t.Errorf("the client is notified of %q", told)
		}
	})
}

func TestTheEndOfTheProgramEndsTheSendingOfChanges(t *testing.T) {
	inProcesses(t, func(_ *testing.T, bus *sharedBus, one, _, _ *process) {
		bus.set(true)
		one.Publish(changes.Change{Topic: one.lists})
		synctest.Wait()
		one.end() // otherwise, a goroutine would be left
	})
}

// With the race detector, it finds that an extension which is started publishes beside Share.
func TestAFeedIsSharedWhileItPublishes(t *testing.T) {
	t.Parallel()
	lists := &changes.Topic{Notification: "lists", Filter: "lists"}
	feed := changes.NewFeed(lists)
	var group sync.WaitGroup
	group.Go(func() { feed.Publish(changes.Change{Topic: lists}) })
	feed.Share(shared.New(t.Context(), store.NewMemory(), slog.New(slog.DiscardHandler)), "a feed")
	group.Wait()
}
