package protocol_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A heldReply is one that stays open, and remembers its status when it is finished.
type heldReply struct {
	status int
	gone   func(error)
}

func (*heldReply) Notify(*jsonrpc.Frame) error { return nil }
func (*heldReply) Within(time.Duration)        {}
func (*heldReply) Late()                       {}

func (r *heldReply) Finish(status int, _ *jsonrpc.Frame, _ ...[]byte) { r.status = status }

func (r *heldReply) Hold(gone func(error)) bool {
	r.gone = gone
	return true
}

// listen opens a stream by a core without a transport.
func listen(t *testing.T, core *protocol.Core, id int) *heldReply {
	t.Helper()
	a, reply := &protocol.Arrival{}, &heldReply{}
	err := a.Message.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, id))
	if err != nil {
		t.Fatal(err)
	}
	core.Serve(t.Context(), a, reply)
	return reply
}

func TestAServerHasABoundedNumberOfStreamsOpen(t *testing.T) {
	t.Parallel()
	const most = 20_000
	core := newCore()
	_ = core.AddTool(&protocol.Tool{Item: protocol.Item{Key: "a"}})
	var last *heldReply
	for i := range most {
		if last = listen(t, core, i); last.status != 0 {
			t.Fatalf("stream %d is refused with %d", i, last.status)
		}
	}
	if refused := listen(t, core, most); refused.status != http.StatusServiceUnavailable {
		t.Errorf("one stream too many gets %d", refused.status)
	}
	last.gone(nil)
	if next := listen(t, core, most); next.status != 0 {
		t.Errorf("when one has ended, the next gets %d", next.status)
	}
}
