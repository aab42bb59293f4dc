package legacy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestARequestNeedsItsSession(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	ada := s.stranger().with("User", "ada").begin(t, "2025-11-25")
	ada.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
	ada.expect(t, notification("notifications/initialized", `{}`), http.StatusAccepted, "")
	ada.with("User", "eve").expect(t, callOf(1, "hello"), http.StatusNotFound, "begin with initialize")
	ada.with("Mcp-Session-Id", "unknown").expect(t, callOf(1, "hello"), http.StatusNotFound, "begin with initialize")
	s.stranger().expect(t, callOf(1, "hello"), http.StatusBadRequest, "there is no Mcp-Session-Id")
	s.stranger().expect(t, requestOf(1, "ping", `{}`), http.StatusOK, `"result":{}`)
	s.stranger().expect(t, "["+requestOf(1, "ping", `{}`)+"]", http.StatusBadRequest, "send one message at a time")
}

func TestAClientEndsItsSession(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.client(t, "2025-11-25")
		running := c.follow(t, callOf(1, "wait"))
		if w := c.request(http.MethodDelete, ""); w.Code != http.StatusNoContent {
			t.Errorf("DELETE gets %d %s", w.Code, w.Body)
		}
		if !running.Over() || running.News() != "" {
			t.Error("the call continues, or is answered")
		}
		c.expect(t, callOf(2, "hello"), http.StatusNotFound, "has ended")
		for name, refusal := range map[string]*client{"404": c, "405": s.stranger(), "400": c.with("Mcp-Protocol-Version", "1999-01-01")} {
			if w := refusal.request(http.MethodDelete, ""); fmt.Sprint(w.Code) != name {
				t.Errorf("DELETE gets %d %s, want %s", w.Code, w.Body, name)
			}
		}
	})
}

func TestAnUnsupportedVersionDoesNotEndTheSession(t *testing.T) {
	t.Parallel()
	c := newServer(t, legacy.Config{}).client(t, "2025-11-25")
	if w := c.with("Mcp-Protocol-Version", "1999-01-01").request(http.MethodDelete, ""); w.Code != http.StatusBadRequest {
		t.Errorf("got %d %s, want 400", w.Code, w.Body)
	}
	c.expect(t, requestOf(1, "ping", `{}`), http.StatusOK, `"result":{}`)
}

func TestAnIdleSessionEnds(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.client(t, "2025-11-25")
		for range 3 {
			c.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
			time.Sleep(29 * time.Minute)
		}
		answer := c.follow(t, callOf(1, "talk"))
		s.Words <- "one"
		answer.HangUp()
		time.Sleep(31 * time.Minute) // the call ends meanwhile, at its timeout
		c.expect(t, callOf(2, "hello"), http.StatusOK, "hello")
		time.Sleep(30 * time.Minute)
		c.expect(t, callOf(3, "hello"), http.StatusNotFound, "has ended")
	})
}

func TestASessionWithAStreamIsNotIdle(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s, c, stream := listening(t)
		time.Sleep(2 * time.Hour)
		s.change()
		stream.Gets(t, "two hours later", "tools/list_changed")
		last := stream.LastID()
		stream.HangUp()
		time.Sleep(29 * time.Minute)
		c.get(t, last).HangUp()
		time.Sleep(30 * time.Minute)
		if gone := c.get(t, last); gone.Status != http.StatusNotFound {
			t.Errorf("an idle session gets %d, want 404", gone.Status)
		}
	})
}

// user returns a client of a principal, with a session.
func (s *server) user(t *testing.T, name string) *client {
	t.Helper()
	return s.stranger().with("User", name).begin(t, "2025-11-25")
}

func TestSessionsAreLimited(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{Limit: 10})
		used := s.user(t, "user 0")
		for i := range 9 {
			s.user(t, fmt.Sprint("user ", i+1))
		}
		last := s.stranger().with("User", "last")
		if w := last.expect(t, initialize("2025-11-25"), http.StatusServiceUnavailable, "10 sessions open"); w.Header().Get("Retry-After") == "" {
			t.Error("the client doesn't learn when to retry")
		}
		time.Sleep(59 * time.Second)
		used.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
		time.Sleep(time.Second) // until unused sessions expire
		last.begin(t, "2025-11-25")
		used.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
	})
}

// Only a client with the most sessions loses one: its least recently used.
func TestAFullTableDropsASessionOfTheClientWithTheMost(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{Limit: 10})
		first := s.user(t, "ada")
		var heavy []*client
		for range 9 {
			heavy = append(heavy, s.user(t, "eve"))
		}
		running := heavy[0].follow(t, callOf(1, "wait"))
		for _, c := range heavy[2:] {
			c.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
		}
		bob := s.user(t, "bob")
		for _, kept := range append([]*client{first, bob, heavy[0]}, heavy[2:]...) {
			kept.expect(t, callOf(2, "hello"), http.StatusOK, "hello")
		}
		heavy[1].expect(t, callOf(2, "hello"), http.StatusNotFound, "begin with initialize")
		running.HangUp()
	})
}

func TestAnActiveSessionIsNotDropped(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{Limit: 10})
		for i := range 10 {
			s.user(t, fmt.Sprint("user ", i)).follow(t, callOf(1, "wait"))
		}
		time.Sleep(2 * time.Minute)
		s.stranger().with("User", "last").expect(t, initialize("2025-11-25"), http.StatusServiceUnavailable, "10 sessions open")
	})
}

// A refused client waits for its answer, but others don't wait for that.
func TestARefusedSessionDoesntDelayThoseOfOtherClients(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		memory := &s.Core.Server().Shares.Memory
		memory.Spare, memory.Client = 0, 3<<10 // one session
		s.user(t, "eve")
		refusal := s.stranger().with("User", "eve").start(t, http.MethodPost, initialize("2025-11-25"))
		bob := s.stranger().with("User", "bob").start(t, http.MethodPost, initialize("2025-11-25"))
		if refusal.Over() || bob.Status != http.StatusOK {
			t.Errorf("before the delay, the refused client has its answer: %t, and the other one gets %d", refusal.Over(), bob.Status)
		}
		time.Sleep(limits.RefusalDelay)
		synctest.Wait()
		if refusal.Status != http.StatusTooManyRequests {
			t.Errorf("after the delay the client gets %d", refusal.Status)
		}
	})
}

func TestAClientHasAShareOfTheSessions(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{Limit: 20})
		s.Core.Server().Shares.Sessions.Client = 3
		eve := s.stranger().with("User", "eve")
		for range 10 { // while the table isn't half full
			eve.begin(t, "2025-11-25")
		}
		for range 3 {
			if w := eve.expect(t, initialize("2025-11-25"), http.StatusTooManyRequests, "A client may have 3 sessions"); w.Header().Get("Retry-After") == "" {
				t.Error("the client doesn't learn when to retry")
			}
		}
		for range 3 {
			s.user(t, "bob")
		}
		s.stranger().with("User", "bob").expect(t, initialize("2025-11-25"), http.StatusTooManyRequests, "A client may have 3 sessions")
		if log := s.Log.String(); strings.Count(log, "setting=\"Config.ClientSessions (APP_CLIENT_SESSIONS)\"") != 1 || !strings.Contains(log, "client=eve") {
			t.Errorf("the log is %s", log)
		}
	})
}

func TestAClientOpensNoMoreStreamsThanItsShare(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		streams := &s.Core.Server().Shares.Streams
		streams.Spare, streams.Client = 0, 2
		c := s.user(t, "eve")
		first := c.get(t, "")
		c.get(t, "")
		third := c.get(t, "")
		time.Sleep(limits.RefusalDelay)
		synctest.Wait()
		if third.Status != http.StatusTooManyRequests || third.Header().Get("Retry-After") == "" {
			t.Errorf("a third stream gets %d %v", third.Status, third.Header())
		}
		if other := s.user(t, "ada").get(t, ""); other.Status != http.StatusOK {
			t.Errorf("another client's stream gets %d", other.Status)
		}
		first.HangUp()
		synctest.Wait()
		if again := c.get(t, ""); again.Status != http.StatusOK {
			t.Errorf("after one has ended, a stream gets %d", again.Status)
		}
	})
}

// A call doesn't end with its connection, so its message stays in memory.
func TestACallHoldsItsMemoryAfterItsClientDisconnects(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		c := s.client(t, "2025-11-25")
		memory := &s.Core.Server().Shares.Memory
		before := memory.Held()
		w := c.follow(t, padded(1, "wait", 100<<10))
		w.HangUp()
		synctest.Wait()
		if held := memory.Held() - before; held < 100<<10 || held > 128<<10 {
			t.Errorf("%d bytes are held", held)
		}
		c.expect(t, canceled(1), http.StatusAccepted, "")
		synctest.Wait()
		if held := memory.Held() - before; held != 0 {
			t.Errorf("after the call, %d bytes are held", held)
		}
	})
}

func TestNoSessionBeginsWhileTheProgramStops(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s, c, stream := listening(t)
		s.Drain()
		if !stream.Over() {
			t.Error("a stream continues")
		}
		s.stranger().expect(t, initialize("2025-11-25"), http.StatusServiceUnavailable, "error")
		if again := c.get(t, ""); again.Status != http.StatusOK || !again.Over() { // after an error, the client might give up its session
			t.Errorf("GET gets %d, and its stream is over: %t", again.Status, again.Over())
		}
	})
}

// Versions before 2025-11-25 require an id in each answer.
func TestAnInvalidBodyIsRefusedInTheVersionOfTheSession(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	s.client(t, "2025-06-18").expect(t, `{`, http.StatusBadRequest, `"id":null`)
	s.stranger().with("Mcp-Protocol-Version", "2025-06-18").expect(t, `{`, http.StatusBadRequest, `"id":null`)
	if w := s.client(t, "2025-11-25").post(`{`); strings.Contains(w.Body.String(), `"id"`) {
		t.Errorf("the answer is %s", w.Body)
	}
}
