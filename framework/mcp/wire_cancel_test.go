package mcp_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

func TestAModernCallEndsWithItsConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := &wireClient{handler: wireHandler(t, mcp.Config{}, server)}
		ctx, hangUp := context.WithCancel(t.Context())
		answer := client.start(ctx, `1`, "wait")
		// A notification over HTTP, or another call with that ID, doesn't affect it.
		client.post(t.Context(), cancelled(`1`), "")
		if w := client.call(t.Context(), `1`, "echo", `{"message":"a"}`); w.Code != http.StatusOK {
			t.Errorf("another call of the id gets %d: over HTTP ids tell nothing", w.Code)
		}
		synctest.Wait()
		if server.running.Load() != 1 {
			t.Fatal("the call has ended before its connection")
		}
		hangUp()
		<-answer
		if err := <-server.ended; err != context.Canceled {
			t.Errorf("the context ends with %v, want %v", err, context.Canceled)
		}
	})
}

func TestALegacyCallOutlivesItsConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-11-25")
		ctx, hangUp := context.WithCancel(t.Context())
		answer := client.start(ctx, `1`, "wait")
		hangUp()
		time.Sleep(time.Second)
		if server.running.Load() != 1 {
			t.Error("the call has ended with its connection")
		}
		if w := client.post(t.Context(), cancelled(`1`), ""); w.Code != http.StatusAccepted {
			t.Errorf("the cancellation gets %d, want 202", w.Code)
		}
		if w := <-answer; w.Body.Len() != 0 || w.Code != http.StatusAccepted {
			t.Errorf("the cancelled call gets %d %s, want nothing", w.Code, w.Body)
		}
	})
}

func TestASessionCancelsOnlyItsOwnCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		base := &wireClient{handler: wireHandler(t, mcp.Config{}, server)}
		mine, other := base.open(t, "2025-06-18"), base.open(t, "2025-06-18")
		answer := mine.start(t.Context(), `1`, "wait")
		same := other.start(t.Context(), `1`, "wait") // ids are a client's own
		for _, id := range []string{`2`, `"1"`, `null`, `1.0`} {
			mine.post(t.Context(), cancelled(id), "")
		}
		other.post(t.Context(), cancelled(`1`), "")
		<-same
		if server.running.Load() != 1 {
			t.Fatal("a cancellation of something else has ended the call")
		}
		if w := mine.call(t.Context(), `1`, "echo", `{"message":"a"}`); !strings.Contains(w.Body.String(), "-32600") {
			t.Errorf("an id in flight gets %s, want an invalid request", w.Body)
		}
		mine.post(t.Context(), cancelled(`1`), "")
		<-answer
		if w := mine.call(t.Context(), `1`, "echo", `{"message":"a"}`); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "error") {
			t.Errorf("the id, free again, gets %d %s", w.Code, w.Body)
		}
	})
}

func TestTheEndOfASessionEndsItsCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-03-26")
		answer := client.start(t.Context(), `1`, "wait")
		client.end(t)
		<-answer
		if err := <-server.ended; err != context.Canceled {
			t.Errorf("the call ends with %v", err)
		}
	})
}

// If a call ends early, for any reason, its log line says so, and no other line says that
// it failed.
func TestACancelledCallIsLoggedAsSuch(t *testing.T) {
	t.Parallel()
	assertLog := func(t *testing.T, log *logBuffer) {
		t.Helper()
		if log.count("msg=call", "tool=wait", "outcome=canceled") != 1 || log.count("level=ERROR") != 0 {
			t.Errorf("the log is\n%s", log)
		}
	}
	for name, test := range map[string]struct {
		version string
		end     func(t *testing.T, client *wireClient, hangUp func())
	}{
		"by a hang-up":      {"", func(_ *testing.T, _ *wireClient, hangUp func()) { hangUp() }},
		"by a notification": {"2025-11-25", func(t *testing.T, client *wireClient, _ func()) { client.post(t.Context(), cancelled(`1`), "") }},
		"with its session":  {"2025-06-18", func(t *testing.T, client *wireClient, _ func()) { client.end(t) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log := &logBuffer{}
				client := &wireClient{handler: wireHandler(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(log, nil))}, newWireServer())}
				if test.version != "" {
					client = client.open(t, test.version)
				}
				ctx, hangUp := context.WithCancel(t.Context())
				answer := client.start(ctx, `1`, "wait")
				test.end(t, client, hangUp)
				<-answer
				synctest.Wait()
				assertLog(t, log)
				hangUp()
			})
		})
	}
	for name, end := range map[string]func(t *testing.T, p *pipeline){
		"on stdio, by a notification":       func(t *testing.T, p *pipeline) { p.send(t, cancelled(`1`)) },
		"on stdio, at the end of the input": func(t *testing.T, p *pipeline) { _ = p.in.Close() },
		"on stdio, with the program":        func(_ *testing.T, p *pipeline) { p.stop() },
	} {
		for _, call := range []string{modernCall(`1`, "wait", `{}`), legacyCall(`1`, "wait", `{}`)} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					p := startPipeline(t, mcp.Config{}, newWireServer())
					p.ask(t, initialize("2025-06-18"))
					p.send(t, call)
					synctest.Wait()
					end(t, p)
					time.Sleep(5 * time.Second)
					assertLog(t, p.log)
				})
			})
		}
	}
}

// A cancellation, or the end of a session, doesn't wait for the write timeout of a client
// that doesn't read. Later messages of the call are not sent.
func TestACallIsCancelledThoughItsClientDoesNotRead(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, client *wireClient){
		"by a notification": func(t *testing.T, client *wireClient) {
			for range 3 { // has the effect of one
				client.post(t.Context(), cancelled(`1`), "")
			}
		},
		"with its session": func(t *testing.T, client *wireClient) { client.end(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				paper := newNewspaper()
				client := (&wireClient{handler: wireHandler(t, mcp.Config{}, paper)}).open(t, "2025-11-25")
				answer := client.follow(t, `1`, "talk")
				paper.speak <- "one"
				time.Sleep(time.Second)
				answer.gets(t, "at first", "one")
				resume := answer.dawdle()
				paper.speak <- "two"
				synctest.Wait()
				end(t, client) // if the client read first, this would never end
				resume()
				answer.gets(t, "when it reads again", "two")
				if !answer.over() {
					t.Error("the call continues")
				}
			})
		})
	}
}

func TestAStubbornToolIsAnsweredForAtTheTimeout(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "2025-11-25"} {
		t.Run("era "+version, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, log := newWireServer(), &logBuffer{}
				client := &wireClient{handler: wireHandler(t, mcp.Config{CallTimeout: time.Second, Logger: slog.New(slog.NewTextHandler(log, nil))}, server)}
				if version != "" {
					client = client.open(t, version)
				}
				answer := client.start(t.Context(), `1`, "stubborn")
				time.Sleep(1200 * time.Millisecond)
				if log.count("level=WARN", "msg=call", "tool=stubborn", `outcome="timed out"`) != 1 {
					t.Errorf("at the timeout, the log has no line of the call:\n%s", log)
				}
				if log.count("ignores its context", "tool=stubborn", "abandoned=1") != 1 {
					t.Errorf("the log doesn't name the tool:\n%s", log)
				}
				if w := client.call(t.Context(), `1`, "echo", `{"message":"a"}`); w.Code != http.StatusOK {
					t.Errorf("the next call, of the same id, gets %d %s", w.Code, w.Body)
				}
				close(server.release)
				w := <-answer
				if got := readAnswer(t, withoutLogID(w.Body.String())); !got.Result.IsError || got.text() != "The tool stubborn timed out after 1s." {
					t.Errorf("the answer is %s", w.Body)
				}
				if w.Header().Get("Connection") != "close" {
					t.Error("the connection, which stays with the handler, is offered for the next request")
				}
				if log.count("has returned", "abandoned=0") != 1 {
					t.Errorf("the log doesn't say that the handler has returned:\n%s", log)
				}
			})
		})
	}
}

// Messages of a legacy call after its client has disconnected are lost, but the call
// doesn't fail.
func TestALegacyCallMaySendAfterItsClientDisconnects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		told, server := make(chan error, 2), newWireServer()
		server.tools = []servers.Tool{wireTool("wait", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
			server.running.Add(1)
			time.Sleep(time.Second)
			told <- r.Notify("chat/token", nil)
			told <- ctx.Err()
			return tools.Text("done"), nil
		})}
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, server)}).open(t, "2025-11-25")
		ctx, hangUp := context.WithCancel(t.Context())
		answer := client.start(ctx, `1`, "wait")
		hangUp()
		if notified, ended := <-told, <-told; notified != nil || ended != nil {
			t.Errorf("the notification gets %v and the context ends with %v, want neither", notified, ended)
		}
		<-answer
	})
}
