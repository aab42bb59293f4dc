package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// lateServer has a tool that still sends messages after its call has ended.
func lateServer(told chan<- error) *wireServer {
	server := newWireServer()
	server.tools = []servers.Tool{wireTool("late", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		if err := r.Notify("chat/token", map[string]string{"token": "in time"}); err != nil {
			return nil, err
		}
		<-ctx.Done()
		time.Sleep(10 * time.Millisecond)
		told <- r.Notify("chat/token", map[string]string{"token": "too late"})
		told <- r.Progress(1, 2, "too late")
		return tools.Text("too late"), nil
	})}
	return server
}

// withToken asks for progress.
func withToken(call string) string {
	if strings.Contains(call, `"_meta":{`) {
		return strings.Replace(call, `"_meta":{`, `"_meta":{"progressToken":1,`, 1)
	}
	return strings.Replace(call, `"arguments"`, `"_meta":{"progressToken":1},"arguments"`, 1)
}

func TestNothingFollowsACancelledCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 2)
		p := startPipeline(t, mcp.Config{}, lateServer(told))
		p.ask(t, initialize("2025-11-25"))
		p.ask(t, withToken(legacyCall(`1`, "late", `{}`))) // the notification
		p.send(t, cancelled(`1`))
		for range 2 {
			if err := <-told; err == nil {
				t.Error("the handler isn't notified that its call has ended")
			}
		}
		synctest.Wait()
		p.quiet(t)
	})
}

func TestNothingFollowsTheAnswerForALateTool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 2)
		client := (&wireClient{handler: wireHandler(t, mcp.Config{CallTimeout: time.Second}, lateServer(told))}).open(t, "2025-06-18")
		w := client.post(t.Context(), withToken(legacyCall(`1`, "late", `{}`)), "late")
		if err := <-told; err == nil {
			t.Error("the handler isn't notified that its call has ended")
		}
		events := strings.Split(strings.TrimSpace(w.Body.String()), "\n\n")
		if len(events) != 2 || !strings.Contains(events[0], "in time") || !strings.Contains(events[1], "timed out after 1s") {
			t.Errorf("the stream is\n%s\nwant one notification and the answer", w.Body)
		}
		time.Sleep(time.Second)
	})
}

func TestAMethodThatTakesTooLongIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		server.boot = func(s *wireServer) error {
			return s.AddMethod("acme/slow", func(ctx context.Context, _ *exchange.Request) (any, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
		}
		p := startPipeline(t, mcp.Config{CallTimeout: time.Second}, server)
		got := readAnswer(t, p.ask(t, `{"jsonrpc":"2.0","id":1,"method":"acme/slow","params":{`+modernMeta+`}}`))
		if got.Error == nil || got.Error.Code != -32603 || !strings.Contains(got.Error.Message, "timed out after 1s") {
			t.Errorf("the answer is %+v, want that the request timed out", got.Error)
		}
		time.Sleep(time.Second)
	})
}

// Calls beyond the limit of waiting calls are refused, so that the memory is limited.
func TestStdioRefusesCallsBeyondItsQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{MaxCalls: 1}, server)
		p.send(t, modernCall(`"runs"`, "wait", `{}`))
		synctest.Wait()
		for id := range 1024 {
			p.send(t, modernCall(fmt.Sprint(id), "echo", `{"message":"a"}`))
		}
		got := readAnswer(t, p.ask(t, modernCall(`"more"`, "echo", `{"message":"a"}`)))
		if got.Error == nil || got.Error.Code != -32603 || string(got.ID) != `"more"` || !strings.Contains(got.Error.Message, "busy") {
			t.Errorf("one more gets %+v, want that the server is busy", got)
		}
		p.send(t, cancelled(`"runs"`))
		for id := range 1024 {
			if got := readAnswer(t, p.next(t)); got.Result == nil || string(got.ID) != fmt.Sprint(id) {
				t.Fatalf("call %d, which waited, gets %+v", id, got)
			}
		}
	})
}

func TestStdioRefusesABadHandshake(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, newWireServer())
	for _, params := range []string{``, `,"params":{}`, `,"params":{"protocolVersion":1}`, `,"params":{"protocolVersion":null}`, `,"params":null`} {
		got := readAnswer(t, p.ask(t, `{"jsonrpc":"2.0","id":1,"method":"initialize"`+params+`}`))
		if got.Error == nil || got.Error.Code != -32602 || !strings.Contains(got.Error.Message, "protocolVersion") {
			t.Errorf("initialize%s gets %+v, want invalid params", params, got)
		}
	}
	if got := readAnswer(t, p.ask(t, legacyCall(`2`, "echo", `{"message":"a"}`))); got.Error == nil {
		t.Error("a call is served though no handshake has succeeded")
	}
}

// A handler may keep its request in a goroutine by mistake. Messages that it then sends
// are dropped and don't reach other clients, although the memory of calls is reused.
func TestAKeptRequestReachesNoOtherClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		speak, told := make(chan struct{}), make(chan error, 64)
		server := newWireServer()
		server.tools = []servers.Tool{
			wireTool("careless", ``, func(_ context.Context, r *tools.Request) (tools.Result, error) {
				go func() {
					<-speak
					told <- r.Notify("chat/token", map[string]string{"token": "stray"})
					_ = r.Progress(1, 1, "stray")
				}()
				return tools.Text("returned"), nil
			}),
			wireTool("wait", ``, server.wait),
		}
		client := &wireClient{handler: wireHandler(t, mcp.Config{CallTimeout: time.Second}, server)}
		for range 16 {
			client.call(t.Context(), `1`, "careless", `{}`)
		}
		var answers []<-chan string
		for range 16 {
			answer := make(chan string, 1)
			go func() {
				answer <- client.post(t.Context(), withToken(modernCall(`2`, "wait", `{}`)), "wait").Body.String()
			}()
			answers = append(answers, answer)
		}
		synctest.Wait()
		close(speak)
		for range 16 {
			if err := <-told; err == nil {
				t.Error("the handler isn't notified that its call has ended")
			}
		}
		synctest.Wait()
		for _, answer := range answers {
			if body := <-answer; !strings.Contains(body, "timed out") || strings.HasPrefix(body, "data: ") {
				t.Errorf("another client gets %s", body)
			}
		}
		time.Sleep(time.Second)
	})
}

func TestStdioBoundsTheBytesThatWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := startPipeline(t, mcp.Config{MaxCalls: 1, Memory: 16<<20 + 1<<10}, newWireServer())
		p.send(t, modernCall(`"runs"`, "wait", `{}`))
		synctest.Wait()
		call := modernCall(`1`, "echo", `{"message":"`+strings.Repeat("x", 3<<18)+`"}`)
		for range 16 << 20 / len(call) {
			p.send(t, call)
		}
		synctest.Wait()
		p.quiet(t)
		p.send(t, call)
		if got := readAnswer(t, p.next(t)); got.Error == nil || !strings.Contains(got.Error.Message, "busy") {
			t.Errorf("one more gets %+v, want that the server is busy", got)
		}
		p.send(t, cancelled(`1`), cancelled(`"runs"`)) // which makes room again
		if got := readAnswer(t, p.ask(t, modernCall(`2`, "echo", `{"message":"a"}`))); got.Result == nil {
			t.Errorf("the next call gets %+v", got)
		}
	})
}
