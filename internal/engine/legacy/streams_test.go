package legacy_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
)

func TestABrokenAnswerIsResumedByAGet(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			transporttest.Bubble(t, func(t *testing.T) {
				s := newServer(t, legacy.Config{})
				c := s.client(t, version)
				answer := c.follow(t, callOf(1, "talk"))
				s.Words <- "one"
				answer.Gets(t, "before the connection breaks", `"word":"one"`)
				last := answer.LastID()
				answer.HangUp()
				s.Words <- "two"
				back := c.get(t, last)
				back.Gets(t, "what was missed", `"word":"two"`)
				close(s.Words)
				back.Gets(t, "the answer", `"id":1,"result"`)
				if !back.Over() || !answer.Over() {
					t.Error("a stream continues after its answer")
				}
				if again := c.get(t, back.LastID()); again.Status != http.StatusNoContent || again.News() != "" {
					t.Errorf("after the answer a client gets %d, want 204", again.Status)
				}
			})
		})
	}
}

func TestAHandlerClosesItsConnectionOnlyIfTheClientCanResume(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		close(s.Free)
		older := s.client(t, "2025-06-18").follow(t, callOf(1, "leave"))
		older.Gets(t, "an older client", `"word":"meanwhile"`, `"id":1,"result"`)
		newer := s.client(t, "2025-11-25").follow(t, callOf(1, "leave"))
		if news := newer.News(); !strings.HasPrefix(news, "id: ") || !strings.Contains(news, "retry: 1500\n") {
			t.Errorf("a client that reconnects gets\n%s", news)
		}
	})
}

func TestAStreamThatCannotBeOpenedIsRefused(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.client(t, "2025-11-25")
		for what, refusal := range map[string]struct {
			client *client
			status int
		}{
			"without a session":     {s.stranger(), http.StatusMethodNotAllowed},
			"of an unknown session": {c.with("Mcp-Session-Id", "unknown"), http.StatusNotFound},
			"of another version":    {c.with("Mcp-Protocol-Version", "1999-01-01"), http.StatusBadRequest},
			"as JSON":               {c.with("Accept", "application/json"), http.StatusNotAcceptable},
		} {
			if w := refusal.client.request(http.MethodGet, ""); w.Code != refusal.status {
				t.Errorf("a stream %s gets %d %s, want %d", what, w.Code, w.Body, refusal.status)
			} else if w.Code == http.StatusMethodNotAllowed && w.Header().Get("Allow") != "POST" {
				t.Errorf("a stream %s doesn't get the allowed methods: %v", what, w.Header())
			}
		}
	})
}

// After an error, a client would give up its session and begin another.
func TestAnUnknownEventIDStartsANewStream(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.client(t, "2025-11-25")
		for _, unknown := range []string{"unknown-1-1", "7", "-"} {
			stream := c.get(t, unknown)
			s.change()
			stream.Gets(t, "the stream", "tools/list_changed")
			stream.HangUp()
			synctest.Wait()
		}
	})
}

// A failingStore is a store that processes share, which fails to read.
type failingStore struct{ resumption.Memory }

func (*failingStore) Shares() bool { return true }
func (*failingStore) Events(context.Context, string, uint64, uint64) ([]resumption.Event, error) {
	return nil, errors.New("the store is down")
}

func TestAStreamCannotBeResumedWhileTheStoreFails(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{Events: &failingStore{}})
		c := s.client(t, "2025-11-25")
		answer := c.follow(t, callOf(1, "talk"))
		s.Words <- "one"
		synctest.Wait()
		id := answer.LastID()
		answer.HangUp()
		w := c.with("Last-Event-ID", id).request(http.MethodGet, "")
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
			t.Errorf("the client gets %d %s with %q", w.Code, w.Body, w.Header())
		}
		close(s.Words)
	})
}

func TestAClientHasAtMostEightStreams(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		c := newServer(t, legacy.Config{}).client(t, "2025-11-25")
		var streams []*transporttest.Response
		for range 8 {
			streams = append(streams, c.get(t, ""))
		}
		if more := c.get(t, ""); !more.Over() || more.Status != http.StatusTooManyRequests {
			t.Errorf("one more gets %d, want 429", more.Status)
		}
		streams[1].HangUp()
		synctest.Wait()
		if more := c.get(t, ""); more.Over() || more.Status != http.StatusOK {
			t.Errorf("in the place of one that was left, another gets %d", more.Status)
		}
	})
}

func TestAClientIsNotifiedOfChangesOnOneOfItsStreams(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.client(t, "2025-11-25")
		first, second, other := c.get(t, ""), c.get(t, ""), s.client(t, "2025-06-18").get(t, "")
		s.change()
		first.Gets(t, "the first stream", "tools/list_changed")
		second.Gets(t, "the second stream")
		other.Gets(t, "the stream of another client", "tools/list_changed")
		first.HangUp()
		synctest.Wait()
		s.change()
		second.Gets(t, "the second stream, when the first is gone", "tools/list_changed")
	})
}

// Changes between two streams are sent on the next one, once for each list.
func TestAClientIsNotifiedOfMissedChanges(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			transporttest.Bubble(t, func(t *testing.T) {
				s := newServer(t, legacy.Config{})
				s.change() // before initialize, so the client doesn't miss it
				c := s.client(t, version)
				s.change()
				s.change()
				stream := c.get(t, "")
				stream.Gets(t, "since initialize", "tools/list_changed")
				s.change()
				stream.Gets(t, "at first", "tools/list_changed")
				last := stream.LastID()
				stream.HangUp()
				synctest.Wait()
				for range 10 {
					s.change()
					synctest.Wait()
				}
				back := c.get(t, last)
				back.Gets(t, "when it comes back", "tools/list_changed")
				back.HangUp()
				synctest.Wait()
				s.change()
				synctest.Wait()
				c.get(t, "").Gets(t, "when it comes anew", "tools/list_changed")
			})
		})
	}
}

func TestASubscriptionBeforeTheFirstStreamCounts(t *testing.T) {
	for version, message := range map[string]string{
		"2025-11-25": requestOf(1, "resources/subscribe", `{"uri":"docs://a"}`),
		"2025-03-26": batch(requestOf(1, "resources/subscribe", `{"uri":"docs://a"}`)),
	} {
		t.Run(version, func(t *testing.T) {
			transporttest.Bubble(t, func(t *testing.T) {
				s := newServer(t, legacy.Config{})
				s.addResource("docs://a", nil)
				c := s.client(t, version)
				c.expect(t, message, http.StatusOK, `"result":{}`)
				s.Core.ResourceUpdated("docs://a")
				synctest.Wait()
				c.get(t, "").Gets(t, "the first stream", `"uri":"docs://a"`)
			})
		})
	}
}

// The request that opened the stream decides the visibility.
func TestChangesOfHiddenResourcesAreNotSent(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		hidden := false
		s.addResource("docs://a", func(context.Context) bool { return !hidden })
		c := s.client(t, "2025-11-25")
		c.expect(t, requestOf(1, "resources/subscribe", `{"uri":"docs://a"}`), http.StatusOK, `"result":{}`)
		stream := c.get(t, "")
		s.Core.ResourceUpdated("docs://a")
		stream.Gets(t, "while it sees the resource", `"uri":"docs://a"`)
		hidden = true
		s.Core.ResourceUpdated("docs://a")
		stream.Gets(t, "when it doesn't")
		c.request(http.MethodDelete, "")
		if !stream.Over() {
			t.Error("the stream outlives its session")
		}
		s.Core.ResourceUpdated("docs://a") // the client isn't notified
		synctest.Wait()
	})
}

func TestAnUnreadStreamIsClosed(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.stranger().with("User", "ada").begin(t, "2025-11-25")
		stream := c.get(t, "")
		time.Sleep(5 * time.Millisecond)
		stream.StopsReading()
		s.change()
		time.Sleep(31 * time.Second)
		if !stream.Over() || !strings.Contains(s.Log.String(), `does not read it" principal=ada`) {
			t.Errorf("the stream is open, or the log doesn't say so with the principal of the request:\n%s", s.Log)
		}
		c.get(t, stream.LastID()).Gets(t, "when it comes back", "tools/list_changed")
	})
}

// A client that takes longer than a minute while more changes are pending gets no more
// notifications until it opens another stream.
func TestASlowClientIsNotifiedAgainOnItsNextStream(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s, c, stream := listening(t)
		time.Sleep(5 * time.Millisecond)
		stream.StopsReading()
		stream.SetWriteDeadline(time.Now().Add(time.Hour)) //nolint:errcheck // it never fails
		s.change()
		time.Sleep(2 * time.Minute)
		s.change()
		time.Sleep(time.Minute)
		next := c.get(t, "")
		s.change()
		if !strings.Contains(next.News(), "tools/list_changed") {
			t.Error("the next stream gets no change")
		}
	})
}
