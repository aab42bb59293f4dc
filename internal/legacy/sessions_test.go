package legacy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/legacy"
	"github.com/bowline-mcp/bowline/internal/transport/transporttest"
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
			t.Error("the call goes on, or is answered")
		}
		c.expect(t, callOf(2, "hello"), http.StatusNotFound, "has ended")
		for name, refused := range map[string]*client{"404": c, "400": s.stranger(), "400 ": c.with("Mcp-Protocol-Version", "1999-01-01")} {
			if w := refused.request(http.MethodDelete, ""); fmt.Sprint(w.Code) != strings.TrimSpace(name) {
				t.Errorf("DELETE gets %d %s, want %s", w.Code, w.Body, name)
			}
		}
	})
}

func TestAVersionThatIsNotSpokenEndsNoSession(t *testing.T) {
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
		time.Sleep(31 * time.Minute) // the call has ended meanwhile, at its timeout
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

func TestSessionsAreLimited(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{Limit: 10})
		used := s.client(t, "2025-11-25")
		used.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
		for range 9 {
			s.client(t, "2025-11-25")
		}
		if w := s.stranger().expect(t, initialize("2025-11-25"), http.StatusServiceUnavailable, "10 sessions open"); w.Header().Get("Retry-After") == "" {
			t.Error("the client isn't told when to come again")
		}
		time.Sleep(time.Minute) // after which those are forgotten in which nothing followed
		for range 9 {
			s.client(t, "2025-11-25")
		}
		s.stranger().expect(t, initialize("2025-11-25"), http.StatusServiceUnavailable, "10 sessions open")
		used.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
	})
}

func TestASessionRunsSoManyRequestsAtOnce(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{Body: 1 << 20})
		c := s.client(t, "2025-03-26")
		for i := range 255 {
			c.follow(t, callOf(i, "wait"))
		}
		c.expect(t, "["+callOf(1000, "hello")+","+callOf(1001, "hello")+"]", http.StatusTooManyRequests, "256 requests running")
		last := c.follow(t, callOf(255, "wait"))
		if w := c.expect(t, callOf(1000, "hello"), http.StatusTooManyRequests, "256 requests running"); w.Header().Get("Retry-After") == "" {
			t.Error("the client isn't told when to come again")
		}
		for i := range 256 { // which are no requests
			c.expect(t, cancelled(i), http.StatusAccepted, "")
		}
		if !last.Over() {
			t.Error("the last call goes on")
		}
		c.expect(t, callOf(1000, "hello"), http.StatusOK, "hello")
	})
}

func TestNoSessionBeginsWhileTheProgramStops(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s, c, stream := listening(t)
		s.Drain()
		if !stream.Over() {
			t.Error("a stream goes on")
		}
		s.stranger().expect(t, initialize("2025-11-25"), http.StatusServiceUnavailable, "error")
		if w := c.request(http.MethodGet, ""); w.Code != http.StatusServiceUnavailable {
			t.Errorf("GET gets %d", w.Code)
		}
	})
}

// Versions before 2025-11-25 require an id in each answer.
func TestABodyThatIsNoMessageIsRefusedInTheVersionOfTheSession(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	s.client(t, "2025-06-18").expect(t, `{`, http.StatusBadRequest, `"id":null`)
	s.stranger().with("Mcp-Protocol-Version", "2025-06-18").expect(t, `{`, http.StatusBadRequest, `"id":null`)
	if w := s.client(t, "2025-11-25").post(`{`); strings.Contains(w.Body.String(), `"id"`) {
		t.Errorf("the answer is %s", w.Body)
	}
}

// leave calls the tool wait with a message of so many bytes, and hangs up.
func (c *client) leave(t *testing.T, id, size int) *transporttest.Response {
	t.Helper()
	w := c.follow(t, padded(id, "wait", size))
	w.HangUp()
	synctest.Wait()
	return w
}

// A call doesn't end with its connection, so that its message stays.
func TestTheBytesOfTheCallsOfASessionAreBounded(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		c := newServer(t, legacy.Config{Body: 8 << 10}).client(t, "2025-03-26")
		first := c.leave(t, 1, 8<<10)
		c.leave(t, 2, 8<<10)
		if w := c.expect(t, padded(3, "hello", 8<<10), http.StatusTooManyRequests, "may have 16384 with this one"); w.Header().Get("Retry-After") == "" {
			t.Error("the client isn't told when to come again")
		}
		c.expect(t, "["+callOf(3, "hello")+"]", http.StatusTooManyRequests, "may have 16384")
		c.expect(t, `[{"jsonrpc":"2.0","id":1,"result":{}},`+cancelled(1)+"]", http.StatusAccepted, "") // which runs nothing
		c.expect(t, `{"jsonrpc":"2.0","id":1,"result":{"x":"`+strings.Repeat("x", 4<<10)+`"}}`, http.StatusAccepted, "")
		if !first.Over() {
			t.Error("the cancelled call goes on")
		}
		c.expect(t, padded(3, "hello", 8<<10), http.StatusOK, "hello")
	})
}

// Clients that leave large calls behind don't keep others from small ones.
func TestTheBytesOfTheCallsOfAllSessionsAreBounded(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{Body: 64 << 10, Limit: 20})
		var sessions []*client
		for range 9 { // each has 16 KiB that don't count, and 112 KiB that do
			c := s.client(t, "2025-11-25")
			sessions = append(sessions, c)
			c.leave(t, 1, 64<<10)
			c.leave(t, 2, 64<<10)
		}
		last := s.client(t, "2025-11-25")
		if w := last.expect(t, padded(1, "hello", 64<<10), http.StatusServiceUnavailable, "may have 1048576 with this one"); w.Header().Get("Retry-After") == "" {
			t.Error("the client isn't told when to come again")
		}
		last.expect(t, padded(1, "hello", 10<<10), http.StatusOK, "hello")
		sessions[0].expect(t, cancelled(1), http.StatusAccepted, "")
		synctest.Wait()
		last.expect(t, padded(1, "hello", 64<<10), http.StatusOK, "hello")
	})
}
