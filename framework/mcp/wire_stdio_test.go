package mcp_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// answer has the fields of an answer that tests check.
type answer struct {
	ID     codec.Value `json:"id"`
	Result *struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func readAnswer(t *testing.T, line string) (a answer) {
	t.Helper()
	if err := codec.Unmarshal([]byte(line), &a); err != nil || (a.Result == nil) == (a.Error == nil) {
		t.Fatalf("%s is no answer: %v", line, err)
	}
	return a
}

// text returns the text of a tool's result.
func (a answer) text() string {
	if a.Result == nil || len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[0].Text
}

const absent = "" // an id that is left out

// badLines are lines that are answered with an error, in both eras and at any time.
var badLines = map[string]struct {
	line string
	code int
	id   string
}{
	"not JSON":                         {"hello", -32700, absent},
	"a number with more behind it":     {"1]", -32700, absent},
	"a string with more behind it":     {`"a"x`, -32700, absent},
	"too deep and truncated":           {strings.Repeat("[", 1000), -32700, absent},
	"a repeated name and no end":       {`{"jsonrpc":"2.0","id":7,"method":"ping","method":"ping"`, -32700, `7`},
	"truncated":                        {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"na`, -32700, `7`},
	"invalid UTF-8":                    {`{"jsonrpc":"2.0","id":7,"method":"` + "\xff" + `"}`, -32700, `7`},
	"two messages":                     {`{"jsonrpc":"2.0","id":7,"method":"ping"}{}`, -32700, `7`},
	"1 000 levels deep":                {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}`, -32600, `7`},
	"a repeated member":                {`{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`, -32600, absent},
	"METHOD":                           {`{"jsonrpc":"2.0","id":7,"METHOD":"ping"}`, -32600, absent},
	"a response that is both":          {`{"jsonrpc":"2.0","id":7,"result":{},"error":{}}`, -32600, absent},
	"a response that is neither":       {`{"jsonrpc":"2.0","id":7}`, -32600, absent},
	"a long id":                        {`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1<<20) + `","method":"ping"}`, -32600, absent},
	"a batch":                          {`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, -32600, absent},
	"an id of null":                    {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, absent},
	"a fractional id":                  {`{"jsonrpc":"2.0","id":7.5,"method":"ping"}`, -32600, absent},
	"an object for an id":              {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, absent},
	"a number":                         {`5`, -32600, absent},
	"an unknown version":               {`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`, -32022, `"a"`},
	"a legacy version in the envelope": {`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}}}`, -32022, `"a"`},
	"a claim that is no string":        {`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":{}}}}`, -32602, `"a"`},
	"no capabilities":                  {`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, -32602, `"a"`},
	"initialize with a claim":          {`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{` + modernMeta + `}}`, -32601, `0`},
	"an unknown method":                {`{"jsonrpc":"2.0","id":"","method":"acme/unknown","params":{` + modernMeta + `}}`, -32601, `""`},
	"an unknown tool":                  {modernCall(`1152921504606846976`, "ecko", `{}`), -32602, `1152921504606846976`},
	"arguments that are an array":      {modernCall(`7`, "echo", `[]`), -32602, `7`},
}

func TestStdioAnswersBadLinesAndContinues(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "2025-11-25", "2025-06-18", "2024-11-05"} {
		t.Run("after initialize at "+version, func(t *testing.T) {
			t.Parallel()
			p := startPipeline(t, mcp.Config{}, newWireServer())
			missing := absent
			if version != "" {
				p.ask(t, initialize(version))
				if version <= "2025-06-18" {
					missing = "null"
				}
			}
			for name, bad := range badLines {
				line := p.ask(t, bad.line)
				got := readAnswer(t, line)
				want := bad.id
				if want == absent {
					want = missing
				}
				if got.Error == nil || got.Error.Code != bad.code || string(got.ID) != want {
					t.Errorf("%s: the answer is %s, want error %d with the id %q", name, line, bad.code, want)
				}
				if strings.Contains(line, "goroutine") || strings.Contains(line, ".go:") {
					t.Errorf("%s: the answer tells what is inside: %s", name, line)
				}
				if pong := p.ask(t, `{"jsonrpc":"2.0","id":"still there","method":"ping"}`); pong != `{"jsonrpc":"2.0","id":"still there","result":{}}` {
					t.Fatalf("%s: afterwards ping gets %s", name, pong)
				}
			}
			if code, _ := p.end(t); code != 0 {
				t.Errorf("the exit code is %d, want 0", code)
			}
			p.quiet(t)
		})
	}
}

func TestStdioNamesEachWrongArgument(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, newWireServer())
	got := readAnswer(t, p.ask(t, modernCall(`1`, "echo", `{"mesage":"a","repeat":"3","tags":null}`)))
	if got.Result == nil || !got.Result.IsError {
		t.Fatalf("the answer is %+v, want an isError", got)
	}
	for _, want := range []string{`"message"?`, "/mesage", "/message", "/repeat", "/tags"} {
		if !strings.Contains(got.text(), want) {
			t.Errorf("the model reads %q, want %s in it", got.text(), want)
		}
	}
}

func TestStdioServesBothErasAtOnce(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, newWireServer())
	for _, step := range []struct{ message, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `"code":-32600`}, // neither era yet
		{`{"jsonrpc":"2.0","id":2,"method":"ping"}`, `"result":{}`},         // precedes initialize
		{`{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{` + modernMeta + `}}`, `"supportedVersions":["2026-07-28"]`},
		{initialize("2026-07-28"), `"protocolVersion":"2025-11-25"`},
		{legacyCall(`4`, "echo", `{"message":"old"}`), `"result":{"content"`},
		{modernCall(`5`, "echo", `{"message":"new"}`), `"result":{"resultType":"complete"`},
		{initialize("2024-11-05"), `"protocolVersion":"2024-11-05"`},
		{legacyCall(`6`, "numbers", `{}`), `{"content":[{"type":"text","text":"[1,2]"}]}`},
		{`{"jsonrpc":"2.0","id":7,"method":"ping","params":{` + modernMeta + `}}`, `"code":-32601`},
	} {
		if got := p.ask(t, step.message); !strings.Contains(got, step.want) {
			t.Errorf("%s\ngets %s\nwant %s in it", step.message, got, step.want)
		}
	}
}

func TestStdioOfModernVersionsAlone(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{Versions: []string{"2026-07-28"}}, newWireServer())
	for _, step := range []struct{ message, want string }{
		{initialize("2025-11-25"), `"data":{"supported":["2026-07-28"],"requested":"2025-11-25"}`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `"code":-32022`},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"code":-32600`},
		{modernCall(`2`, "echo", `{"message":"new"}`), `"resultType":"complete"`},
	} {
		if got := p.ask(t, step.message); !strings.Contains(got, step.want) {
			t.Errorf("%s\ngets %s\nwant %s in it", step.message, got, step.want)
		}
	}
	p.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":3,"result":{}}`)
	if pong := readAnswer(t, p.ask(t, `{"jsonrpc":"2.0","id":"next","method":"ping"}`)); string(pong.ID) != `"next"` {
		t.Errorf("the answer is to %s: a notification or a response was answered", pong.ID)
	}
}

func TestStdioToleratesBlankLinesAndCRLF(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, newWireServer())
	p.send(t, "", "\r", "  ")
	if got := p.ask(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\r"); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("ping gets %s", got)
	}
	if _, err := io.WriteString(p.in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); err != nil { // no newline, then EOF
		t.Fatal(err)
	}
	_ = p.in.Close()
	if got := p.next(t); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("the last line gets %s", got)
	}
}

func TestStdioNeverAnswersNotificationsAndResponses(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, newWireServer())
	p.send(t,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"acme/unknown"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}`,
		`{"jsonrpc":"2.0","method":"acme/unknown","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01"}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
	)
	if got := p.ask(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("the first answer is %s, want the one to ping", got)
	}
}

// An endless line is answered as soon as it is too long. It allocates no more than the
// limit, and reading continues after it. The test measures the heap, so nothing else may
// run.
func TestStdioDropsAnEndlessLine(t *testing.T) {
	p := startPipeline(t, mcp.Config{MaxLine: 1 << 20}, newWireServer())
	piece := strings.Repeat("x", 64<<10)
	write := func(bytes int) {
		for ; bytes > 0; bytes -= len(piece) {
			if _, err := io.WriteString(p.in, piece); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(2 << 20)
	if got := readAnswer(t, p.next(t)); got.Error == nil || got.Error.Code != -32700 || got.ID != nil {
		t.Errorf("the answer is %+v, want a parse error without an id", got)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	write(64 << 20)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("64 MiB of one line hold %d bytes", grown)
	}
	p.send(t, "")
	if got := p.ask(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("afterwards ping gets %s", got)
	}
	p.quiet(t)
}

func TestStdioAcceptsALineUpToTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 200_000
	p := startPipeline(t, mcp.Config{MaxLine: limit}, newWireServer())
	line := func(length int) string {
		head, tail := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"`, `"}}`
		return head + strings.Repeat("x", length-len(head)-len(tail)) + tail
	}
	if got := p.ask(t, line(limit)); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("a line of the limit gets %s", got)
	}
	// Up to two bytes more may be the end of the line.
	if got := readAnswer(t, p.ask(t, line(limit+3))); got.Error == nil || got.Error.Code != -32700 {
		t.Errorf("a longer line gets %+v, want a parse error", got)
	}
}

func TestStdioSurvivesAPanic(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, newWireServer())
	got := readAnswer(t, p.ask(t, modernCall(`1`, "boom", `{}`)))
	if got.Result == nil || !got.Result.IsError || strings.Contains(got.text(), "secret") {
		t.Errorf("the answer is %+v, want an isError that tells nothing", got)
	}
	if got := readAnswer(t, p.ask(t, modernCall(`2`, "echo", `{"message":"a"}`))); got.Result == nil {
		t.Errorf("afterwards a call gets %+v", got)
	}
	if p.log.count("panicked", "secret boom", "stack=") != 1 {
		t.Errorf("the log has no stack:\n%s", p.log)
	}
}

func TestStdioRunsManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := newWireServer()
		p := startPipeline(t, mcp.Config{}, server)
		for id := range 70 {
			p.send(t, modernCall(fmt.Sprint(id), "wait", `{}`))
			synctest.Wait()
		}
		if n := server.running.Load(); n != 64 {
			t.Errorf("%d calls run, want 64", n)
		}
		if got := p.ask(t, `{"jsonrpc":"2.0","id":"p","method":"ping"}`); got != `{"jsonrpc":"2.0","id":"p","result":{}}` {
			t.Errorf("ping, which waits for no call, gets %s", got)
		}
		p.send(t, cancelled(`69`)) // waits, so that it will never run
		p.send(t, cancelled(`3`))  // runs, and makes room for one that waits
		synctest.Wait()
		if n := server.running.Load(); n != 64 {
			t.Errorf("%d calls run after one was cancelled, want 64", n)
		}
		for id := range 70 {
			p.send(t, cancelled(fmt.Sprint(id)))
			synctest.Wait()
		}
		if n := len(server.ended); n != 69 || server.running.Load() != 0 {
			t.Errorf("%d calls have run and %d still do, want 69 and 0", n, server.running.Load())
		}
		p.quiet(t)
		if code, took := p.end(t); code != 0 || took > 0 {
			t.Errorf("the program ends with %d after %v, want 0 at once", code, took)
		}
	})
}
