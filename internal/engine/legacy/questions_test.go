package legacy

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

const callAsk = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{}}}`

// opened returns the session of a client that may call the tool ask.
func opened(t *testing.T, ask func(context.Context, *call.Call)) *connectionSession {
	t.Helper()
	core := protocol.New(protocol.Config{
		Versions: spec.Versions{spec.Version20251125}, PageSize: 50, MaxPageSize: 100, Server: calltest.Server(io.Discard),
	})
	_ = core.AddTool(&protocol.Tool{Item: protocol.Item{Key: "ask", Operation: &call.Operation{Asks: true, Do: func(ctx context.Context, k *call.Call) (call.Result, error) {
		ask(ctx, k)
		return &protocol.ToolResult{Structured: []byte(`{}`)}, nil
	}}}})
	session := New(core, Config{AskTimeout: time.Second, AskRounds: 8}).Open("", func(*jsonrpc.Frame) error { return nil }).(*connectionSession)
	session.Serve(t.Context(), calltest.Arrive(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`), &calltest.Reply{})
	return session
}

// A session may last for days, so it must not keep questions for which no call waits.
func TestAnUnansweredQuestionLeavesNothingInItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failures []error
		session := opened(t, func(ctx context.Context, k *call.Call) {
			_, err := k.Ask(ctx, []request.Question{{Key: "a", Method: "roots/list", Params: []byte(`{}`)}, {Key: "b", Method: "roots/list", Params: []byte(`{}`)}})
			failures = append(failures, err)
		})
		questions := session.client.Load().questions
		open := func() int {
			questions.lock.Lock()
			defer questions.lock.Unlock()
			return len(questions.asked)
		}
		for range 3 {
			go session.Serve(context.Background(), calltest.Arrive(callAsk), &calltest.Reply{})
			synctest.Wait()
			if n := open(); n != 2 {
				t.Errorf("%d questions are open, want 2", n)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if n := open(); n != 0 {
				t.Errorf("%d questions are kept although no call waits for them", n)
			}
		}
		if len(failures) != 3 {
			t.Errorf("Ask has returned %d times, want 3", len(failures))
		}
		for _, err := range failures {
			if _, ok := errors.AsType[*exchange.AskError](err); !ok {
				t.Errorf("Ask returns %v", err)
			}
		}
	})
}

// A question may be large, and its answer may take long.
func TestASentQuestionIsNotKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent weak.Pointer[byte]
		session := opened(t, func(ctx context.Context, k *call.Call) {
			params := append([]byte(`{"message":"`+strings.Repeat("x", 1000)), `"}`...)
			sent = weak.Make(&params[0])
			_, _ = k.Ask(ctx, []request.Question{{Key: "a", Method: "elicitation/create", Params: params}})
		})
		go session.Serve(context.Background(), calltest.Arrive(callAsk), &calltest.Reply{})
		synctest.Wait()
		runtime.GC()
		if sent.Value() != nil {
			t.Error("the question is kept until it is answered")
		}
		time.Sleep(time.Second)
		synctest.Wait()
	})
}
