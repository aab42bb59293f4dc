package relay

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// answering lets a program answer requests of our own with results by their methods, and returns a
// function that returns the methods of its messages so far. A result that is "" stands for an error.
func answering(t *testing.T, x *Relay, p *program, results map[string]string) (got func() []string) {
	t.Helper()
	read, write := io.Pipe()
	var methods []string
	ended := make(chan struct{})
	go p.Transport.deliver(write)
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(read); lines.Scan(); {
			var m jsonrpc.Message
			if err := m.Scan(lines.Bytes()); err != nil {
				t.Error(err)
			}
			methods = append(methods, string(m.Method))
			answer := `"result":` + results[string(m.Method)]
			if results[string(m.Method)] == "" {
				answer = `"error":{"code":-32603,"message":"no"}`
			}
			if programs.IsOwn(m.ID, "") {
				x.returned(p, []byte(`{"jsonrpc":"2.0","id":`+string(m.ID)+`,`+answer+`}`))
			}
		}
	}()
	return func() []string {
		p.Transport.close()
		<-ended
		return methods
	}
}

// The acknowledgement is the first message of a stream, also if the program that got the request
// never sent it.
func TestAStreamOnStdioThatBeginsDuringASwitchIsAcknowledgedFirst(t *testing.T) {
	t.Parallel()
	const acknowledgement = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`
	x, older, out, _ := relayTo(t)
	newer := newProgram(t, x)
	const listen = `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`
	x.receive(t.Context(), []byte(listen))
	got := answering(t, x, newer, map[string]string{"ping": `{}`})
	if err := x.introduce(t.Context(), newer); err != nil || out.Len() > 0 || !isClosed(older) {
		t.Errorf("before the acknowledgement the client gets %s, %v", out, err)
	}
	if methods := got(); !slices.Equal(methods, []string{"ping", "subscriptions/listen"}) {
		t.Errorf("the program gets %q", methods)
	}
	for range 2 { // the second one is of no meaning
		x.returned(newer, []byte(acknowledgement))
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || lines[0] != acknowledgement || !strings.Contains(lines[1], "notifications/tools/list_changed") || !strings.Contains(lines[1], `"io.modelcontextprotocol/subscriptionId":7`) {
		t.Errorf("the client gets %q", lines)
	}
}

// An answer to a second request with the id of a stream would end the stream.
func TestAnIDOfAnOpenStreamIsRefusedOnStdio(t *testing.T) {
	t.Parallel()
	x, p, out, _ := relayTo(t)
	x.receive(t.Context(), []byte(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{}}`))
	for _, method := range []string{"subscriptions/listen", "tools/list"} {
		out.Reset()
		x.receive(t.Context(), []byte(`{"jsonrpc":"2.0","id":7,"method":"`+method+`"}`))
		if want := `"code":-32600,"message":"Invalid request: the id 7 belongs to a request that is still running"`; !strings.Contains(out.String(), want) {
			t.Errorf("%s gets %q, want %s", method, out, want)
		}
	}
	if n := len(p.Transport.queue); n != 1 {
		t.Errorf("the program gets %d messages, want one", n)
	}
}

// Every program declares all lists. A client that hears of an empty one would ask for nothing.
func TestAnOlderClientOnStdioHearsOfListsThatHaveOrHadItems(t *testing.T) {
	t.Parallel()
	x, older, out, _ := relayTo(t)
	x.client.Begin(older, &jsonrpc.Message{Method: []byte("initialize"), Params: []byte(`{}`)}, nil)
	for n, result := range []string{`{"tools":[{"name":"a"}]}`, `{"prompts":[]}`, `{"capabilities":{"prompts":{"listChanged":true}}}`} {
		method, id := []string{"tools/list", "prompts/list", "ping"}[n], strconv.Itoa(n)
		x.receive(t.Context(), []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`"}`))
		x.returned(older, []byte(`{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`))
	}
	hears := func(what string, answers map[string]string, asked []string, want ...string) {
		t.Helper()
		out.Reset()
		p := newProgram(t, x)
		answers["ping"] = `{}`
		methods := answering(t, x, p, answers)
		if err := x.introduce(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		x.telling.Wait()
		got := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(out.String(), `{"jsonrpc":"2.0","method":"notifications/`, ""), `/list_changed"}`, ""))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the client hears of %q, want %q", what, got, want)
		}
		if got := methods(); !slices.Equal(got, append([]string{"ping", "initialize", "notifications/initialized"}, asked...)) {
			t.Errorf("%s: the program is asked for %q, want %q", what, got, asked)
		}
	}
	const every = `{"capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true},"prompts":{"listChanged":true}}}`
	lists := []string{"resources/list", "resources/templates/list", "prompts/list"}
	hears("the list of which it has seen items", map[string]string{
		"initialize": every, "resources/list": `{"resources":[]}`, "resources/templates/list": `{"resourceTemplates":[]}`, "prompts/list": `{"prompts":[]}`,
	}, lists, "tools")
	hears("a list with items", map[string]string{
		"initialize": every, "resources/list": `{"resources":[]}`, "resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"a://{b}"}]}`, "prompts/list": `{"prompts":[]}`,
	}, lists, "tools", "resources")
	hears("a list that the program doesn't return", map[string]string{"initialize": every}, []string{"prompts/list"}, "tools", "resources", "prompts")
	hears("lists that had items", map[string]string{"initialize": `{}`}, nil, "tools", "resources", "prompts")
}
