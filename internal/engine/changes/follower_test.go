package changes_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/changes"
)

// A reader is a client that takes some time to read each change.
type reader struct {
	*changes.Follower
	feed *changes.Feed

	lock   sync.Mutex
	told   []changes.Change // the changes that it began to read
	failed []error
}

func (r *reader) tell(change changes.Change) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.told = append(r.told, change)
}

func (r *reader) fail(err error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.failed = append(r.failed, err)
}

// saw returns the changes that the client got, and the errors of the follower.
func (r *reader) saw() ([]changes.Change, []error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.Clone(r.told), slices.Clone(r.failed)
}

// listening returns a reader whose follower hasn't begun. It takes the given time for each
// change.
func listening(takes time.Duration, uris ...string) *reader {
	r := &reader{feed: changes.NewFeed()}
	interest := r.feed.Interest([]*changes.Topic{toolsTopic, promptsTopic}, "", memory(), nil)
	for _, uri := range uris {
		if refused := interest.Add(contents, uri); refused != nil {
			panic(refused)
		}
	}
	r.Follower = r.feed.Follow(interest, func(change changes.Change) error {
		r.tell(change)
		time.Sleep(takes)
		return nil
	}, r.fail)
	return r
}

func follow(takes time.Duration, uris ...string) *reader {
	r := listening(takes, uris...)
	r.Begin()
	return r
}

// change changes the tools and the prompts.
func (r *reader) change() {
	r.feed.Publish(changes.Change{Topic: toolsTopic})
	r.feed.Publish(changes.Change{Topic: promptsTopic})
	synctest.Wait()
}

func TestAFollowerSendsTheChangesInItsInterestAfterBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := listening(0, "a://b")
		r.change()
		if told, _ := r.saw(); told != nil {
			t.Errorf("before Begin, it gets %v", told)
		}
		r.feed.Publish(changes.Change{Topic: resourcesTopic})
		r.feed.Publish(updated("a://c"))
		r.feed.Publish(updated("a://b"))
		r.Begin()
		synctest.Wait()
		want := []changes.Change{{Topic: toolsTopic}, {Topic: promptsTopic}, updated("a://b")}
		if told, failed := r.saw(); !slices.Equal(told, want) || failed != nil {
			t.Errorf("it gets %v, and fails with %v", told, failed)
		}
	})
}

func TestAChangeHasTheClientsSpellingOfTheURI(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := follow(0, "a://é", "a://%62")
		for _, uri := range []string{"a://%C3%A9", "a://b", "A://%c3%a9"} {
			r.feed.Publish(updated(uri))
			synctest.Wait()
		}
		if told, _ := r.saw(); !slices.Equal(told, []changes.Change{updated("a://é"), updated("a://%62"), updated("a://é")}) {
			t.Errorf("it gets %v", told)
		}
	})
}

// A client requests the lists before it listens.
func TestListsThatChangedSinceTheInterestWasMadeAreSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &reader{feed: changes.NewFeed()}
		r.change() // before
		interest := r.feed.Interest([]*changes.Topic{toolsTopic, resourcesTopic}, "", memory(), nil)
		for range 2 {
			r.change()
			r.feed.Publish(changes.Change{Topic: resourcesTopic})
			r.feed.Publish(updated("a://b"))
		}
		follow := func() {
			r.Follower = r.feed.Follow(interest, func(change changes.Change) error {
				r.tell(change)
				return nil
			}, r.fail)
			r.Begin()
			synctest.Wait()
		}
		follow()
		want := []changes.Change{{Topic: toolsTopic}, {Topic: resourcesTopic}}
		if told, _ := r.saw(); !slices.Equal(told, want) {
			t.Errorf("it gets %v, want %v", told, want)
		}
		r.Stop()
		follow()
		if told, _ := r.saw(); !slices.Equal(told, want) {
			t.Errorf("when it follows again, it gets %v, want %v", told, want)
		}
		r.Stop()
	})
}

func TestAPendingChangeIsSentOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := follow(time.Second)
		for range 100 {
			r.change()
		}
		time.Sleep(time.Hour)
		if told, _ := r.saw(); len(told) < 3 || len(told) > 4 {
			t.Errorf("it gets %v", told)
		}
	})
}

func TestASlowClientDoesNotDelayTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := follow(30 * time.Second)
		fast := &reader{}
		fast.Follower = slow.feed.Follow(slow.feed.Interest([]*changes.Topic{toolsTopic}, "", memory(), nil), func(change changes.Change) error {
			fast.tell(change)
			return nil
		}, fast.fail)
		fast.Begin()
		for range 10 {
			slow.feed.Publish(changes.Change{Topic: toolsTopic})
			time.Sleep(time.Second)
		}
		if told, _ := fast.saw(); len(told) != 10 {
			t.Errorf("beside a slow one, it gets %d changes", len(told))
		}
		time.Sleep(time.Hour)
	})
}

func TestAClientThatDoesNotReadGetsNoMoreChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := follow(time.Hour)
		r.change()
		time.Sleep(time.Minute)
		r.change()
		if _, failed := r.saw(); failed != nil {
			t.Fatalf("within a minute it fails with %v", failed)
		}
		time.Sleep(time.Second)
		r.change()
		if _, failed := r.saw(); len(failed) != 1 || !errors.Is(failed[0], changes.ErrTooSlow) {
			t.Errorf("after a minute it fails with %v, want %v", failed, changes.ErrTooSlow)
		}
		time.Sleep(2 * time.Hour)
		r.change()
		if told, failed := r.saw(); len(failed) != 1 || len(told) != 1 {
			t.Errorf("afterwards it gets %d changes, and fails with %v", len(told)-1, failed)
		}
	})
}

// The limit of a minute applies to each change.
func TestASlowClientGetsEveryChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := follow(50 * time.Second)
		for range 10 {
			r.change()
			time.Sleep(40 * time.Second)
		}
		time.Sleep(time.Hour)
		r.change()
		time.Sleep(time.Hour)
		if told, failed := r.saw(); failed != nil || len(told) < 8 {
			t.Errorf("it gets %d changes, and fails with %v", len(told), failed)
		}
	})
}

func TestADisconnectedClientGetsNoMoreChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone, r := errors.New("gone"), &reader{feed: changes.NewFeed()}
		r.Follower = r.feed.Follow(r.feed.Interest([]*changes.Topic{toolsTopic, promptsTopic}, "", memory(), nil), func(change changes.Change) error {
			r.tell(change)
			return gone
		}, r.fail)
		r.change()
		r.Begin()
		synctest.Wait()
		r.change()
		r.End(func() { t.Error("last is called for a disconnected client") })
		synctest.Wait()
		if told, failed := r.saw(); len(told) != 1 || len(failed) != 1 || !errors.Is(failed[0], gone) {
			t.Errorf("it gets %v, and fails with %v", told, failed)
		}
	})
}

func TestAStoppedFollowerSendsNoChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := follow(time.Second)
		r.change() // it reads only the first
		r.Stop()
		r.change()
		r.End(func() { t.Error("one that has stopped ends once more") })
		time.Sleep(time.Hour)
		if told, failed := r.saw(); len(told) != 1 || failed != nil {
			t.Errorf("it gets %v, and fails with %v", told, failed)
		}
	})
}

func TestTheEndFollowsThePendingChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, takes := range map[string]time.Duration{"a fast client": 0, "a slow client": time.Second} {
			r, ends := follow(takes), []string{}
			r.change()
			end := func(what string) func() {
				return func() {
					told, _ := r.saw()
					ends = append(ends, fmt.Sprint(what, " after ", len(told)))
				}
			}
			r.End(end("the first"))
			r.End(end("the second"))
			time.Sleep(time.Hour)
			r.change()
			time.Sleep(time.Hour)
			if told, failed := r.saw(); !slices.Equal(ends, []string{"the first after 2"}) || len(told) != 2 || failed != nil {
				t.Errorf("%s: it ends with %q, got %v, and fails with %v", name, ends, told, failed)
			}
		}
	})
}

func TestAFollowerMayEndBeforeItBegins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, ended := listening(0), false
		r.change()
		r.End(func() { ended = true })
		synctest.Wait()
		if ended {
			t.Error("it ends before it gets the pending changes")
		}
		r.Begin()
		synctest.Wait()
		if told, _ := r.saw(); !ended || len(told) != 2 {
			t.Errorf("it ended: %t, and got %v", ended, told)
		}
	})
}

// of returns a reader of a principal's changes, whose interest is there before its follower.
func of(feed *changes.Feed, principal string) (r *reader, begin func()) {
	r = &reader{feed: feed}
	interest := feed.Interest([]*changes.Topic{toolsTopic, promptsTopic}, principal, memory(), nil)
	return r, func() {
		r.Follower = feed.Follow(interest, func(change changes.Change) error {
			r.tell(change)
			return nil
		}, r.fail)
		r.Begin()
		synctest.Wait()
	}
}

func TestAPrivateChangeReachesItsPrincipalOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := changes.NewFeed()
		private := func(topic *changes.Topic, principal string) {
			feed.Publish(changes.Change{Topic: topic, Private: true, Principal: principal})
			synctest.Wait()
		}
		told := map[string][]changes.Change{}
		readers := map[string]*reader{}
		var begins []func()
		for _, name := range []string{"ada", "bob", ""} {
			r, begin := of(feed, name)
			readers[name], begins = r, append(begins, begin)
		}
		for _, name := range []string{"ada", ""} { // before they listen
			private(promptsTopic, name)
			told[name] = []changes.Change{{Topic: promptsTopic}}
		}
		for _, begin := range begins {
			begin()
		}
		private(toolsTopic, "bob")
		private(toolsTopic, "eve")
		told["bob"] = append(told["bob"], changes.Change{Topic: toolsTopic})
		private(toolsTopic, "")
		told[""] = append(told[""], changes.Change{Topic: toolsTopic})
		private(resourcesTopic, "ada") // nobody follows the resources
		feed.Publish(changes.Change{Topic: toolsTopic})
		synctest.Wait()
		for name, r := range readers {
			want := append(told[name], changes.Change{Topic: toolsTopic})
			if got, failed := r.saw(); !slices.Equal(got, want) || failed != nil {
				t.Errorf("%q gets %v, and fails with %v; want %v", name, got, failed, want)
			}
		}
	})
}

// A burst of changes of all kinds is one for a client.
func TestAPrivateChangeIsPendingOnceWithTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := follow(time.Second)
		for range 100 {
			r.feed.Publish(changes.Change{Topic: toolsTopic, Private: true})
			r.feed.Publish(changes.Change{Topic: toolsTopic, Private: true, Principal: "ada"})
			r.feed.Publish(changes.Change{Topic: toolsTopic})
		}
		time.Sleep(time.Hour)
		if told, _ := r.saw(); len(told) > 2 {
			t.Errorf("it gets %v", told)
		}
	})
}
