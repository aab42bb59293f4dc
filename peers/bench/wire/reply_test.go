package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

const (
	out    = `{"message":"The quick brown fox jumps over the lazy dog.","count":3,"tags":["alpha","beta","gamma"]}`
	mirror = `{\"message\":\"The quick brown fox jumps over the lazy dog.\",\"count\":3,\"tags\":[\"alpha\",\"beta\",\"gamma\"]}`
)

func TestCheckCall(t *testing.T) {
	t.Parallel()
	good := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + mirror + `"}],"structuredContent":` + out + `}}`
	if err := wire.CheckCall([]byte(good), 1); err != nil {
		t.Errorf("a good reply is refused: %v", err)
	}
	for name, bad := range map[string]string{
		"another id":                 strings.Replace(good, `"id":1`, `"id":2`, 1),
		"a failed tool":              strings.Replace(good, `"content"`, `"isError":true,"content"`, 1),
		"another structured content": strings.Replace(good, `"count":3`, `"count":4`, 1),
		"no mirror":                  strings.Replace(good, mirror, "done", 1),
		"a protocol error":           `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`,
		"no JSON":                    `not found`,
	} {
		if wire.CheckCall([]byte(bad), 1) == nil {
			t.Errorf("%s is let through", name)
		}
	}
}

func TestCheckStream(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range wire.Notifications {
		fmt.Fprintf(&body, "event: message\ndata: {\"method\":\"notifications/progress\",\"params\":{\"progress\":%d}}\n\n", i+1)
	}
	body.WriteString("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n\n")
	frames := wire.Frames([]byte(body.String()))
	if err := wire.CheckStream(frames, 1); err != nil {
		t.Errorf("a good stream is refused: %v", err)
	}
	if wire.CheckStream(frames[1:], 1) == nil {
		t.Error("a stream that lost a notification is let through")
	}
	frames[3], frames[4] = frames[4], frames[3]
	if wire.CheckStream(frames, 1) == nil {
		t.Error("a stream in another order is let through")
	}
}
