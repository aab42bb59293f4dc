package mcp_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// However a call over HTTP ends, it leaves no goroutine behind; synctest would fail the
// test.
func TestHTTPLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		modern := &wireClient{handler: wireHandler(t, mcp.Config{CallTimeout: time.Second}, server)}
		old := modern.open(t, "2025-06-18")
		answers := make(chan *httptest.ResponseRecorder, 1000)
		for i := range 1000 {
			id := fmt.Sprint(i)
			switch i % 8 {
			case 0:
				answers <- modern.call(t.Context(), id, "echo", `{"message":"a"}`)
			case 1:
				answers <- old.call(t.Context(), id, "boom", `{}`)
			case 2:
				go func() { answers <- old.call(t.Context(), id, "wait", `{}`) }()
				synctest.Wait()
				old.post(t.Context(), cancelled(id), "")
			case 3:
				go func() { answers <- modern.call(t.Context(), id, "wait", `{}`) }() // ends at the timeout
			case 4:
				ctx, hangUp := context.WithCancel(t.Context())
				go func() { answers <- modern.call(ctx, id, "wait", `{}`) }()
				synctest.Wait()
				hangUp()
			case 5:
				answers <- modern.call(t.Context(), id, "stream", `{}`)
			case 6:
				answers <- modern.call(t.Context(), id, "nothing", `{}`)
			case 7:
				answers <- old.post(t.Context(), `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"}`, "")
			}
		}
		for range 1000 {
			<-answers
		}
		time.Sleep(time.Second)
		if server.running.Load() != 0 {
			t.Errorf("%d calls still run", server.running.Load())
		}
	})
}
