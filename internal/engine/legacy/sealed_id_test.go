package legacy_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/seal"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// at returns the client as a client of another server, such as the next process.
func (c *client) at(s *server) *client { return &client{s, c.header} }

// id returns the id of the client's session.
func (c *client) id() string { return c.header.Get("Mcp-Session-Id") }

func TestASessionContinuesInTheNextProcess(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		first := newServer(t, legacy.Config{})
		for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
			next := newServer(t, legacy.Config{})
			c := first.stranger().with("User", "ada").begin(t, version).at(next)
			c.expect(t, callOf(1, "who"), http.StatusOK, `"id":1,"result"`)
			who := <-next.heard
			if who.Version.String() != version || who.Session != c.id() || string(who.Info) != `{"name":"c","version":"1"}` || string(who.Capabilities) != `{"roots":{}}` {
				t.Errorf("the client of %s is now %s %s %s in session %s", version, who.Version, who.Info, who.Capabilities, who.Session)
			}
			if w := c.request(http.MethodDelete, ""); w.Code != http.StatusNoContent {
				t.Errorf("DELETE gets %d %s", w.Code, w.Body)
			}
			c.expect(t, callOf(2, "who"), http.StatusNotFound, "has ended")
		}
	})
}

// Each kind of request may be the first one after a restart.
func TestAnyRequestRevivesASession(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		first := newServer(t, legacy.Config{})
		at := func(version string) *client {
			return first.client(t, version).at(newServer(t, legacy.Config{}))
		}
		at("2025-03-26").expect(t, batch(callOf(1, "hello")), http.StatusOK, `[{"jsonrpc":"2.0","id":1,"result"`)
		at("2025-11-25").expect(t, requestOf(1, "ping", `{}`), http.StatusOK, `"result":{}`)
		at("2025-11-25").expect(t, notification("notifications/initialized", `{}`), http.StatusAccepted, "")
		at("2025-06-18").expect(t, `{`, http.StatusBadRequest, `"id":null`) // as its version requires
		if w := at("2025-11-25").request(http.MethodDelete, ""); w.Code != http.StatusNoContent {
			t.Errorf("DELETE gets %d %s", w.Code, w.Body)
		}
		if stream := at("2025-11-25").get(t, ""); stream.Status != http.StatusOK {
			t.Errorf("GET gets %d", stream.Status)
		}
	})
}

// The next process may be a new version of the program.
func TestARevivedSessionLearnsThatListsMayHaveChanged(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		_, c, stream := listening(t)
		c.server.change()
		stream.Gets(t, "before the restart", "tools/list_changed")
		for _, last := range []string{"", stream.LastID()} {
			next := newServer(t, legacy.Config{})
			back := c.at(next).get(t, last)
			back.Gets(t, "after the restart", "tools/list_changed", "prompts/list_changed", "resources/list_changed")
			next.change()
			back.Gets(t, "later", "tools/list_changed")
			back.HangUp()
			synctest.Wait()
			c.at(next).get(t, back.LastID()).Gets(t, "when it comes back")
		}
	})
}

// refusals returns the whole answers to the requests of a client, without their time.
func (c *client) refusals() (all string) {
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		w := c.request(method, callOf(1, "hello"))
		all += fmt.Sprintln(w.Code, w.Header(), w.Body)
	}
	return all
}

// No refusal reveals whether an id was valid, or for whom.
func TestAllUnknownSessionsGetTheSameAnswer(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		first := newServer(t, legacy.Config{})
		c := first.user(t, "ada")
		next := newServer(t, legacy.Config{})
		want := c.at(next).with("Mcp-Session-Id", "unknown").refusals()
		if !strings.Contains(want, "404") || !strings.Contains(want, "The session is not known, or has ended; begin with initialize") {
			t.Fatal(want)
		}
		refused := map[string]*client{
			"of another principal":                     c.at(next).with("User", "eve"),
			"of no principal":                          c.at(next).with("User", ""),
			"of another principal, in its own process": c.with("User", "eve"),
			"that is cut":                              c.at(next).with("Mcp-Session-Id", c.id()[:len(c.id())-1]),
			"that is longer":                           c.at(next).with("Mcp-Session-Id", c.id()+"A"),
			"twice":                                    c.at(next).with("Mcp-Session-Id", c.id()+c.id()),
			"of a megabyte":                            c.at(next).with("Mcp-Session-Id", strings.Repeat("A", 1<<20)),
			"in lower case":                            c.at(next).with("Mcp-Session-Id", strings.ToLower(c.id())),
			"with an end of a line":                    c.at(next).with("Mcp-Session-Id", c.id()+"\n"),
			"of another app":                           c.at(newServer(t, legacy.Config{App: "other"})),
		}
		for i := 0; i < len(c.id()); i += 7 {
			changed := []byte(c.id())
			changed[i] ^= 1
			refused[fmt.Sprintf("with byte %d changed", i)] = c.at(next).with("Mcp-Session-Id", string(changed))
		}
		other := newServer(t, legacy.Config{})
		other.Core.Server().Scope = "1 other"
		refused["of another server"] = c.at(other)
		other = newServer(t, legacy.Config{})
		other.Core.Server().Seal = seal.New("another secret")
		refused["of another key"] = c.at(other)
		refused["of another kind"] = c.at(next).with("Mcp-Session-Id", next.Core.Server().Seal.Seal("state", []byte(`{}`)))
		elsewhere := newServer(t, legacy.Config{})
		elsewhere.http = http.StripPrefix("/mcp", elsewhere.http)
		refused["of another path"] = c.at(elsewhere)
		older := newServer(t, legacy.Config{})
		older.http = transporttest.ByUser(transport.NewHTTP(older.Core, legacy.New(protocol.New(protocol.Config{
			Server: older.Core.Server(), PageSize: 50, MaxPageSize: 100, Versions: spec.Versions{spec.Version20250618},
		}), legacy.Config{App: "app", Limit: 10, TTL: time.Hour, Life: 24 * time.Hour}), older.Limits, older.Core.Server().Logger))
		refused["of a version that was switched off"] = c.at(older)
		ended := newServer(t, legacy.Config{})
		c.at(ended).expect(t, callOf(1, "hello"), http.StatusOK, "hello")
		c.at(ended).request(http.MethodDelete, "")
		refused["of a session that was ended"] = c.at(ended)
		own := next.user(t, "ada")
		own.request(http.MethodDelete, "")
		refused["of a session of this process that was ended"] = own
		for what, client := range refused {
			if got := client.refusals(); got != want {
				t.Errorf("an id %s gets\n%s, want\n%s", what, got, want)
			}
		}
		time.Sleep(24 * time.Hour)
		if got := c.at(next).refusals(); got != want {
			t.Errorf("an id that has expired gets\n%s, want\n%s", got, want)
		}
	})
}

// A session belongs to its path in its own process too.
func TestASessionStaysAtItsPath(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	c := s.client(t, "2025-11-25")
	s.http = http.StripPrefix("/mcp", s.http)
	c.expect(t, callOf(1, "hello"), http.StatusNotFound, "has ended")
}

func TestASessionCanBeRevivedForItsLife(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		c := newServer(t, legacy.Config{Life: time.Hour}).client(t, "2025-11-25")
		time.Sleep(time.Hour - time.Second)
		next := newServer(t, legacy.Config{Life: time.Hour})
		c.at(next).expect(t, callOf(1, "hello"), http.StatusOK, "hello")
		time.Sleep(time.Minute)
		c.at(next).expect(t, callOf(1, "hello"), http.StatusOK, "hello") // a session that is open continues
		c.at(newServer(t, legacy.Config{Life: time.Hour})).expect(t, callOf(1, "hello"), http.StatusNotFound, "has ended")
	})
}

func TestASessionOfAnOlderKeyIsRevived(t *testing.T) {
	t.Parallel()
	first := newServer(t, legacy.Config{})
	first.Core.Server().Seal = seal.New("old secret")
	next := newServer(t, legacy.Config{})
	next.Core.Server().Seal = seal.New("new secret", "old secret")
	first.client(t, "2025-11-25").at(next).expect(t, callOf(1, "hello"), http.StatusOK, "hello")
}

// A revived session ends like any other, and isn't revived again.
func TestARevivedSessionThatHasEndedIsNotRevivedAgain(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		first, next := newServer(t, legacy.Config{}), newServer(t, legacy.Config{})
		idle := first.user(t, "ada").at(next)
		idle.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
		time.Sleep(30 * time.Minute)
		idle.expect(t, callOf(2, "hello"), http.StatusNotFound, "has ended")
		idle.expect(t, callOf(3, "hello"), http.StatusNotFound, "has ended")

		dropped := first.user(t, "eve").at(next)
		dropped.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
		for range 9 {
			next.user(t, "eve").expect(t, callOf(1, "hello"), http.StatusOK, "hello")
		}
		next.user(t, "bob") // takes the place of a session of the client with the most
		dropped.expect(t, callOf(2, "hello"), http.StatusNotFound, "has ended")
	})
}

func TestARevivedSessionCountsInTheSharesOfItsClient(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		first, next := newServer(t, legacy.Config{}), newServer(t, legacy.Config{})
		memory := &next.Core.Server().Shares.Memory
		memory.Spare, memory.Client = 0, 3<<10 // one session
		one, two := first.user(t, "eve").at(next), first.user(t, "eve").at(next)
		one.expect(t, requestOf(1, "ping", `{}`), http.StatusOK, `"result":{}`)
		held := memory.Held()
		before := time.Now()
		w := two.expect(t, requestOf(1, "ping", `{}`), http.StatusTooManyRequests, "bytes at once")
		if w.Header().Get("Retry-After") == "" || time.Since(before) < limits.RefusalDelay {
			t.Errorf("the client doesn't learn when to retry, or isn't delayed: %v after %v", w.Header(), time.Since(before))
		}
		if w := two.request(http.MethodGet, ""); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || time.Since(before) < 2*limits.RefusalDelay {
			t.Errorf("GET gets %d %v after %v", w.Code, w.Header(), time.Since(before))
		}
		one.request(http.MethodDelete, "")
		if held < int64(limits.SessionCost+len(one.id())) || memory.Held() != 0 {
			t.Errorf("%d bytes were held, and %d are now", held, memory.Held())
		}
		two.expect(t, requestOf(1, "ping", `{}`), http.StatusOK, `"result":{}`)
	})
}

func TestARevivedSessionNeedsRoom(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		first, next := newServer(t, legacy.Config{}), newServer(t, legacy.Config{})
		for i := range 10 {
			next.user(t, fmt.Sprint("user ", i))
		}
		c := first.user(t, "ada").at(next)
		if w := c.expect(t, callOf(1, "hello"), http.StatusServiceUnavailable, "10 sessions open"); w.Header().Get("Retry-After") == "" {
			t.Error("the client doesn't learn when to retry")
		}
		time.Sleep(time.Minute) // until unused sessions expire
		c.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
	})
}

// Otherwise, a client that comes back to listen might give up its session.
func TestASessionIsRevivedWhileTheProgramStops(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		first, next := newServer(t, legacy.Config{}), newServer(t, legacy.Config{})
		c := first.client(t, "2025-11-25").at(next)
		next.Drain()
		if stream := c.get(t, ""); stream.Status != http.StatusOK || !stream.Over() {
			t.Errorf("GET gets %d, and its stream is over: %t", stream.Status, stream.Over())
		}
		c.expect(t, callOf(1, "hello"), http.StatusServiceUnavailable, "shutting down")
	})
}

// A failing store of ended sessions returns an error, after a delay, when a test sets one.
type failing struct {
	legacy.EndedMemory
	err     error
	wait    chan struct{} // nil to wait for nothing
	asked   int
	expires time.Time // of the last session that has ended
}

func (f *failing) End(ctx context.Context, s legacy.Sealed) error {
	if f.err != nil && s.Revived {
		return f.err
	}
	f.expires = s.Expires
	return f.EndedMemory.End(ctx, s)
}

func (f *failing) Load(ctx context.Context, s legacy.Sealed) (legacy.Settings, error) {
	f.asked++
	if f.wait != nil {
		<-f.wait
	}
	if f.err != nil {
		return legacy.Settings{}, f.err
	}
	return f.EndedMemory.Load(ctx, s)
}

func TestASessionIsRevivedOnce(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		ended := &failing{wait: make(chan struct{})}
		first, next := newServer(t, legacy.Config{}), newServer(t, legacy.Config{Records: ended})
		c := first.user(t, "ada").at(next)
		var answers []*transporttest.Response
		for i := range 5 {
			answers = append(answers, c.follow(t, callOf(i, "hello")))
		}
		if w := c.with("User", "eve").post(callOf(9, "hello")); w.Code != http.StatusNotFound {
			t.Errorf("meanwhile another principal gets %d %s", w.Code, w.Body)
		}
		close(ended.wait)
		synctest.Wait()
		for i, answer := range answers {
			if !answer.Over() || answer.Status != http.StatusOK {
				t.Errorf("request %d gets %d", i, answer.Status)
			}
		}
		memory := &next.Core.Server().Shares.Memory
		if ended.asked != 1 || memory.Held() > 2*limits.SessionCost {
			t.Errorf("the session was looked up %d times, and its sessions hold %d bytes", ended.asked, memory.Held())
		}
	})
}

func TestWithoutTheEndedSessionsNoneIsRevived(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		ended := &failing{}
		first, next := newServer(t, legacy.Config{}), newServer(t, legacy.Config{Records: ended})
		open, other := first.user(t, "ada").at(next), first.user(t, "ada").at(next)
		open.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
		ended.err = errors.New("out of order")
		for method, c := range map[string]*client{http.MethodPost: other, http.MethodGet: other, http.MethodDelete: open} {
			if w := c.request(method, callOf(1, "hello")); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
				!strings.Contains(w.Body.String(), "try again later") || strings.Contains(w.Body.String(), "out of order") {
				t.Errorf("%s gets %d %v %s", method, w.Code, w.Header(), w.Body)
			}
		}
		if !strings.Contains(next.Log.String(), `error="out of order"`) {
			t.Errorf("the log doesn't say why: %s", next.Log)
		}
		open.expect(t, callOf(2, "hello"), http.StatusOK, "hello")
		next.user(t, "bob").expect(t, callOf(1, "hello"), http.StatusOK, "hello") // a new session needs no record
		time.Sleep(30 * time.Minute)
		open.expect(t, callOf(3, "hello"), http.StatusServiceUnavailable, "try again later")
		if !strings.Contains(next.Log.String(), "its end wasn't recorded") {
			t.Errorf("the log doesn't say that the session may be revived: %s", next.Log)
		}
		ended.err = nil
		other.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
	})
}

// Until then, a record of the end is needed.
func TestTheEndOfASessionIsRecordedUntilItsIDExpires(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		ended := &failing{}
		begun := time.Now()
		c := newServer(t, legacy.Config{}).client(t, "2025-11-25").at(newServer(t, legacy.Config{Records: ended}))
		time.Sleep(time.Hour)
		c.request(http.MethodDelete, "")
		if !ended.expires.Equal(begun.Add(24 * time.Hour)) {
			t.Errorf("the record of a session that began at %v is kept until %v", begun, ended.expires)
		}
	})
}

// described returns an initialize request of a client with a description and capabilities.
func described(description, capabilities string) string {
	return requestOf(0, "initialize", `{"protocolVersion":"2025-11-25", "capabilities": {"roots": {}, "x": "`+capabilities+`"}, "clientInfo": {"name": "c",
		"icons": [{"src": "`+description+`"}], "description": "`+description+`", "title": "C", "version": "1"}}`)
}

func (c *client) beginWith(t *testing.T, message string) *client {
	t.Helper()
	return c.with("Mcp-Session-Id", c.expect(t, message, http.StatusOK, `"result"`).Header().Get("Mcp-Session-Id"))
}

func TestAnIDContainsWhatFits(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		first, next := newServer(t, legacy.Config{Limit: 30}), newServer(t, legacy.Config{})
		long := strings.Repeat("x", 300)
		who := func(c *client) request.Client {
			c.expect(t, callOf(1, "who"), http.StatusOK, `"result"`)
			return <-c.server.heard
		}
		for what, test := range map[string]struct{ message, info, capabilities string }{
			"all":                           {described("d", "y"), `{"name":"c","icons":[{"src":"d"}],"description":"d","title":"C","version":"1"}`, `{"roots":{},"x":"y"}`},
			"no pictures":                   {described(long, long), `{"name":"c","title":"C","version":"1"}`, `{"roots":{},"x":"` + long + `"}`},
			"nothing, but there is nothing": {requestOf(0, "initialize", `{"protocolVersion":"2025-11-25"}`), "", ""},
		} {
			c := first.stranger().beginWith(t, test.message)
			if strings.Trim(c.id(), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" || len(c.id()) > 1024 {
				t.Errorf("%s: the id has %d bytes: %s", what, len(c.id()), c.id())
			}
			if got := who(c.at(next)); string(got.Info) != test.info || string(got.Capabilities) != test.capabilities {
				t.Errorf("%s: the client is %s with %s", what, got.Info, got.Capabilities)
			}
		}
		large := first.stranger().beginWith(t, described("d", long+long+long))
		if got := who(large); !strings.Contains(string(got.Info), "description") || len(large.id()) > 100 {
			t.Errorf("a large client is %s in session %s", got.Info, large.id())
		}
		large.at(next).expect(t, callOf(1, "hello"), http.StatusNotFound, "has ended")
		if one, two := first.client(t, "2025-11-25"), first.client(t, "2025-11-25"); one.id() == two.id() {
			t.Errorf("two sessions have the same id %s", one.id())
		}
	})
}
