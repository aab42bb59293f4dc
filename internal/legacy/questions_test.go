package legacy

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/seal"
)

// A mute is a client that takes everything, and answers nothing.
type mute struct{}

func (mute) Notify(*jsonrpc.Frame) error           { return nil }
func (mute) Within(time.Duration)                  {}
func (mute) Late()                                 {}
func (mute) Finish(int, *jsonrpc.Frame, ...[]byte) {}
func (mute) Hold(func(error)) bool                 { return true }
func send(*jsonrpc.Frame) error                    { return nil }
func receive(t *testing.T, raw string) (a *protocol.Arrival) {
	t.Helper()
	a = &protocol.Arrival{}
	if err := a.Message.Scan([]byte(raw)); err != nil {
		t.Fatal(err)
	}
	return a
}

// A session may last for days: what nobody waits for must not stay with it.
func TestAQuestionThatIsNotAnsweredLeavesNothingInItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		core := protocol.New(protocol.Config{
			Scope: "test", Versions: protocol.Versions{protocol.Version20251125}, Info: []byte(`{"name":"test","version":"1"}`), PageSize: 50, MaxPageSize: 100,
			Lifecycle: protocol.NewLifecycle(), Seal: seal.New(), Logger: slog.New(slog.DiscardHandler), Timeout: time.Minute,
		})
		var failures []error
		_ = core.AddTool(&protocol.Tool{Item: protocol.Item{Key: "ask"}, Handle: func(call *protocol.Call, _ []byte) (protocol.ToolResult, *protocol.Fault) {
			ctx := &protocol.Context{}
			call.Begin(ctx)
			_, err := call.Ask(ctx, []protocol.Question{{Key: "a", Method: "roots/list", Params: []byte(`{}`)}, {Key: "b", Method: "roots/list", Params: []byte(`{}`)}})
			failures = append(failures, err)
			return protocol.ToolResult{Structured: []byte(`{}`)}, nil
		}})
		session := New(core, Config{AskTimeout: time.Second, AskRounds: 8}).Open("", send).(*guest)
		session.Serve(t.Context(), receive(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`), mute{})
		questions := session.client.Load().questions
		open := func() int {
			questions.lock.Lock()
			defer questions.lock.Unlock()
			return len(questions.open)
		}
		for range 3 {
			go session.Serve(context.Background(), receive(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{}}}`), mute{})
			synctest.Wait()
			if n := open(); n != 2 {
				t.Errorf("%d questions are open, want 2", n)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if n := open(); n != 0 {
				t.Errorf("%d questions stay when nobody waits for their answers", n)
			}
		}
		for _, err := range failures {
			if _, ok := errors.AsType[*protocol.AskError](err); !ok {
				t.Errorf("Ask returns %v", err)
			}
		}
	})
}
