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
				paper.speak <- "three" // nobody reads, but it is kept
				synctest.Wait()
				back := client.get(t, last)
				back.gets(t, "what was missed", "three")
				paper.speak <- "four"
				back.gets(t, "what follows", "four")
				close(paper.speak)
				back.gets(t, "the end", "That was all.")
				if !back.over() || !answer.over() {
					t.Error("a stream goes on after its answer")
				}
			})
		})
	}
}

func TestAnAnswerIsThereForAClientThatComesBackLate(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		answer := client.follow(t, `1`, "talk")
		paper.speak <- "one"
		last := answer.gets(t, "at first", "one")
		answer.hangUp()
		paper.speak <- "two"
		close(paper.speak)
		time.Sleep(time.Minute)
		for range 2 { // also if the answer is lost on its way
			back := client.get(t, last)
			back.gets(t, "a minute later", "two", "That was all.")
			if !back.over() {
				t.Error("the stream goes on after its answer")
			}
		}
	})
}

// Each stream is replayed alone: what was sent on another is not part of it.
func TestOnlyTheStreamOfAnEventIsResumed(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		var answers []*listening
		for _, id := range []string{`1`, `2`} {
			answers = append(answers, client.follow(t, id, "talk"))
		}
		for _, word := range []string{"a", "b", "c", "d"} { // each to one of the two
			paper.speak <- word
			synctest.Wait()
		}
		for _, answer := range answers {
			events := answer.events()
			answer.hangUp()
			synctest.Wait()
			back := client.get(t, events[0].id)
			for i, e := range append(back.events(), event{})[1:len(events)] {
				if e != events[i+1] {
					t.Errorf("event %d was %+v and comes back as %+v", i+1, events[i+1], e)
				}
			}
			back.hangUp()
		}
		close(paper.speak)
	})
}

// A client that comes back has had enough of the connection that it had.
func TestAStreamIsOnOneConnectionAtATime(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		answer := client.follow(t, `1`, "talk")
		paper.speak <- "one"
		last := answer.gets(t, "at first", "one")
		second, third := client.get(t, last), (*listening)(nil)
		paper.speak <- "two"
		last = second.gets(t, "the second connection", "two")
		third = client.get(t, last)
		if !second.over() {
			t.Error("the second connection is still open when a third carries the stream")
		}
		paper.speak <- "three"
		close(paper.speak)
		third.gets(t, "the third connection", "three", "That was all.")
		second.gets(t, "the second connection, after it")
		answer.gets(t, "the first connection, after both")
		if !answer.over() || !third.over() {
			t.Error("a connection is still open after the answer")
		}
	})
}

func TestTheEventsOfOthersAreNotThere(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		other := client.open(t, "2025-11-25")
		answer := client.follow(t, `1`, "talk")
		paper.speak <- "a secret"
		last := answer.gets(t, "at first", "a secret")
		id := other.follow(t, `1`, "leave").gets(t, "at first", "while you were away")
		for _, foreign := range []string{
			last, strings.Replace(last, "-1-1", "-1-0", 1), "-1-0", "1-0", "0", "-", "--", id + "0", id + "-1", strings.ToLower(id), " " + id + "x",
			strings.Replace(id, "-1-1", "-2-1", 1), strings.Replace(id, "-1-1", "-1-18446744073709551616", 1), strings.Replace(id, "-1-1", "-1-+1", 1),
			strings.Replace(id, "-1-1", "--1-1", 1), strings.Repeat("a", 60_000),
		} {
			got := other.get(t, foreign)
			if text := strings.Join(got.news(), ""); !got.over() || got.status != http.StatusNotFound || strings.Contains(text, "secret") {
				t.Errorf("the Last-Event-ID %.100q gets %d %s", foreign, got.status, text)
			}
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

func TestChangesAreToldOnExactlyOneStream(t *testing.T) {
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

func TestASessionIsToldOfTheResourcesThatItHasSubscribedTo(t *testing.T) {
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

// What happens between two streams is told on the next, once for each list and
// resource.
func TestAClientThatWasAwayIsToldWhatHasChanged(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			withNewspaper(t, version, func(t *testing.T, paper *newspaper, client *wireClient) {
				stream := client.get(t, "")
				must(t, paper.AddTool(saying("first", "")))
				last := stream.gets(t, "at first", "tools/list_changed")
				stream.hangUp()
				synctest.Wait()
				for i := range 100 {
					must(t, paper.AddTool(saying(fmt.Sprintf("tool-%d", i), "")))
					must(t, paper.AddPrompt(wirePrompt(fmt.Sprintf("prompt-%d", i), saysPrompt(""))))
				}
				synctest.Wait()
				back := client.get(t, last)
				back.gets(t, "when it comes back", "tools/list_changed", "prompts/list_changed")
				back.hangUp()
				synctest.Wait()
				paper.RemoveTool("first")
				synctest.Wait()
				anew := client.get(t, "")
				anew.gets(t, "when it comes anew", "tools/list_changed")
				anew.hangUp()
			})
		})
	}
}

func TestAClientHasEightStreams(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		var streams []*listening
		for range 8 {
			streams = append(streams, client.get(t, ""))
		}
		if more := client.get(t, ""); !more.over() || more.status != http.StatusTooManyRequests {
			t.Errorf("one more gets %d, want 429", more.status)
		}
		last := streams[0].gets(t, "the first")
		if again := client.get(t, last); again.status != http.StatusOK {
			t.Errorf("one that is resumed gets %d", again.status)
		} else {
			again.hangUp()
		}
		streams[1].hangUp()
		synctest.Wait()
		more := client.get(t, "")
		if more.over() || more.status != http.StatusOK {
			t.Errorf("in the place of one that was left, another gets %d", more.status)
		}
		for _, stream := range append(streams, more) {
			stream.hangUp()
		}
	})
}

func TestASessionWithAStreamIsNotIdle(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		stream := client.get(t, "")
		time.Sleep(2 * time.Hour)
		must(t, paper.AddTool(saying("late", "")))
		if stream.over() {
			t.Fatal("the stream has ended")
		}
		last := stream.gets(t, "two hours later", "tools/list_changed")
		stream.hangUp()
		time.Sleep(29 * time.Minute)
		client.get(t, last).hangUp()
		time.Sleep(30 * time.Minute)
		if gone := client.get(t, last); gone.status != http.StatusNotFound {
			t.Errorf("an idle session gets %d, want 404", gone.status)
		}
	})
}

func TestTheEndOfASessionEndsItsStreams(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		stream, answer := client.get(t, ""), client.follow(t, `1`, "talk")
		paper.speak <- "one"
		broken := answer.gets(t, "the call", "one")
		resumed := client.get(t, broken)
		stream.events()
		client.end(t)
		if !stream.over() || !answer.over() || !resumed.over() {
			t.Error("a stream outlives its session")
		}
		must(t, paper.AddTool(saying("late", "")))
		stream.gets(t, "after the end")
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
			t.Error("another client hears nothing")
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

func TestOnlyTheLatestEventsAreKept(t *testing.T) {
	withNewspaper(t, "2025-11-25", func(t *testing.T, paper *newspaper, client *wireClient) {
		answer := client.follow(t, `1`, "talk")
		paper.speak <- "first"
		first := answer.gets(t, "at first", "first")
		for range 1200 {
			paper.speak <- "more"
		}
		answer.hangUp()
		synctest.Wait()
		back := client.get(t, first)
		if n := len(back.events()); n != 1+1000 {
			t.Errorf("%d events are kept, want 1000", n-1)
		}
		back.hangUp()
		synctest.Wait()
		paper.speak <- strings.Repeat("x", 5<<20) // too large to be kept
		for range 5 {
			paper.speak <- strings.Repeat("y", 1<<20)
		}
		close(paper.speak)
		synctest.Wait()
		back = client.get(t, first)
		events, bytes := back.events(), 0
		for _, e := range events {
			bytes += len(e.data)
		}
		if len(events) > 6 || bytes > 4<<20 || !strings.Contains(events[len(events)-1].data, "That was all.") {
			t.Errorf("%d events of %d bytes are kept, want at most 4 MiB and the answer", len(events), bytes)
		}
	})
}

func TestTheEventsOfAllSessionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		paper := newNewspaper()
		base := &wireClient{handler: wireHandler(t, mcp.Config{}, paper)}
		var clients []*wireClient
		var ids []string
		for range 20 {
			client := base.open(t, "2025-11-25")
			ids = append(ids, client.follow(t, `1`, "shout").events()[0].id)
			clients = append(clients, client)
		}
		kept := 0
		for i, client := range clients {
			if back := client.get(t, ids[i]); back.status == http.StatusOK {
				kept++
			} else if i > 4 || back.status != http.StatusNotFound {
				t.Errorf("session %d, which has not been quiet for longest, gets %d", i, back.status)
			}
		}
		if kept != 16 {
			t.Errorf("%d sessions keep 4 MiB, want 16", kept)
		}
	})
}

func TestAHandlerClosesItsStreamOnlyWhereTheClientComesBack(t *testing.T) {
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
