package mcp_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// withNewspaper runs a test with a client that has a session.
func withNewspaper(t *testing.T, version string, test func(t *testing.T, paper *newspaper, client *wireClient)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		paper := newNewspaper()
		test(t, paper, (&wireClient{handler: wireHandler(t, mcp.Config{}, paper)}).open(t, version))
	})
}

func TestABrokenAnswerIsResumed(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			withNewspaper(t, version, func(t *testing.T, paper *newspaper, client *wireClient) {
				answer := client.follow(t, `1`, "talk")
				paper.speak <- "one"
				paper.speak <- "two"
				last := answer.gets(t, "before the connection breaks", "one", "two")
				answer.hangUp()
				paper.speak <- "three" // the client doesn't read, but the event is kept
				synctest.Wait()
				back := client.get(t, last)
				back.gets(t, "what was missed", "three")
				paper.speak <- "four"
				back.gets(t, "what follows", "four")
				close(paper.speak)
				back.gets(t, "the end", "That was all.")
				if !back.over() || !answer.over() {
					t.Error("a stream continues after its answer")
				}
			})
		})
	}
}

func TestTheEventsOfOtherSessionsAreNotReplayed(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		other := client.open(t, "2025-11-25")
		answer := client.follow(t, `1`, "talk")
		paper.speak <- "a secret"
		last := answer.gets(t, "at first", "a secret")
		id := other.follow(t, `1`, "leave").gets(t, "at first", "while you were away")
		parts := strings.Split(id, "-") // the session, the stream, the event
		event := func(stream, event string) string { return parts[0] + "-" + stream + "-" + event }
		for _, foreign := range []string{
			last, last[:strings.LastIndex(last, "-")] + "-0", "-" + parts[1] + "-0", parts[1] + "-0", "0", "-", "--", id + "0", id + "-1", strings.ToLower(id), " " + id + "x",
			event("2", "1"), event(parts[1], "18446744073709551616"), event(parts[1], "+1"), event("-"+parts[1], "1"), strings.Repeat("a", 60_000),
		} {
			got := other.get(t, foreign)
			time.Sleep(time.Second)
			if text := strings.Join(got.news(), ""); got.over() || got.status != http.StatusOK || strings.Contains(text, "secret") || strings.Contains(text, "away") {
				t.Errorf("the Last-Event-ID %.100q gets %d %s", foreign, got.status, text)
			}
			got.hangUp()
		}
		close(paper.speak)
	})
}

func TestAnotherPrincipalResumesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		paper := newNewspaper()
		handler := guarded(t, mcp.Config{}, paper)
		session := as(t, handler, "ada", http.MethodPost, "", initialize("2025-11-25")).Header().Get("Mcp-Session-Id")
		close(paper.speak)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(legacyCall(`1`, "leave", `{}`)))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Session-Id": {session}, "User": {"ada"}}
		answer := readAlong(handler, r)
		last := answer.gets(t, "ada", "while you were away", "Welcome back.")
		for user, want := range map[string]int{"ada": http.StatusNoContent, "eve": http.StatusNotFound} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/mcp", nil)
			r.Header = http.Header{"Accept": {"text/event-stream"}, "Mcp-Session-Id": {session}, "User": {user}, "Last-Event-Id": {last}}
			if w := readAlong(handler, r); !w.over() || w.status != want {
				t.Errorf("%s gets %d, want %d", user, w.status, want)
			}
		}
	})
}

func TestChangesAreSentOnExactlyOneStream(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		first, second := client.get(t, ""), client.get(t, "")
		other := client.open(t, "2025-11-25")
		others := other.get(t, "")
		defer others.hangUp()
		must(t, paper.AddTool(saying("late", "")))
		first.gets(t, "the first stream", "tools/list_changed")
		second.gets(t, "the second stream")
		others.gets(t, "the stream of another client", "tools/list_changed")
		first.hangUp()
		synctest.Wait()
		paper.RemoveTool("late")
		second.gets(t, "the second stream, when the first is gone", "tools/list_changed")
		answer := client.follow(t, `1`, "talk")
		must(t, paper.AddPrompt(wirePrompt("late", saysPrompt(""))))
		second.gets(t, "a change while a call streams", "prompts/list_changed")
		paper.speak <- "one"
		close(paper.speak)
		answer.gets(t, "the call", "one", "That was all.")
		second.gets(t, "what the call says")
		second.hangUp()
	})
}

func TestASessionGetsUpdatesOfItsSubscriptions(t *testing.T) {
	withNewspaper(t, "2025-06-18", func(t *testing.T, paper *newspaper, client *wireClient) {
		subscribe := func(method, uri string) {
			client.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"resources/`+method+`","params":{"uri":"`+uri+`"}}`, "")
		}
		subscribe("subscribe", "docs://logo")
		subscribe("subscribe", "docs://hidden")
		stream := client.get(t, "")
		defer stream.hangUp()
		others := client.open(t, "2025-06-18").get(t, "")
		defer others.hangUp()
		paper.ResourceUpdated("docs://logo")
		paper.ResourceUpdated("docs://data")
		paper.ResourceUpdated("docs://hidden")
		stream.gets(t, "three updates", "docs://logo")
		others.gets(t, "the stream of a session that has subscribed to nothing")
		subscribe("unsubscribe", "docs://logo")
		paper.ResourceUpdated("docs://logo")
		stream.gets(t, "after it has unsubscribed")
	})
}

func TestAStreamOfASlowReaderIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		paper, log := newNewspaper(), &logBuffer{}
		handler := wireHandler(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(log, nil)), KeepAlive: time.Hour}, paper)
		base := &wireClient{handler: handler}
		client, other := base.open(t, "2025-11-25"), base.open(t, "2025-11-25")
		slow, quick := client.get(t, ""), other.get(t, "")
		defer quick.hangUp()
		time.Sleep(5 * time.Millisecond)
		last := slow.gets(t, "at first")
		resume := slow.dawdle()
		start := time.Now()
		for i := range 1000 {
			must(t, paper.AddTool(saying(fmt.Sprintf("tool-%d", i), "")))
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("who makes changes waits %s for a client that doesn't read", took)
		}
		time.Sleep(5 * time.Millisecond)
		if len(quick.events()) == 0 {
			t.Error("another client gets nothing")
		}
		time.Sleep(30 * time.Second)
		if !slow.over() {
			t.Error("after the write timeout the stream is still open")
		}
		resume()
		if log.count("level=WARN", "does not read") != 1 {
			t.Errorf("the log is\n%s", log)
		}
		back := client.get(t, last)
		back.gets(t, "when it comes back", "tools/list_changed", "tools/list_changed")
		back.hangUp()
	})
}

func TestAHandlerClosesItsStreamOnlyIfTheClientReconnects(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-03-26", "2025-06-18", ""} {
		synctest.Test(t, func(t *testing.T) {
			paper := newNewspaper()
			client := &wireClient{handler: wireHandler(t, mcp.Config{}, paper)}
			if version != "" {
				client = client.open(t, version)
			}
			close(paper.speak)
			body := client.call(t.Context(), `1`, "leave", `{}`).Body.String()
			if messages := eventMessages(t, body); len(messages) != 2 || strings.Contains(body, "retry:") {
				t.Errorf("at %q the answer is\n%s", version, body)
			}
		})
	}
	p := startPipeline(t, mcp.Config{}, func() *newspaper { n := newNewspaper(); close(n.speak); return n }())
	p.ask(t, initialize("2025-11-25"))
	p.ask(t, legacyCall(`1`, "leave", `{}`))
	if got := readAnswer(t, p.next(t)); got.text() != "Welcome back." {
		t.Errorf("on stdio the answer is %+v", got)
	}
}
