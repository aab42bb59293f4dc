package jsonrpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// framed returns a frame with a message.
func framed(message string) *jsonrpc.Frame {
	f := jsonrpc.NewFrame()
	f.Buffer = append(f.Buffer, message...)
	return f
}

func TestAFrameIsABodyALineAndAnEvent(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for _, test := range []struct {
		name, want string
		form       func(*jsonrpc.Frame) []byte
	}{
		{"body", message, (*jsonrpc.Frame).JSON},
		{"line", message + "\n", func(f *jsonrpc.Frame) []byte { return f.Line(nil) }},
		{"line with a rest", message + " \n", func(f *jsonrpc.Frame) []byte { return f.Line([]byte(" ")) }},
		{"event", "data: " + message + "\n\n", func(f *jsonrpc.Frame) []byte { return append(f.Event(), eventstream.End...) }},
	} {
		f := framed(message)
		if got := string(test.form(f)); got != test.want {
			t.Errorf("the %s is %q, want %q", test.name, got, test.want)
		}
		f.Free()
	}
}

// The test isn't parallel, so that it gets the frame that it has freed.
func TestAFreedFrameIsReusedEmpty(t *testing.T) {
	for _, length := range []int{1, 2000, 1 << 20} {
		f := framed(strings.Repeat("x", length))
		_ = f.Event()
		f.Free()
		again := jsonrpc.NewFrame()
		if got := again.JSON(); len(got) > 0 {
			t.Errorf("after a message of %d bytes, a new frame has %d", length, len(got))
		}
		if free := cap(again.JSON()); free > 1<<19 {
			t.Errorf("after a message of %d bytes, a new frame holds %d", length, free)
		}
		again.Free()
	}
}

func TestMessagesAreWritten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		got  []byte
		want string
	}{
		"result": {
			append(append(jsonrpc.AppendResult(nil, []byte(`"a\u0041"`)), `{"n":1}`...), '}'),
			`{"jsonrpc":"2.0","id":"a\u0041","result":{"n":1}}`,
		},
		"error": {
			jsonrpc.AppendError(nil, []byte("7"), -32602, `no "such" tool`, []byte(`{"name":"x"}`)),
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no \"such\" tool","data":{"name":"x"}}}`,
		},
		"error without id and data": {
			jsonrpc.AppendError(nil, nil, -32700, "no JSON\n", nil),
			`{"jsonrpc":"2.0","error":{"code":-32700,"message":"no JSON\n"}}`,
		},
		"error of invalid UTF-8": {
			jsonrpc.AppendError(nil, []byte("1"), -32603, "\xff", nil),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"` + "\uFFFD" + `"}}`,
		},
		"request": {
			jsonrpc.AppendRequest(nil, 1<<64-1, "elicitation/create", []byte(`{"message":"?"}`)),
			`{"jsonrpc":"2.0","id":18446744073709551615,"method":"elicitation/create","params":{"message":"?"}}`,
		},
		"notification": {
			jsonrpc.AppendNotification(nil, "notifications/message", []byte(`{"level":"info"}`)),
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`,
		},
		"notification without params": {
			jsonrpc.AppendNotification([]byte("data: "), "notifications/tools/list_changed", nil),
			`data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		},
	} {
		if string(test.got) != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, test.got, test.want)
		}
		if message := strings.TrimPrefix(string(test.got), "data: "); !json.Valid([]byte(message)) {
			t.Errorf("%s is not JSON: %s", name, message)
		}
	}
}

func TestWrittenMessagesCanBeScanned(t *testing.T) {
	t.Parallel()
	for want, data := range map[jsonrpc.Kind][]byte{
		jsonrpc.Request:      jsonrpc.AppendRequest(nil, 3, "ping", []byte(`{}`)),
		jsonrpc.Notification: jsonrpc.AppendNotification(nil, "notifications/initialized", nil),
		jsonrpc.Response:     append(append(jsonrpc.AppendResult(nil, []byte("3")), `{}`...), '}'),
	} {
		var m jsonrpc.Message
		if err := m.Scan(data); err != nil || m.Kind != want {
			t.Errorf("%s is read as the kind %v, %v, want %v", data, m.Kind, err, want)
		}
	}
	var m jsonrpc.Message
	if err := m.Scan(jsonrpc.AppendError(nil, []byte(`"x"`), -32601, "no", nil)); err != nil || m.Error == nil || m.Result != nil {
		t.Errorf("an error is read with the error %s and the result %s, %v", m.Error, m.Result, err)
	}
}
