package mcp_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// The guide has a table of the habits of clients (docs/guide/clients.md). Each habit that the
// framework tolerates has a line here, with what stays refused beside it.

// habitTool returns its arguments as text.
type habitTool struct{ tools.Tool }

func (*habitTool) Name() string        { return "habit" }
func (*habitTool) Description() string { return "Returns its arguments." }

func (*habitTool) Schema(s *schema.Object) {
	s.Integer("count")
	s.Boolean("loud")
	s.String("note")
	s.Strings("tags")
	s.Object("place").Integer("zip")
}

func (*habitTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text(string(request.Arguments())), nil
}

const (
	refusedArguments = "refused by the schema"
	refusedRequest   = "refused as a request"
)

func TestArgumentsOfClientsWithHabits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		habit   string
		params  string // the members of params besides the name
		plain   string // what the tool gets
		coerced string // what it gets with CoerceArguments, if that differs
	}{
		{"no arguments", ``, `{}`, ``},
		{"arguments that are null", `,"arguments":null`, `{}`, ``},
		{"arguments that are a text", `,"arguments":""`, refusedRequest, ``},
		{"arguments as JSON in a string", `,"arguments":"{\"note\":\"x\"}"`, refusedRequest, ``},
		{"arguments in a list", `,"arguments":[]`, refusedRequest, ``},

		{"a number in a string", `,"arguments":{"count":"3"}`, refusedArguments, `{"count":3}`},
		{"no number in a string", `,"arguments":{"count":"three"}`, refusedArguments, ``},
		{"a boolean in a string", `,"arguments":{"loud":"true"}`, refusedArguments, `{"loud":true}`},
		{"a boolean of Python", `,"arguments":{"loud":"True"}`, refusedArguments, ``},
		{"a number for a text", `,"arguments":{"note":3}`, refusedArguments, `{"note":"3"}`},

		{"a list in a string", `,"arguments":{"tags":"[\"a\"]"}`, refusedArguments, `{"tags":["a"]}`},
		{"a broken list in a string", `,"arguments":{"tags":"[\"a\""}`, refusedArguments, ``},
		{"one value for a list", `,"arguments":{"tags":"a"}`, refusedArguments, ``},
		{"values with commas for a list", `,"arguments":{"tags":"a,b"}`, refusedArguments, ``},
		{"a list of the wrong items in a string", `,"arguments":{"tags":"[{}]"}`, refusedArguments, ``},
		{"an object in a string", `,"arguments":{"place":"{\"zip\":\"70173\"}"}`, refusedArguments, `{"place":{"zip":70173}}`},
		{"an object with a repeated name in a string", `,"arguments":{"place":"{\"zip\":1,\"zip\":2}"}`, refusedArguments, ``},
		{"an object with an unknown name in a string", `,"arguments":{"place":"{\"Zip\":1}"}`, refusedArguments, ``},
		{"JSON in a text", `,"arguments":{"note":"[1]"}`, `{"note":"[1]"}`, ``},

		{"null for an optional argument", `,"arguments":{"count":null,"note":"x"}`, refusedArguments, `{"note":"x"}`},
		{"an empty text for an optional number", `,"arguments":{"count":"","note":""}`, refusedArguments, `{"note":""}`},
		{"null as a text", `,"arguments":{"count":"null"}`, refusedArguments, ``},
		{"the call's id of n8n", `,"arguments":{"note":"x","toolCallId":"call_1"}`, refusedArguments, `{"note":"x"}`},
		{"the progress of Cline", `,"arguments":{"task_progress":"- [x] a","note":"x"}`, refusedArguments, `{"note":"x"}`},
		{"an invented argument", `,"arguments":{"sessionId":"x"}`, refusedArguments, ``},
	} {
		for coerce, want := range map[bool]string{false: test.plain, true: test.coerced} {
			if want == "" {
				want = test.plain
			}
			p, _ := probeServer(t, mcp.Config{CoerceArguments: coerce}, boxOf(&habitTool{})).as("2025-06-18")
			got := p.raw(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"habit"`+test.params+`}}`, nil)
			if got.err != nil {
				if want != refusedRequest || got.err.Code != -32602 {
					t.Errorf("%s, CoerceArguments %t: got %+v, want %s", test.habit, coerce, got.err, want)
				}
				continue
			}
			text, isError := got.text()
			if isError && strings.HasPrefix(text, "The arguments of habit are not valid:") {
				text = refusedArguments
			}
			if text != want {
				t.Errorf("%s, CoerceArguments %t: got %s, want %s", test.habit, coerce, text, want)
			}
		}
	}
}

// raw sends a message as it is, with headers that replace those of the probe.
func (p *probe) raw(message string, header http.Header) reply {
	p.t.Helper()
	r := httptest.NewRequestWithContext(p.ctx, http.MethodPost, "http://127.0.0.1:8080"+p.path, strings.NewReader(message))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for _, more := range []http.Header{p.header, header} {
		for name, values := range more {
			r.Header[name] = values
			if values == nil {
				delete(r.Header, name)
			}
		}
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return readReply(p.t, w)
}

func TestMessagesOfClientsWithHabits(t *testing.T) {
	t.Parallel()
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, test := range []struct {
		habit   string
		message string
		header  http.Header
		status  int
	}{
		{"no params", list, nil, http.StatusOK},
		{"params that are null", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, nil, http.StatusOK},
		{"params in a list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, nil, http.StatusBadRequest},
		{"an empty cursor", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":""}}`, nil, http.StatusOK},
		{"a _meta that is null", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":null}}`, nil, http.StatusOK},
		{"an id in a string", `{"jsonrpc":"2.0","id":"1","method":"tools/list"}`, nil, http.StatusOK},
		{"an id with a fraction", `{"jsonrpc":"2.0","id":1.0,"method":"tools/list"}`, nil, http.StatusBadRequest},
		{"an id that is null", `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, nil, http.StatusBadRequest},
		{"another case", `{"jsonrpc":"2.0","id":1,"Method":"tools/list"}`, nil, http.StatusBadRequest},
		{"no Accept", list, http.Header{"Accept": nil}, http.StatusOK},
		{"Accept of JSON only", list, http.Header{"Accept": {"application/json"}}, http.StatusOK},
		{"Accept of anything", list, http.Header{"Accept": {"*/*"}}, http.StatusOK},
		{"Accept of a page", list, http.Header{"Accept": {"text/html"}}, http.StatusNotAcceptable},
		{"a charset", list, http.Header{"Content-Type": {"application/json; charset=UTF-8"}}, http.StatusOK},
		{"another charset", list, http.Header{"Content-Type": {"application/json; charset=latin1"}}, http.StatusUnsupportedMediaType},
		{"a form", list, http.Header{"Content-Type": {"text/plain"}}, http.StatusUnsupportedMediaType}, // a web page may send it without asking
		{"no Content-Type", list, http.Header{"Content-Type": nil}, http.StatusUnsupportedMediaType},
		{"no version after the handshake", list, http.Header{"Mcp-Protocol-Version": nil}, http.StatusOK},
		{"no session", list, http.Header{"Mcp-Session-Id": nil}, http.StatusBadRequest},
		{"a batch", `[` + list + `]`, nil, http.StatusBadRequest},
	} {
		p, _ := probeServer(t, mcp.Config{}, boxOf(&habitTool{})).as("2025-06-18")
		if got := p.raw(test.message, test.header); got.status != test.status || (got.status == http.StatusOK) != (got.err == nil) {
			t.Errorf("%s: the status is %d, want %d: %s", test.habit, got.status, test.status, got.body)
		}
	}
}

func TestHandshakesOfClientsWithHabits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ habit, params, want string }{
		{"a version of the future", `{"protocolVersion":"2099-01-01","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`, `"protocolVersion":"2025-11-25"`},
		{"an empty version", `{"protocolVersion":"","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`, `"protocolVersion":"2025-11-25"`},
		{"no version", `{"capabilities":{},"clientInfo":{"name":"x","version":"1"}}`, "-32602"},
		{"nothing but a version", `{"protocolVersion":"2025-06-18"}`, `"protocolVersion":"2025-06-18"`},
	} {
		p := probeServer(t, mcp.Config{}, boxOf(&habitTool{}))
		got := p.raw(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+test.params+`}`, nil)
		if !strings.Contains(got.body, test.want) {
			t.Errorf("%s: the answer is %s", test.habit, got.body)
		}
		if got.err != nil {
			continue
		}
		// Some clients never send notifications/initialized.
		p.header = http.Header{"Mcp-Session-Id": {got.header.Get("Mcp-Session-Id")}}
		if listed := p.raw(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, nil); listed.names() != "habit" {
			t.Errorf("%s: the list is %s", test.habit, listed.body)
		}
	}
}

// A guardrail decides about what the handler gets, not about the string in which it came.
func TestGuardrailsSeeConvertedArguments(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	server := guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		for _, name := range []string{"n", "task", "secret"} {
			if text, ok := operation.Argument(name); ok {
				seen[name] = text
			}
		}
		return next(ctx, operation)
	}))
	p := probeServer(t, mcp.Config{CoerceArguments: true}, server)
	if text, isError := p.call("work", params{"n": "3.0", "task": 7, "secret": nil}).text(); isError || text != "done 7" {
		t.Errorf("the tool returns %s", text)
	}
	if want := map[string]string{"n": "3", "task": "7"}; !maps.Equal(seen, want) {
		t.Errorf("the guardrail sees %v, want %v", seen, want)
	}
}

// The headers that mirror arguments are compared with the arguments as they came.
func TestAStringDoesNotHideAnArgumentFromItsHeader(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{CoerceArguments: true}, newWireServer())
	if got := p.call("region", params{"at": params{"zone": "a"}}); got.err == nil || got.err.Code != -32020 {
		t.Errorf("without its header, the argument gets %s", got.body)
	}
	if text, isError := p.call("region", params{"at": `{"zone":"a"}`}).text(); !isError || !strings.Contains(text, "/at: must be an object") {
		t.Errorf("in a string, the argument gets %s", text)
	}
}

// A message with arguments in strings isn't nested deeper than Config.MaxDepth allows.
func TestAStringDoesNotHideTheDepthOfAMessage(t *testing.T) {
	t.Parallel()
	deep := doing("deep", func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text("done"), nil })
	p := probeServer(t, mcp.Config{CoerceArguments: true, MaxDepth: 8}, boxOf(tools.New(tools.Definition{
		Name: "deep", Description: "A tool.", InputSchema: []byte(`{"type":"object","properties":{"a":{"type":"array","items":{}}}}`),
	}, deep.Handle)))
	for levels, isRead := range map[int]bool{5: true, 6: false} {
		text, isError := p.call("deep", params{"a": strings.Repeat("[", levels) + strings.Repeat("]", levels)}).text()
		if isError == isRead {
			t.Errorf("%d levels in a string: %s", levels, text)
		}
		plain := codec.Value(strings.Repeat("[", levels) + strings.Repeat("]", levels))
		if got := p.call("deep", params{"a": plain}); (got.err == nil) != isRead {
			t.Errorf("%d levels: %s", levels, got.body)
		}
	}
}
