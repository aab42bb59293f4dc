package jsonrpc_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello","tags":["a","b"]},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p1"}}}`

func TestScanFindsTheMembersOfACall(t *testing.T) {
	t.Parallel()
	for _, data := range []string{call, " \n" + strings.ReplaceAll(call, `:{`, "\t: \n{") + "\r\n"} {
		var m jsonrpc.Message
		if err := m.Scan([]byte(data)); err != nil {
			t.Fatal(err)
		}
		for name, tt := range map[string]struct {
			got  []byte
			want string
		}{
			"id":           {m.ID, `7`},
			"method":       {m.Method, `tools/call`},
			"name":         {m.Name, `"echo"`},
			"arguments":    {m.Arguments, `{"message":"hello","tags":["a","b"]}`},
			"version":      {m.Meta.ProtocolVersion, `"2026-07-28"`},
			"capabilities": {m.Meta.ClientCapabilities, `{}`},
			"token":        {m.Meta.ProgressToken, `"p1"`},
			"meta":         {m.Meta.Raw[:1], `{`},
			"params":       {m.Params[:8], `{"name":`},
		} {
			if string(tt.got) != tt.want {
				t.Errorf("%s = %s, want %s", name, tt.got, tt.want)
			}
		}
		if m.Kind != jsonrpc.Request {
			t.Errorf("kind = %v, want a request", m.Kind)
		}
	}
}

func TestScanTellsTheKindsApart(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]jsonrpc.Kind{
		`{"jsonrpc":"2.0","id":"a","method":"ping"}`:                                 jsonrpc.Request,
		`{"jsonrpc":"2.0","id":0,"method":"ping"}`:                                   jsonrpc.Request,
		`{"jsonrpc":"2.0","id":9,"method":"ping"}`:                                   jsonrpc.Request,
		`{"jsonrpc":"2.0","id":1,"method":"ping","error":null}`:                      jsonrpc.Request,
		`{"jsonrpc":"2.0","id":1,"error":null}`:                                      jsonrpc.Response,
		`{"jsonrpc":"2.0","id":"","method":"ping"}`:                                  jsonrpc.Request,
		`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1022) + `","method":"ping"}`: jsonrpc.Request,
		`{"jsonrpc":"2.0","id":1152921504606846976,"method":"ping"}`:                 jsonrpc.Request,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                     jsonrpc.Notification,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                       jsonrpc.Response,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`:            jsonrpc.Response,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`:         jsonrpc.Response,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`:                          jsonrpc.Response,
		`{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"no"}}`:   jsonrpc.Response,
		`{"jsonrpc":"2.0","id":1,"result":null}`:                                     jsonrpc.Response,
		`{"jsonrpc":"2.0","id":1,"method":"ping","result":null,"error":null}`:        jsonrpc.Request,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`:                     jsonrpc.Request,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                                 jsonrpc.Batch,
		`{"jsonrpc":"2.0","m\u0065thod":"ping","id":1,"other":{"deep":[1]}}`:         jsonrpc.Request,
	} {
		var m jsonrpc.Message
		if err := m.Scan([]byte(data)); err != nil || m.Kind != want {
			t.Errorf("Scan(%s) = kind %v, %v, want kind %v", data, m.Kind, err, want)
		}
	}
}

// Some clients send null for absent members.
func TestANullMemberIsAbsent(t *testing.T) {
	t.Parallel()
	const params = `{"name":null,"uri":null,"cursor":null,"per_page": null ,"arguments":null,"requestId":null,"inputResponses":null,"requestState":null,"_meta":%s}`
	for _, text := range []string{
		`null`, fmt.Sprintf(params, `null`),
		fmt.Sprintf(params, `{"progressToken":null,"io.modelcontextprotocol/clientInfo":null,"io.modelcontextprotocol/clientCapabilities":null,"io.modelcontextprotocol/logLevel":null}`),
	} {
		var m jsonrpc.Message
		var cache jsonrpc.MetaCache
		for range 2 {
			if err := m.ScanTo(64, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+text+`}`), &cache); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			m.Params, m.Meta.Raw = nil, nil
			if want := (jsonrpc.Message{Kind: jsonrpc.Request, ID: []byte("1"), Method: []byte("tools/call")}); !reflect.DeepEqual(m, want) {
				t.Errorf("%s: got %+v", text, m)
			}
		}
	}
	var m jsonrpc.Message
	err := m.Scan([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":null}}}`))
	if err != nil || string(m.Meta.ProtocolVersion) != "null" {
		t.Errorf("a version that is null is %q, %v, want a wrong claim", m.Meta.ProtocolVersion, err)
	}
}

func TestScanRefusesInvalidMessages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		data      string
		malformed bool
		id        string
	}{
		"empty":               {"", true, ""},
		"white space":         {" \n", true, ""},
		"not JSON":            {"hello", true, ""},
		"truncated":           {call[:len(call)-9], true, "7"},
		"two messages":        {call + call, true, "7"},
		"invalid UTF-8":       {`{"jsonrpc":"2.0","id":1,"method":"a` + "\xff" + `"}`, true, "1"},
		"a string":            {`"ping"`, false, ""},
		"no version":          {`{"id":1,"method":"ping"}`, false, "1"},
		"version 1.0":         {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, false, "1"},
		"METHOD":              {`{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, false, ""},
		"duplicate method":    {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"pong"}`, false, "1"},
		"duplicate argument":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"a":1,"a":2}}}`, false, "1"},
		"null id":             {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, false, ""},
		"fractional id":       {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, false, ""},
		"exponent id":         {`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, false, ""},
		"object id":           {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, false, ""},
		"boolean id":          {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, false, ""},
		"empty method":        {`{"jsonrpc":"2.0","id":1,"method":""}`, false, "1"},
		"broken _meta":        {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":oops}}}`, true, "1"},
		"numeric method":      {`{"jsonrpc":"2.0","id":1,"method":5}`, false, "1"},
		"array params":        {`{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, false, "1"},
		"both":                {`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, false, "1"},
		"result and error":    {`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"no"}}`, false, ""},
		"response, bad UTF-8": {`{"jsonrpc":"2.0","id":1,"result":{"a":"` + "\xff" + `"}}`, true, ""},
		"neither":             {`{"jsonrpc":"2.0","id":1}`, false, ""},
		"unversioned result":  {`{"id":1,"result":{}}`, false, ""},
		"repeated result":     {`{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`, false, ""},
		"truncated result":    {`{"jsonrpc":"2.0","id":1,"result":{`, true, ""},
		"id of more digits":   {`{"jsonrpc":"2.0","method":"ping","id":01}`, true, ""},
		"truncated id":        {`{"jsonrpc":"2.0","method":"ping","id":12`, true, ""},
		"long string id":      {`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1023) + `","method":"ping"}`, false, ""},
		"long number id":      {`{"jsonrpc":"2.0","id":` + strings.Repeat("1", 1025) + `,"method":"ping"}`, false, ""},
		"depth 1 000":         {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}`, false, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m jsonrpc.Message
			err := m.Scan([]byte(tt.data))
			var scan *jsonrpc.ScanError
			if !errors.As(err, &scan) || scan.Malformed != tt.malformed || scan.Reason == "" {
				t.Fatalf("Scan = %v, want malformed %t", err, tt.malformed)
			}
			if string(m.ID) != tt.id {
				t.Errorf("id = %s, want %s", m.ID, tt.id)
			}
		})
	}
}

// The texts are from JSONTestSuite, which says that no parser may accept them (n_*), or
// similar. A message with one could be refused before its end.
func TestInvalidJSONIsReportedAsSuch(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		"1]", `""x`, "2@", "123\x00", `"a" "b"`, "null null", "true]", "1 2", "[][]", "[1]]", "{}}", "{}#", "[1]x", "-1-", "nul", "nullx", "a\xe5", "\"\xff\"",
		strings.Repeat("[", 100_000), strings.Repeat(`[{"":`, 50_000), strings.Repeat("[", 100) + strings.Repeat("]", 99), strings.Repeat(`{"a":`, 100),
		`{"a":1,"a":2`, `{"a":1,"a":2}x`, `{"a":1,"a":2,}`, `{"a":1,"a":2,b}`, "{\"a\":1,\"a\":\"\xff\"}", `{"a":1,"a"}`, `{"a":1,"a":"\x"}`, `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2}`,
	} {
		var m jsonrpc.Message
		var scan *jsonrpc.ScanError
		if err := m.Scan([]byte(data)); !errors.As(err, &scan) || !scan.Malformed {
			t.Errorf("%.60q: %v", data, err)
		}
	}
	for _, data := range []string{"1", ` "a" `, "null", `{"a":1,"a":2}`, `{"a":1,"a":{"b":[1,{"c":[]}]}} `, strings.Repeat("[", 100) + strings.Repeat("]", 100), `{"jsonrpc":1}`} {
		var m jsonrpc.Message
		var scan *jsonrpc.ScanError
		if err := m.Scan([]byte(data)); !errors.As(err, &scan) || scan.Malformed {
			t.Errorf("%.60q: %v", data, err)
		}
	}
}

func TestACachedMetaChangesNothing(t *testing.T) {
	t.Parallel()
	meta := func(members string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"a"}` + members + `}}}`
	}
	ada := meta(``)
	large := strings.Replace(meta(`,"io.modelcontextprotocol/logLevel":"info"`), `"id":1`, `"id":"`+strings.Repeat("x", 900)+`","x":"`+strings.Repeat("x", 4000)+`"`, 1)
	var cache jsonrpc.MetaCache
	for _, data := range []string{
		ada, ada, meta(`,"progressToken":1`), ada, meta(`,"acme":2`), meta(`,"io.modelcontextprotocol/clientCapabilities":{}`), ada, large, ada,
		strings.Replace(ada, `}}}`, `},"cursor":"c"}}`, 1), strings.Replace(ada, `}}}`, `}]}`, 1), ada[:len(ada)-3], ada[:len(ada)-1], strings.Replace(ada, `"a"`, "\"\xff\"", 1), ada,
		strings.Replace(ada, `{"_meta"`, `{"_meta":{},"_meta"`, 1), strings.Replace(ada, `:{"name":"a"}}`, `:5}`, 1), strings.Replace(ada, `{"io`, ` { "io`, 1), ada,
	} {
		var cached, scanned jsonrpc.Message
		err, want := cached.ScanTo(64, []byte(data), &cache), scanned.ScanTo(64, []byte(data), nil)
		if fmt.Sprint(err) != fmt.Sprint(want) || !reflect.DeepEqual(cached, scanned) {
			t.Errorf("%.200s results in %v %+v, want %v %+v", data, err, cached, want, scanned)
		}
	}
}

// isCached reports whether the _meta of a message comes from the cache.
func isCached(t *testing.T, cache *jsonrpc.MetaCache, client string) bool {
	t.Helper()
	data := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/clientInfo":"` + client + `"}}}`)
	var m jsonrpc.Message
	if err := m.ScanTo(64, data, cache); err != nil {
		t.Fatal(err)
	}
	return &m.Meta.Raw[0] != &data[bytes.Index(data, m.Meta.Raw)]
}

func TestOneSmallMetaIsCached(t *testing.T) {
	t.Parallel()
	frame := len(`{"io.modelcontextprotocol/clientInfo":""}`)
	for size, want := range map[int]bool{100: true, 4096: true, 4097: false} {
		client := strings.Repeat("x", size-frame)
		var cache jsonrpc.MetaCache
		if isCached(t, &cache, client) {
			t.Errorf("a new cache has a _meta of %d bytes", size)
		}
		if got := isCached(t, &cache, client); got != want {
			t.Errorf("a _meta of %d bytes is cached: %t, want %t", size, got, want)
		}
	}
	var cache jsonrpc.MetaCache
	isCached(t, &cache, "ada")
	for n := range 64 {
		if isCached(t, &cache, "bob") || n < 63 && !isCached(t, &cache, "ada") {
			t.Fatalf("after %d messages of another client, it replaces the first", n)
		}
	}
	if !isCached(t, &cache, "bob") || isCached(t, &cache, "ada") {
		t.Error("after 64 messages, the other client doesn't replace the first")
	}
}

func TestDepthCountsNestingOnly(t *testing.T) {
	t.Parallel()
	flat := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"s":"[[[[\"[[","a":[` + strings.Repeat("{},", 200) + `{}]}}`
	deep := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `}}`
	for _, data := range []string{flat, deep} {
		var m jsonrpc.Message
		if err := m.Scan([]byte(data)); err != nil {
			t.Errorf("Scan(%.60s…) = %v, want no error", data, err)
		}
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	data := []byte(strings.Replace(call, `,"progressToken":"p1"`, ``, 1))
	other := []byte(strings.Replace(string(data), `Capabilities":{}`, `Capabilities":{"roots":{}}`, 1))
	var m jsonrpc.Message
	for what, cache := range map[string]*jsonrpc.MetaCache{"without a cache": nil, "with a cache of two clients": {}} {
		if n := testing.AllocsPerRun(100, func() {
			if err := errors.Join(m.ScanTo(64, data, cache), m.ScanTo(64, other, cache)); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s, Scan allocates %v times, want 0", what, n)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	data := []byte(call)
	var m jsonrpc.Message
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Scan(data); err != nil {
			b.Fatal(err)
		}
	}
}

func TestALateIDIsFound(t *testing.T) {
	tests := []struct{ name, message, id string }{
		{"after a repeated member", `{"method":"m","params":{"a":1,"a":2},"id":7,"jsonrpc":"2.0"}`, `7`},
		{"after params that are too deep", `{"method":"m","params":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,"id":"x"}`, `"x"`},
		{"after a value that is not JSON", `{"method":"m","params":{"a":oops},"id":7}`, `7`},
		{"before a method that comes late", `{"id":7,"params":{"a":oops},"method":"m"}`, `7`},
		{"before a method that is cut off", `{"id":7,"method":"tools/ca`, `7`},
		{"under a name with an escape", `{"method":"m","params":oops,"\u0069d":7}`, `7`},
		{"of a response", `{"result":oops,"id":7}`, ``},
		{"of a response with the word method", `{"id":7,"result":{"method":"m"},"error":"method",oops}`, ``},
		{"inside params", `{"method":"m","params":{"id":7,"a":oops}}`, ``},
		{"inside a text", `{"method":"m","params":{"a":oops},"b":"\"id\":7"}`, ``},
		{"after a text at the end of an object", `{"method":"m","params":{"a":oops,"b":"c"},"id":7}`, `7`},
		{"before and after a missing value", `{"id":7,"method":,"id":8}`, `7`},
		{"of two messages", `{"method":"m","params":oops,"id":7}{"method":"m","id":8}`, ``},
		{"twice", `{"method":"m","params":oops,"id":7,"id":8}`, ``},
		{"no valid one", `{"method":"m","params":oops,"id":1.5}`, ``},
		{"a long one", `{"method":"m","params":oops,"id":"` + strings.Repeat("x", 1023) + `"}`, ``},
		{"truncated", `{"method":"m","params":oops,"id":`, ``},
		{"truncated in a number", `{"method":"m","params":oops,"id":12`, ``},
		{"more digits", `{"method":"m","params":oops,"id":01}`, ``},
		{"as the value of another", `{"method":"m","params":oops,"a":"id"}`, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var m jsonrpc.Message
			if err := m.Scan([]byte(test.message)); err == nil {
				t.Fatal("the message was not refused")
			}
			if string(m.ID) != test.id {
				t.Errorf("got the id %q, want %q", m.ID, test.id)
			}
		})
	}
}
