package mcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// newsroom is a server with items of each kind, one of each hidden until it is revealed.
type newsroom struct {
	wireLibrary
}

func (*newsroom) Name() string { return "newsroom" }
func (*newsroom) Tools() []servers.Tool {
	return []servers.Tool{saying("read", "Nothing new.")}
}

const newsroomInfo = `{"name":"newsroom","title":"Newsroom","version":"1.2.3"}`

// inNewsroom runs a test with a newsroom.
func inNewsroom(t *testing.T, test func(t *testing.T, room *newsroom, handler http.Handler)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room := &newsroom{}
		test(t, room, wireHandler(t, mcp.Config{}, room))
	})
}

// must ends the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAStreamHasChangesOfTheRequestedLists(t *testing.T) {
	inNewsroom(t, func(t *testing.T, room *newsroom, handler http.Handler) {
		toolsOnly := listenTo(t, handler, `7`, `{"toolsListChanged":true,"promptsListChanged":false}`)
		all := listenTo(t, handler, `"7"`, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"taskIds":["1"]}`)
		none := listenTo(t, handler, `-1`, `{}`)
		toolsOnly.hears(t, "at first", acknowledged(`7`, `{"toolsListChanged":true}`))
		all.hears(t, "at first", acknowledged(`"7"`, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`))
		none.hears(t, "at first", acknowledged(`-1`, `{}`))
		if all.status != http.StatusOK || all.header.Get("Content-Type") != "text/event-stream" || all.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("the stream begins with %d %v", all.status, all.header)
		}

		must(t, room.AddTool(saying("late", "")))
		toolsOnly.hears(t, "a tool is added", listChanged(`7`, "tools"))
		all.hears(t, "a tool is added", listChanged(`"7"`, "tools"))
		room.RemoveTool("late")
		all.hears(t, "a tool is removed", listChanged(`"7"`, "tools"))
		must(t, room.AddPrompt(wirePrompt("late", saysPrompt(""))))
		all.hears(t, "a prompt is added", listChanged(`"7"`, "prompts"))
		room.RemovePrompt("late")
		all.hears(t, "a prompt is removed", listChanged(`"7"`, "prompts"))
		must(t, room.AddResource(wireResource("late://a", saysResource(""))))
		all.hears(t, "a resource is added", listChanged(`"7"`, "resources"))
		must(t, room.AddResource(wireResource("late://{b}", saysResource(""))))
		all.hears(t, "a template is added", listChanged(`"7"`, "resources"))
		room.RemoveResource("late://{b}")
		all.hears(t, "a template is removed", listChanged(`"7"`, "resources"))

		toolsOnly.hears(t, "the second change of the tools", listChanged(`7`, "tools"))
		none.hears(t, "all of that")
		for _, l := range []*listening{toolsOnly, all, none} {
			l.hangUp()
			if !l.over() {
				t.Error("a stream continues after its client has disconnected")
			}
		}
		must(t, room.AddTool(saying("later", "")))
		all.hears(t, "after it has hung up")
	})
}

func TestAStreamHasUpdatesOfVisibleResources(t *testing.T) {
	inNewsroom(t, func(t *testing.T, room *newsroom, handler http.Handler) {
		l := listenTo(t, handler, `1`, `{"resourceSubscriptions":["docs://handbook","users://7","files://../x","docs://none","docs://hidden","docs:\/\/logo","docs://logo"]}`)
		defer l.hangUp()
		l.hears(t, "at first", acknowledged(`1`, `{"resourceSubscriptions":["docs://handbook","docs://logo"]}`))
		neighbour := listenTo(t, handler, `2`, `{"resourceSubscriptions":["docs://data"]}`)
		defer neighbour.hangUp()
		neighbour.hears(t, "at first", acknowledged(`2`, `{"resourceSubscriptions":["docs://data"]}`))
		room.ResourceUpdated("docs://logo")
		l.hears(t, "a resource is updated", updated(`1`, "docs://logo"))
		neighbour.hears(t, "a resource of another stream is updated")
		for _, other := range []string{"docs://data", "docs://none", "docs://hidden", "users://7"} {
			room.ResourceUpdated(other)
		}
		must(t, room.AddResource(wireResource("docs://none", saysResource(""))))
		room.ResourceUpdated("docs://none")
		l.hears(t, "what it isn't subscribed to is updated")
		neighbour.hears(t, "its own resource is updated", updated(`2`, "docs://data"))
		room.RemoveResource("docs://logo")
		room.ResourceUpdated("docs://logo")
		l.hears(t, "a resource that is gone is updated")
	})
}

func TestAResourceOfATemplateIsSubscribedTo(t *testing.T) {
	inNewsroom(t, func(t *testing.T, room *newsroom, handler http.Handler) {
		l := listenTo(t, handler, `1`, `{"resourceSubscriptions":["files://notes/a"]}`)
		defer l.hangUp()
		l.hears(t, "at first", acknowledged(`1`, `{"resourceSubscriptions":["files://notes/a"]}`))
		room.ResourceUpdated("files://notes/b")
		room.ResourceUpdated("files://notes/a")
		l.hears(t, "two resources are updated", updated(`1`, "files://notes/a"))
	})
}

// A client that may not see a resource gets no updates of it and doesn't learn that it
// exists, even if it could see it before.
func TestUpdatesOfAHiddenResourceAreNotSent(t *testing.T) {
	inNewsroom(t, func(t *testing.T, room *newsroom, handler http.Handler) {
		early := listenTo(t, handler, `1`, `{"resourceSubscriptions":["docs://hidden","hidden://1"]}`)
		early.hears(t, "at first", acknowledged(`1`, `{}`))
		room.revealed.Store(true)
		late := listenTo(t, handler, `2`, `{"resourceSubscriptions":["docs://hidden","hidden://1"]}`)
		late.hears(t, "at first", acknowledged(`2`, `{"resourceSubscriptions":["docs://hidden","hidden://1"]}`))
		room.ResourceUpdated("hidden://1")
		late.hears(t, "while it is shown", updated(`2`, "hidden://1"))
		room.revealed.Store(false)
		room.ResourceUpdated("hidden://1")
		room.ResourceUpdated("docs://hidden")
		late.hears(t, "when it is hidden again")
		room.revealed.Store(true)
		room.ResourceUpdated("docs://hidden")
		early.hears(t, "what it could not see when it subscribed")
		early.hangUp()
		late.hangUp()
	})
}

// The context of the client decides whether it gets updates, not the context of the
// change.
func TestASubscriptionHasTheVisibilityOfItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room := &newsroom{}
		handler := wireHandler(t, mcp.Config{}, room)
		must(t, room.AddResource(&secretResource{wireResource("secret://plan", saysResource(""))}))
		filter := `{"resourceSubscriptions":["secret://plan"]}`
		stranger := listenTo(t, handler, `1`, filter)
		friend := startListening(context.WithValue(t.Context(), secretKey{}, true), handler, listenMessage(`2`, filter), "*/*")
		stranger.hears(t, "at first", acknowledged(`1`, `{}`))
		friend.hears(t, "at first", acknowledged(`2`, filter))
		room.ResourceUpdated("secret://plan")
		stranger.hears(t, "the secret changes")
		friend.hears(t, "the secret changes", updated(`2`, "secret://plan"))
		stranger.hangUp()
		friend.hangUp()
	})
}

type secretKey struct{}

// secretResource is visible if the context has a value.
type secretResource struct{ resources.Interface }

func (*secretResource) VisibleTo(ctx context.Context) bool { return ctx.Value(secretKey{}) != nil }

func TestABurstOfChangesIsOneNotification(t *testing.T) {
	inNewsroom(t, func(t *testing.T, room *newsroom, handler http.Handler) {
		l := listenTo(t, handler, `1`, `{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["docs://logo","docs://data"]}`)
		defer l.hangUp()
		l.news()
		resume := l.dawdle()
		must(t, room.AddTool(saying("first", "")))
		synctest.Wait() // it is being notified
		for i := range 100 {
			must(t, room.AddTool(saying(fmt.Sprintf("tool-%d", i), "")))
			must(t, room.AddPrompt(wirePrompt(fmt.Sprintf("prompt-%d", i), saysPrompt(""))))
			room.ResourceUpdated("docs://logo")
			room.ResourceUpdated("docs://data")
		}
		resume()
		l.hears(t, "401 changes", listChanged(`1`, "tools"),
			listChanged(`1`, "tools"), listChanged(`1`, "prompts"), updated(`1`, "docs://logo"), updated(`1`, "docs://data"))
	})
}

func TestAStreamWhoseClientDoesNotReadIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room, log := &newsroom{}, &logbook{}
		handler := wireHandler(t, mcp.Config{Logger: log.logger(), KeepAlive: time.Hour}, room)
		slow, quick := listenTo(t, handler, `1`, `{"toolsListChanged":true}`), listenTo(t, handler, `2`, `{"toolsListChanged":true}`)
		defer quick.hangUp()
		quick.news()
		slow.dawdle()
		start := time.Now()
		for i := range 1000 {
			must(t, room.AddTool(saying(fmt.Sprintf("tool-%d", i), "")))
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("who makes changes waits %s for a client that doesn't read", took)
		}
		time.Sleep(5 * time.Millisecond) // another goroutine has notified the rest
		if n := len(quick.news()); n == 0 {
			t.Error("the other client gets nothing")
		}
		time.Sleep(30 * time.Second)
		if !slow.over() {
			t.Error("after the write timeout the stream is still open")
		}
		if n := strings.Count(log.String(), "level=WARN msg=stream"); n != 1 || !strings.Contains(log.String(), `reason="the client does not read"`) {
			t.Errorf("the log is\n%s", log)
		}
	})
}

func TestAStreamIsKeptAlive(t *testing.T) {
	inNewsroom(t, func(t *testing.T, _ *newsroom, handler http.Handler) {
		l := listenTo(t, handler, `1`, `{"toolsListChanged":true}`)
		l.news()
		time.Sleep(time.Hour)
		if comments := l.news(); len(comments) != 240 || comments[0] != ": keep-alive" {
			t.Errorf("an hour gets %d comments, want one each 15 s: %q", len(comments), comments[:min(3, len(comments))])
		}
		l.hangUp()
		if time.Sleep(time.Hour); len(l.news()) > 0 {
			t.Error("something is written after the end")
		}
	})
}

func TestAStreamThatCannotBeginIsRefused(t *testing.T) {
	inNewsroom(t, func(t *testing.T, _ *newsroom, handler http.Handler) {
		many := `{"resourceSubscriptions":["` + strings.Repeat(`docs://logo","`, 1000) + `docs://logo"]}`
		var uris []string
		for i := range 70 {
			uris = append(uris, fmt.Sprintf(`"files://%02d%s"`, i, strings.Repeat("a", 1000)))
		}
		long := `{"resourceSubscriptions":[` + strings.Join(uris, ",") + `]}`
		for filter, want := range map[string]string{
			`{"toolsListChanged":1}`:        `"code":-32602,"message":"Invalid params: the member \"toolsListChanged\" of \"notifications\" must be true or false"`,
			`{"promptsListChanged":"no"}`:   `the member \"promptsListChanged\" of`,
			`{"resourceSubscriptions":"a"}`: `"code":-32602,"message":"Invalid params: the member \"resourceSubscriptions\" of \"notifications\" must be an array of URIs"`,
			`{"resourceSubscriptions":[1]}`: `must be an array of URIs`,
			`[]`:                            `"code":-32602,"message":"Invalid params: the member \"notifications\" must be an object`,
			`null`:                          `the member \"notifications\" must be an object`,
			many:                            `"code":-32602,"message":"Invalid params: at most 1000 resources`,
			long:                            `their URIs may have 65536 bytes together`,
		} {
			l := startListening(t.Context(), handler, listenMessage(`"x"`, filter), "application/json, text/event-stream")
			answer := strings.Join(l.news(), "")
			if !l.over() || l.status != http.StatusOK || !strings.Contains(answer, want) || !strings.Contains(answer, `"id":"x"`) {
				t.Errorf("%.80s gets %d %s\nwant %s", filter, l.status, answer, want)
			}
		}
		l := startListening(t.Context(), handler, listenMessage(`1`, `{}`), "application/json")
		if answer := l.news(); l.status != http.StatusNotAcceptable || !strings.Contains(answer[0], `"code":-32600,"message":"Invalid request: the answer is a stream, so Accept must include text/event-stream"`) {
			t.Errorf("a client that takes no stream gets %d %s", l.status, answer)
		}
	})
}

func TestResourceUpdatedOfAnUnknownResourceIsAWarning(t *testing.T) {
	t.Parallel()
	log, room := &logbook{}, &newsroom{}
	room.ResourceUpdated("docs://logo") // nobody serves it
	probeServer(t, mcp.Config{Logger: log.logger()}, room)
	for _, fine := range []string{"docs://logo", "docs://hidden", "files://a"} {
		room.ResourceUpdated(fine)
	}
	if strings.Contains(log.String(), slog.LevelWarn.String()) {
		t.Errorf("the log is\n%s", log)
	}
	room.ResourceUpdated("docs://lgo")
	if !strings.Contains(log.String(), "uri=docs://lgo") {
		t.Errorf("the log is\n%s", log)
	}
}
