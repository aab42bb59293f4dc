package protocol_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// claiming returns headers that state a version, or none if it is "".
func claiming(version string) http.Header {
	if version == "" {
		return http.Header{}
	}
	return http.Header{"Mcp-Protocol-Version": {version}}
}

func TestTheBodyDecidesTheEra(t *testing.T) {
	t.Parallel()
	const request, meta = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `,"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":`
	for _, test := range []struct {
		message, header string
		era             protocol.Era
		code            int // 0 for no error
	}{
		{request, "", protocol.Legacy, 0},
		{request, "2025-11-25", protocol.Legacy, 0},
		{request, "2026-07-28", protocol.Modern, -32602},
		{request, "2030-01-01", protocol.Modern, -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"` + meta + `"2026-07-28"}}}`, "", protocol.Modern, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"` + meta + `"2025-11-25"}}}`, "", protocol.Modern, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"` + meta + `7}}}`, "2025-11-25", protocol.Modern, 0}, // an invalid version is an error of a modern client
		{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, "", protocol.Legacy, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, "2026-07-28", protocol.Modern, -32020},
		{`{"jsonrpc":"2.0","method":"notifications/acme"}`, "2026-07-28", protocol.Modern, 0},
		{`{"jsonrpc":"2.0","method":"notifications/acme"}`, "", protocol.Legacy, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "", protocol.Legacy, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "2026-07-28", protocol.Modern, -32600},
		{`[` + request + `]`, "2025-03-26", protocol.Legacy, 0},
		{`[` + request + `]`, "2026-07-28", protocol.Modern, -32600},
	} {
		headers := claiming(test.header)
		a := calltest.Arrive("%s", test.message)
		era, refusal := protocol.Classify(&a.Message, headers)
		code := 0
		if refusal != nil {
			code = refusal.Code
		}
		if era != test.era || code != test.code {
			t.Errorf("%s with %q: era %d, %v", test.message, test.header, era, refusal)
		}
		if claims := protocol.ClaimsModern(headers); claims != (test.header >= "2026-07-28") {
			t.Errorf("the header %q claims to be modern: %t", test.header, claims)
		}
	}
}

func TestTheVersionHeaderCountsIfItIsAVersion(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][]string{"": {"2025-11-25", "2026-07-28"}, "2025-11-25": {"2025-11-25", "2025-11-25"}} {
		if got := protocol.VersionHeader(http.Header{"Mcp-Protocol-Version": values}); got != want {
			t.Errorf("%q: got %q, want %q", values, got, want)
		}
	}
	if got := protocol.VersionHeader(nil); got != "" {
		t.Errorf("no headers have the version %q", got)
	}
}

// headers returns the headers of a call of the tool echo.
func headers(more ...string) http.Header {
	h := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = strings.Split(more[i+1], "|")
		if more[i+1] == "-" {
			delete(h, more[i])
		}
	}
	return h
}

func TestMistakesAreReportedInTheOrderOfFixing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, spec.Newest).add(t, tool("echo"))
	calling := func(meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{` + meta + `}}}`
	}
	const version, capabilities = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"io.modelcontextprotocol/clientCapabilities":{}`
	for _, test := range []struct {
		name    string
		message string
		headers http.Header
		want    string // the beginning of the outcome; "" for success
	}{
		{"nothing", calling(calltest.Meta), headers(), ""},
		{"nothing, on stdio", calling(calltest.Meta), nil, ""},
		{"a version claim that is not a string", calling(`"io.modelcontextprotocol/protocolVersion":7`), headers(), `400 -32602 "Invalid params: _meta[\"io.modelcontextprotocol/protocolVersion\"] must be a string"`},
		{"no capabilities", calling(version), headers("Mcp-Method", "-"), `400 -32602 "Invalid params: _meta[\"io.modelcontextprotocol/clientCapabilities\"] is missing; send {} if the client has none"`},
		{"capabilities of another type", calling(version + `,"io.modelcontextprotocol/clientCapabilities":[]`), nil, `400 -32602 "Invalid params: _meta[\"io.modelcontextprotocol/clientCapabilities\"] must be an object"`},
		{"a client of another type", calling(calltest.Meta + `,"io.modelcontextprotocol/clientInfo":"me"`), nil, `400 -32602 "Invalid params: _meta[\"io.modelcontextprotocol/clientInfo\"] must be an object"`},
		{"no version header", calling(calltest.Meta), headers("Mcp-Protocol-Version", "-"), `400 -32020 "Header mismatch: MCP-Protocol-Version is missing; it must be \"2026-07-28\""`},
		{"another version header", calling(calltest.Meta), headers("Mcp-Protocol-Version", "2025-11-25"), `400 -32020 "Header mismatch: MCP-Protocol-Version is \"2025-11-25\" but the body says \"2026-07-28\""`},
		{"two version headers", calling(calltest.Meta), headers("Mcp-Protocol-Version", "2026-07-28|2025-11-25"), `400 -32020 "Header mismatch: MCP-Protocol-Version is given several times"`},
		{"the same header twice", calling(calltest.Meta), headers("Mcp-Protocol-Version", "2026-07-28|2026-07-28"), ""},
		{"a version of the future", calling(`"io.modelcontextprotocol/protocolVersion":"2030-01-01",` + capabilities), headers("Mcp-Protocol-Version", "2030-01-01", "Mcp-Method", "-"), `400 -32022 "Unsupported protocol version \"2030-01-01\"; this server supports [\"2026-07-28\"]"`},
		{"an older version", calling(`"io.modelcontextprotocol/protocolVersion":"2025-11-25",` + capabilities), nil, `400 -32022 "Unsupported protocol version \"2025-11-25\"`},
		{"no method header", calling(calltest.Meta), headers("Mcp-Method", "-", "Mcp-Name", "-"), `400 -32020 "Header mismatch: Mcp-Method is missing; it must be \"tools/call\""`},
		{"another method header", calling(calltest.Meta), headers("Mcp-Method", "tools/list"), `400 -32020 "Header mismatch: Mcp-Method is \"tools/list\" but the body says \"tools/call\""`},
		{"no name header", calling(calltest.Meta), headers("Mcp-Name", "-"), `400 -32020 "Header mismatch: Mcp-Name is missing; it must be \"echo\""`},
		{"another name header", calling(calltest.Meta), headers("Mcp-Name", "add"), `400 -32020 "Header mismatch: Mcp-Name is \"add\" but the body says \"echo\""`},
		{"two name headers", calling(calltest.Meta), headers("Mcp-Name", "echo|add"), `400 -32020 "Header mismatch: Mcp-Name is given several times"`},
		{"an encoded name header", calling(calltest.Meta), headers("Mcp-Name", "=?base64?ZWNobw==?="), ""},
		{"a name header that is not ASCII", calling(calltest.Meta), headers("Mcp-Name", "écho"), `400 -32020 "Header mismatch: Mcp-Name has characters other than visible ASCII; send the value as =?base64?…?=, with the base64 of its UTF-8 inside"`},
		{"a name that is not a string", strings.Replace(calling(calltest.Meta), `"echo"`, `7`, 1), headers("Mcp-Name", "-"), `200 -32602 "Invalid params: the member \"name\" must be the name of a tool"`},
	} {
		got := outcome(w.serve(test.message, test.headers))
		if test.want == "" && !strings.HasPrefix(got, `{"did":"echo"`) || test.want != "" && !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestTheNameHeaderOfAResourceIsItsURI(t *testing.T) {
	t.Parallel()
	w := newWorld(t).add(t, &protocol.Resource{Item: item("docs://%C3%A9", `{}`)})
	h := headers("Mcp-Method", "resources/read", "Mcp-Name", "=?base64?"+base64.StdEncoding.EncodeToString([]byte("docs://é"))+"?=")
	if got := outcome(w.serve(message("resources/read", `{"uri":"docs://é"}`), h)); !strings.HasPrefix(got, `{"did":"docs://%C3%A9"`) {
		t.Errorf("got %s", got)
	}
	listed := headers("Mcp-Method", "resources/list", "Mcp-Name", "-")
	if got := outcome(w.serve(message("resources/list", `{}`), listed)); !strings.HasPrefix(got, `{"resultType":"complete","resources":[`) {
		t.Errorf("a list without a name results in %s", got)
	}
}

func TestANotificationMayStateASupportedVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		claim, header string
		status        int
	}{
		{`"2026-07-28"`, "2026-07-28", 202}, {`"2026-07-28"`, "", 202}, {`7`, "", 400}, {`"2026-07-28"`, "2025-11-25", 400}, {`"2030-01-01"`, "", 400}, {`"2025-11-25"`, "", 400},
	} {
		reply := w.serve(`{"jsonrpc":"2.0","method":"notifications/acme","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":`+test.claim+`}}}`, claiming(test.header))
		if got := reply.Answer().Status; got != test.status {
			t.Errorf("%s with %q is answered with %d", test.claim, test.header, got)
		}
	}
}

func TestAServerOfOlderVersionsNamesThem(t *testing.T) {
	t.Parallel()
	older := newWorld(t, spec.Version20250618, spec.Version20251125)
	if got := older.ask("tools/list", `{}`); got != `400 -32022 "Unsupported protocol version \"2026-07-28\"; this server supports [\"2025-11-25\",\"2025-06-18\"]"` {
		t.Errorf("got %s", got)
	}
}

func TestAServerWithoutAHandshakeSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, spec.Newest)
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`: `This server supports only the protocol versions ["2026-07-28"], which have no handshake`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                                           `This server supports only the protocol versions ["2026-07-28"], which have no handshake`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                                     `Invalid request: send one request or notification`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                                               `Invalid request: send one request or notification`,
	} {
		var m jsonrpc.Message
		if err := m.Scan([]byte(text)); err != nil {
			t.Fatal(err)
		}
		refusal := w.NoHandshake(&m)
		if refusal.Message != want || refusal.Status != 400 {
			t.Errorf("%s: got %d %s", text, refusal.Status, refusal.Message)
		}
		if data, err := codec.Marshal(refusal.Data); m.Kind == jsonrpc.Request && string(m.Method) == "initialize" && string(data) != `{"supported":["2026-07-28"],"requested":"2025-11-25"}` {
			t.Errorf("%s: the data is %s, %v", text, data, err)
		}
	}
}

// mirrored returns a server with a tool that mirrors its argument x and a nested argument.
func mirrored(t testing.TB) *world {
	bound := tool("echo")
	bound.Headers = []protocol.ParamHeader{protocol.NewParamHeader("X", []string{"x"}), protocol.NewParamHeader("deep-one", []string{"a", "b"})}
	return newWorld(t).add(t, bound)
}

// takes reports whether a call with the header and the raw argument x is accepted.
func (w *world) takes(t testing.TB, header, argument string) bool {
	t.Helper()
	h := headers()
	h["Mcp-Param-X"] = []string{header}
	got := outcome(w.serve(message("tools/call", fmt.Sprintf(`{"name":"echo","arguments":{"x":%s}}`, argument)), h))
	if ok := strings.HasPrefix(got, `{"did":"echo"`); ok || strings.HasPrefix(got, "400 -32020 ") {
		return ok
	}
	t.Fatalf("%q with %s: got %s", header, argument, got)
	return false
}

func TestNumbersInHeadersAreComparedByValue(t *testing.T) {
	t.Parallel()
	w := mirrored(t)
	for _, tt := range []struct {
		header, argument string
		same             bool
	}{
		{"42", "42", true}, {"42.0", "42", true}, {"42", "42.000", true}, {"-7", "-7", true}, {"-0", "0", true},
		{"0.1", "0.10", true}, {"1e2", "1e2", true}, {"true", "true", true},
		{"43", "42", false}, {"1e2", "100", false}, {"+42", "42", false}, {"0x2a", "42", false}, {"0b101010", "42", false},
		{"4_2", "42", false}, {"84/2", "42", false}, {"42.", "42", false}, {"", "42", false}, {"TRUE", "true", false}, {"1", "true", false},
		{"-", "0", false}, {"1-1", "0", false}, {"9007199254740993", "9007199254740992", false}, {"1" + strings.Repeat("0", 99), "1", false},
	} {
		if got := w.takes(t, tt.header, tt.argument); got != tt.same {
			t.Errorf("%q is the argument %s: %v, want %v", tt.header, tt.argument, got, tt.same)
		}
	}
}

func TestAMirroredArgumentNeedsItsHeader(t *testing.T) {
	t.Parallel()
	w := mirrored(t)
	for _, test := range []struct {
		arguments string
		headers   []string
		want      string // "" for success
	}{
		{`{}`, nil, ""},
		{`{}`, []string{"Mcp-Param-X", "ignored"}, ""},
		{`{"x":null}`, nil, ""},
		{`{"x":"1"}`, nil, `Mcp-Param-X is missing, but the argument \"x\" is set`},
		{`{"x":"1"}`, []string{"Mcp-Param-X", "1|2"}, `Mcp-Param-X is given several times`},
		{`{"x":"1"}`, []string{"Mcp-Param-X", "2"}, `Mcp-Param-X is \"2\", which differs from the argument \"x\"`},
		{`{"x":"é"}`, []string{"Mcp-Param-X", "é"}, `Mcp-Param-X has characters other than visible ASCII; send the value as`},
		{`{"a":{"b":"deep"}}`, []string{"Mcp-Param-Deep-One", "deep"}, ""},
		{`{"a":{"b":"deep"}}`, []string{"Mcp-Param-Deep-One", "other"}, `Mcp-Param-Deep-One is \"other\", which differs from the argument \"a.b\"`},
		{`{"a":"flat"}`, nil, ""},
	} {
		got := outcome(w.serve(message("tools/call", `{"name":"echo","arguments":`+test.arguments+`}`), headers(test.headers...)))
		if test.want == "" && !strings.HasPrefix(got, `{"did":"echo"`) || test.want != "" && !strings.HasPrefix(got, `400 -32020 "Header mismatch: `+test.want) {
			t.Errorf("%s: got\n%s\nwant …%s", test.arguments, got, test.want)
		}
	}
	older := calltest.Arrive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":"1"}}}`)
	older.HTTP = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	reply := &calltest.Reply{}
	w.Dispatch(w.ctx, older, call.Peer{Client: request.Client{Version: spec.Version20251125}}, reply)
	if got := outcome(reply); !strings.HasPrefix(got, `{"did":"echo"`) {
		t.Errorf("an older client, whose version has no such headers, gets %s", got)
	}
}

const sentinelStart, sentinelEnd = "=?base64?", "?="

// isVisible reports whether a header may contain a text literally.
func isVisible(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }) < 0
}

// encodeHeader encodes a text as a client must (spec.md §1.15).
func encodeHeader(text string) string {
	if isVisible(text) && strings.TrimSpace(text) == text && text != "" && !strings.HasPrefix(text, sentinelStart) {
		return text
	}
	return sentinelStart + base64.StdEncoding.EncodeToString([]byte(text)) + sentinelEnd
}

// decodeHeader returns the text that a header encodes, or false if it is invalid.
func decodeHeader(value string) (string, bool) {
	inner, ok := strings.CutPrefix(value, sentinelStart)
	if inner, ended := strings.CutSuffix(inner, sentinelEnd); ok && ended {
		text, err := base64.StdEncoding.DecodeString(inner)
		return string(text), err == nil && utf8.Valid(text) && base64.StdEncoding.EncodeToString(text) == inner
	}
	return value, isVisible(value)
}

// FuzzMirroredHeader checks that any header value encodes at most one text, and that encoding
// this text results in an equivalent header.
func FuzzMirroredHeader(f *testing.F) {
	for _, seed := range []string{
		"", "echo", "two words", " padded ", "zürich", "=?base64?SGVsbG8=?=", "=?base64?SGVsbG8?=", "=?base64??=", "=?base64?=",
		"=?base64?/w==?=", "=?base64?SGVs\r\nbG8=?=", "=?BASE64?SGVsbG8=?=", "=?base64?SGVsbG9=?=", "\x00", "a\tb", "\u2028",
	} {
		f.Add(seed)
	}
	w := mirrored(f)
	quote := func(text string) string { return string(codec.AppendQuote(nil, text)) }
	f.Fuzz(func(t *testing.T, value string) {
		if !utf8.ValidString(value) { // encodes no text, and JSON can't contain it
			if w.takes(t, value, quote(strings.ToValidUTF8(value, "\ufffd"))) {
				t.Errorf("%q stands for a text", value)
			}
			return
		}
		text, ok := decodeHeader(value)
		if got := w.takes(t, value, quote(text)); got != ok {
			t.Errorf("%q stands for %q: %t, want %t", value, text, got, ok)
		}
		if w.takes(t, value, quote(text+"x")) {
			t.Errorf("%q stands for %q", value, text+"x")
		}
		if !w.takes(t, encodeHeader(value), quote(value)) {
			t.Errorf("%q does not stand for %q", encodeHeader(value), value)
		}
	})
}
