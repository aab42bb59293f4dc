package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A verdict is the judgment of encoding/json on a text, plus the rules that it doesn't check.
type verdict struct {
	valid    bool
	repeated bool // whether an object repeats a name
	depth    int
}

// judge reads a text token by token with encoding/json.
func judge(data []byte) verdict {
	if !json.Valid(data) || !utf8.Valid(data) || loneSurrogate(data) {
		return verdict{}
	}
	v := verdict{valid: true}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	type level struct {
		names map[string]bool // nil in an array
		value bool            // whether the next token is a member's value
	}
	var levels []level
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return v
		}
		if err != nil {
			return verdict{}
		}
		delim, isDelim := token.(json.Delim)
		if isDelim && (delim == '}' || delim == ']') {
			levels = levels[:len(levels)-1]
			continue
		}
		if n := len(levels); n > 0 && levels[n-1].names != nil {
			top := &levels[n-1]
			if !top.value {
				name := token.(string)
				v.repeated = v.repeated || top.names[name]
				top.names[name], top.value = true, true
				continue
			}
			top.value = false
		}
		if isDelim {
			opened := level{}
			if delim == '{' {
				opened.names = map[string]bool{}
			}
			levels = append(levels, opened)
			v.depth = max(v.depth, len(levels))
		}
	}
}

// loneSurrogate reports whether a valid text escapes an unpaired surrogate, which
// encoding/json accepts.
func loneSurrogate(data []byte) bool {
	unit := func(i int) (rune, bool) {
		if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
			return 0, false
		}
		var text string
		// encoding/json decodes an unpaired surrogate as U+FFFD.
		if json.Unmarshal([]byte(`"`+string(data[i:i+6])+`"`), &text) != nil {
			return 0, false
		}
		r, _ := utf8.DecodeRuneInString(text)
		return r, r == utf8.RuneError && !strings.EqualFold(string(data[i+2:i+6]), "fffd")
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		if _, half := unit(i); !half {
			i++
			continue
		}
		if _, half := unit(i + 6); !half || data[i+3]|0x20 >= 'c' || data[i+9]|0x20 < 'c' {
			return true // not a surrogate pair
		}
		i += 11
	}
	return false
}

// FuzzScan compares the scanner with encoding/json: the validity of JSON, its depth, and the
// members of a message.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		call, "", " ", "null", "[]", `[{"jsonrpc":"2.0"}]`, `{"jsonrpc":"2.0","id":"\u0041","method":"ping"}`,
		`{"jsonrpc":"2.0","id":-0,"result":null}`, `{"jsonrpc":"2.0","id":1.0,"error":{}}`, `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, `{"jsonrpc":"2.0","method":"ping","id":01}`, `{"jsonrpc":"2.0","method":"\ud83d\ude00"}`,
		`{"jsonrpc":"2.0","method":"\ud83d"}`, `{"jsonrpc":"2.0","method":"\ude00\ud83d"}`, `{"a":1,"\u0061":2}`, `{"a":[[[[[[[[1e-7]]]]]]]]}`,
		`1]`, `""x`, `2@`, "123\x00", `{"a":1,"a":2`, "{\"a\":1,\"a\":\"\xff\"}", `[[[[[[[[[`, `[{"":[{"":[{"":[{"":[{"":`,
		`{"a":1,}`, "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"", `[1,]`, `{"a":01}`, `{"a":1.}`, `{"a":-}`, "{\"a\":\"\t\"}", "{\"a\":\"\xff\"}", `{"params":{"_meta":{"progressToken":1},"cursor":""}}`,
		`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"\u0071":1}`,
	} {
		f.Add([]byte(seed))
	}
	const limit = 8
	f.Fuzz(func(t *testing.T, data []byte) {
		var m jsonrpc.Message
		before := bytes.Clone(data)
		err := m.ScanTo(limit, data, nil)
		if !bytes.Equal(before, data) {
			t.Fatal("the scanner changes what it reads")
		}
		var cache jsonrpc.MetaCache
		for range 2 {
			var cached jsonrpc.Message
			if again := cached.ScanTo(limit, data, &cache); fmt.Sprint(again) != fmt.Sprint(err) || !reflect.DeepEqual(cached, m) {
				t.Fatalf("with a cached _meta the message is %v %+v, want %v %+v: %q", again, cached, err, m, data)
			}
		}
		var scan *jsonrpc.ScanError
		if err != nil && (!errors.As(err, &scan) || scan.Reason == "") {
			t.Fatalf("the error is %#v, not a reason", err)
		}
		if m.ID != nil && (!json.Valid(m.ID) || !utf8.Valid(m.ID) || len(m.ID) > 1024) {
			t.Fatalf("the id %q could not be echoed", m.ID)
		}
		if err != nil && m.ID != nil && !bytes.Contains(data, []byte(`"method"`)) && !bytes.Contains(data, []byte(`\u`)) {
			t.Fatalf("the id %q is echoed, but it may be that of a response: %q", m.ID, data)
		}
		want := judge(data)
		switch {
		case !want.valid && err == nil:
			t.Fatalf("accepted, but it is not JSON: %q", data)
		case !want.valid && !scan.Malformed:
			t.Fatalf("%v, but it is not JSON: %q", err, data)
		case !want.valid:
		case want.repeated || want.depth > limit:
			if err == nil || scan.Malformed {
				t.Fatalf("%v, want an invalid request: %+v of %q", err, want, data)
			}
		case err != nil && scan.Malformed:
			t.Fatalf("%v, but it is JSON: %q", err, data)
		default:
			compareMembers(t, data, &m, err)
		}
	})
}

// compareMembers checks the kind and the members of a valid JSON text.
func compareMembers(t *testing.T, data []byte, m *jsonrpc.Message, err error) {
	t.Helper()
	if bytes.TrimLeft(data, " \t\r\n")[0] == '[' {
		if err != nil || m.Kind != jsonrpc.Batch {
			t.Fatalf("kind %v, %v, want a batch: %q", m.Kind, err, data)
		}
		return
	}
	var top, params, meta map[string]json.RawMessage
	if json.Unmarshal(data, &top) != nil || top == nil {
		if err == nil {
			t.Fatalf("accepted, but it is no object: %q", data)
		}
		return
	}
	if json.Unmarshal(top["params"], &params) == nil {
		_ = json.Unmarshal(params["_meta"], &meta)
	}
	dropNulls(top)
	if want := kindOf(top); err == nil && m.Kind != want || err != nil && want != jsonrpc.Invalid {
		t.Fatalf("kind %v, %v, want %v: %q", m.Kind, err, want, data)
	}
	if err != nil {
		return
	}
	for _, members := range []map[string]json.RawMessage{params, meta} {
		maps.DeleteFunc(members, func(name string, value json.RawMessage) bool {
			return jsonrpc.IsNull(bytes.TrimSpace(value)) && name != "io.modelcontextprotocol/protocolVersion"
		})
	}
	for name, pair := range map[string][2][]byte{
		"id": {m.ID, top["id"]}, "params": {m.Params, top["params"]}, "result": {m.Result, top["result"]}, "error": {m.Error, top["error"]},
		"name": {m.Name, params["name"]}, "uri": {m.URI, params["uri"]}, "cursor": {m.Cursor, params["cursor"]},
		"arguments": {m.Arguments, params["arguments"]}, "requestId": {m.RequestID, params["requestId"]},
		"_meta": {m.Meta.Raw, params["_meta"]}, "progressToken": {m.Meta.ProgressToken, meta["progressToken"]},
		"version":      {m.Meta.ProtocolVersion, meta["io.modelcontextprotocol/protocolVersion"]},
		"capabilities": {m.Meta.ClientCapabilities, meta["io.modelcontextprotocol/clientCapabilities"]},
		"info":         {m.Meta.ClientInfo, meta["io.modelcontextprotocol/clientInfo"]},
	} {
		if name == "id" && m.Kind == jsonrpc.Response && jsonrpc.IsNull(pair[1]) {
			continue
		}
		if (pair[0] == nil) != (pair[1] == nil) || !bytes.Equal(pair[0], bytes.TrimSpace(pair[1])) {
			t.Fatalf("%s is %q, want %q, in %q", name, pair[0], pair[1], data)
		}
	}
	var method string
	if _ = json.Unmarshal(top["method"], &method); method != string(m.Method) {
		t.Fatalf("method is %q, want %q", m.Method, method)
	}
}

// dropNulls drops the members that count as absent at the top level.
func dropNulls(top map[string]json.RawMessage) {
	for _, pair := range [][2]string{{"params", "params"}, {"error", "result"}, {"result", "error"}} {
		if name, other := pair[0], pair[1]; jsonrpc.IsNull(top[name]) && (top["method"] != nil || top[other] != nil) {
			delete(top, name)
		}
	}
}

// kindOf returns the kind of a message with the members, or Invalid.
func kindOf(top map[string]json.RawMessage) jsonrpc.Kind {
	id, method, params := top["id"], top["method"], top["params"]
	result, failure := top["result"], top["error"]
	goodID := len(id) > 0 && len(id) <= 1024 && (id[0] == '"' || !bytes.ContainsAny(id, ".eE") && (id[0] == '-' || id[0] >= '0' && id[0] <= '9'))
	switch {
	case string(top["jsonrpc"]) != `"2.0"`:
		return jsonrpc.Invalid
	case method == nil:
		if (result == nil) == (failure == nil) || id != nil && !goodID && string(id) != "null" {
			return jsonrpc.Invalid
		}
		return jsonrpc.Response
	case method[0] != '"' || len(method) < 3, result != nil || failure != nil, params != nil && params[0] != '{', id != nil && !goodID:
		return jsonrpc.Invalid
	case id == nil:
		return jsonrpc.Notification
	}
	return jsonrpc.Request
}
