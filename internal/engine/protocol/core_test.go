package protocol_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// serverInfo is at the end of each modern result.
const serverInfo = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}`

// cacheHint is in the results of lists and resources.
const cacheHint = `"ttlMs":0,"cacheScope":"private"`

// A world is an empty server, and a client of it.
type world struct {
	*protocol.Core
	log   *buffertest.Buffer
	ctx   context.Context
	table *call.Table
}

// newWorld returns a server that supports the given versions, or all.
func newWorld(t testing.TB, versions ...spec.Version) *world {
	t.Helper()
	if versions == nil {
		versions = spec.Versions{spec.Version20241105, spec.Version20250326, spec.Version20250618, spec.Version20251125, spec.Version20260728}
	}
	log := &buffertest.Buffer{}
	return &world{protocol.New(protocol.Config{
		Server: calltest.Server(log), Versions: versions, Instructions: "Be brief.", PageSize: 2, MaxPageSize: 3,
	}), log, t.Context(), nil}
}

// operation returns an operation that returns a raw object.
func operation(key, object string) *call.Operation {
	return doing(key, func(context.Context, *call.Call) (call.Result, error) {
		return &protocol.Object{JSON: []byte(object)}, nil
	})
}

// doing returns an operation. Its errors are internal, unless they are JSON-RPC errors.
func doing(key string, do protocol.Do) *call.Operation {
	return &call.Operation{Key: key, Do: do, Explain: func(_ *call.Call, err error) (call.Result, *exchange.Error) {
		if own, ok := errors.AsType[*exchange.Error](err); ok {
			return nil, own
		}
		return nil, fault.Internal()
	}}
}

// item returns an item whose operation returns an object with its key and its input.
func item(key, definition string) protocol.Item {
	return protocol.Item{Key: key, Definition: []byte(definition), Origin: "made of " + key, Operation: doing(key, func(_ context.Context, k *call.Call) (call.Result, error) {
		in := &k.Facts().Input
		encoded, err := codec.Marshal(struct {
			Did       string `json:"did"`
			URI       string `json:"uri"`
			Arguments string `json:"arguments"`
			Values    string `json:"values"`
		}{key, in.URI, string(in.Arguments), fmt.Sprint(in.Values)})
		return &protocol.Object{JSON: encoded}, err
	})}
}

// tool returns a tool with a name.
func tool(name string) *protocol.Tool {
	return &protocol.Tool{Item: item(name, `{"name":"`+name+`","title":"T","inputSchema":{"type":"object"}}`)}
}

// ann reports whether the principal is ann, who may see hidden items.
func ann(ctx context.Context) bool { return exchange.PrincipalFrom(ctx).ID == "ann" }

// add adds items, and fails the test if it can't.
func (w *world) add(t testing.TB, things ...any) *world {
	t.Helper()
	for _, thing := range things {
		var err error
		switch thing := thing.(type) {
		case *protocol.Tool:
			err = w.AddTool(thing)
		case *protocol.Prompt:
			err = w.AddPrompt(thing)
		case *protocol.Resource:
			err = w.AddResource(thing)
		case *protocol.Template:
			err = w.AddTemplate(thing)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// message is a request of the newest version. Params is a raw object without _meta.
func message(method, params string) string {
	o := spec.ParseObject([]byte(params))
	o.Set("_meta", []byte("{"+calltest.Meta+"}"))
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, o.Append(nil))
}

// serve serves a message of the newest version, over HTTP if there are headers.
func (w *world) serve(text string, headers http.Header) *calltest.Reply {
	a, reply := calltest.Arrive("%s", text), &calltest.Reply{}
	a.Table = w.table
	if headers != nil {
		a.HTTP = httptest.NewRequestWithContext(w.ctx, http.MethodPost, "/mcp/test", nil)
		a.HTTP.Header = headers
	}
	w.Serve(w.ctx, a, reply)
	return reply
}

// addMethod registers a method of the program.
func (w *world) addMethod(name string, operation *call.Operation) error {
	return w.AddMethod(&protocol.Method{Name: name, Operation: operation})
}

// updated returns the change of a resource.
func (w *world) updated(uri string) changes.Change {
	for _, topic := range w.Feed().Topics() {
		if topic.Key == "uri" {
			return changes.Change{Topic: topic, Key: uri}
		}
	}
	return changes.Change{}
}

// filters returns the filters of topics.
func filters(topics []*changes.Topic) string {
	var names []string
	for _, topic := range topics {
		names = append(names, topic.Filter)
	}
	return strings.Join(names, " ")
}

// ask sends a request of the newest version, and returns its outcome.
func (w *world) ask(method, params string) string {
	return outcome(w.serve(message(method, params), nil))
}

// askOld sends a request of an older version, from a client with a session.
func (w *world) askOld(v spec.Version, method, params string) string {
	reply := &calltest.Reply{}
	peer := call.Peer{Client: request.Client{Version: v}, Interest: w.Interest(w.ctx, nil, &request.Client{})}
	w.Dispatch(w.ctx, calltest.Arrive(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), peer, reply)
	return outcome(reply)
}

// outcome returns the raw result of an answer, or its status and error.
func outcome(reply *calltest.Reply) string {
	answer := reply.Answer()
	if result, ok := strings.CutPrefix(answer.Body, `{"jsonrpc":"2.0","id":1,"result":`); ok && answer.Status == http.StatusOK {
		return strings.TrimSuffix(result, "}")
	}
	failed := spec.Lookup([]byte(answer.Body), "error")
	return fmt.Sprintf("%d %s %s", answer.Status, spec.Lookup(failed, "code"), spec.Lookup(failed, "message"))
}

func assertIs(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

func TestDiscoverListsTheCapabilities(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const start, end = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{`, `},"instructions":"Be brief.",` + cacheHint + `,` + serverInfo + `}`
	assertIs(t, "nothing", w.ask("server/discover", `{}`), start+`"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}`+end)
	w.add(t, tool("a"), &protocol.Prompt{Item: item("p", `{}`), Complete: operation("p", `{}`)}, &protocol.Resource{Item: item("a://b", `{}`)})
	w.Declare([]byte(`{"custom":{"enabled":true}}`), []byte(`{"com.example/search":{}}`))
	assertIs(t, "all", w.ask("server/discover", `{}`), start+`"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},`+
		`"tools":{"listChanged":true},"experimental":{"custom":{"enabled":true}},"extensions":{"com.example/search":{}}`+end)
	assertIs(t, "an older one", w.askOld(spec.Version20251125, "server/discover", `{}`), `200 -32601 "Method not found: server/discover"`)
}

func TestWelcomeDependsOnTheVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t).add(t, tool("a"), &protocol.Prompt{Item: item("p", `{}`), Complete: operation("p", `{}`)})
	for _, test := range []struct {
		version    spec.Version
		remembered bool
		want       string
	}{
		{spec.Version20251125, true, `{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`},
		{spec.Version20250618, false, `{"completions":{},"prompts":{},"resources":{},"tools":{}}`},
		{spec.Version20241105, true, `{"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`},
	} {
		want := `{"protocolVersion":"` + test.version.String() + `","capabilities":` + test.want + `,"instructions":"Be brief.","serverInfo":{"name":"test","version":"1"}}`
		assertIs(t, test.version.String(), string(w.Welcome(test.version, test.remembered)), want)
	}
}

func TestUnknownMethodsAreNotFound(t *testing.T) {
	t.Parallel()
	empty, full := newWorld(t), newWorld(t).add(t, tool("a"), &protocol.Prompt{Item: item("p", `{}`)}, &protocol.Template{Item: item("a://{b}", `{}`), Match: nothing})
	for _, method := range []string{"completion/complete", "acme/x", "ping", "initialize", "resources/subscribe", "logging/setLevel", "tasks/list"} {
		assertIs(t, method, empty.ask(method, `{"name":"a"}`), fmt.Sprintf(`404 -32601 "Method not found: %s"`, method))
	}
	for _, method := range []string{"completion/complete", "acme/x", "ping", "resources/unsubscribe"} {
		assertIs(t, method, full.ask(method, `{}`), fmt.Sprintf(`404 -32601 "Method not found: %s"`, method))
	}
	assertIs(t, "an older client", empty.askOld(spec.Version20250618, "acme/x", `{}`), `200 -32601 "Method not found: acme/x"`)
}

// A server declares its lists before it has items, so that clients hear of the first one.
func TestTheListsOfAnEmptyServerAreEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for method, member := range map[string]string{
		"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates",
	} {
		assertIs(t, method, w.ask(method, `{}`), fmt.Sprintf(`{"resultType":"complete",%q:[],%s,%s}`, member, cacheHint, serverInfo))
		assertIs(t, method, w.askOld(spec.Version20241105, method, `{}`), fmt.Sprintf(`{%q:[]}`, member))
	}
	assertIs(t, "a tool", w.ask("tools/call", `{"name":"a"}`), `200 -32602 "Unknown tool \"a\""`)
	assertIs(t, "a prompt", w.ask("prompts/get", `{"name":"a"}`), `200 -32602 "Unknown prompt \"a\""`)
	assertIs(t, "a resource", w.ask("resources/read", `{"uri":"a://b"}`), `200 -32602 "Resource not found: a://b"`)
	interest := w.Interest(w.ctx, nil, &request.Client{})
	if got := filters(interest.Topics()); got != "toolsListChanged promptsListChanged resourcesListChanged" {
		t.Errorf("an older client follows %s", got)
	}
	assertIs(t, "a subscription", w.subscribe(interest, "resources/subscribe", `{"uri":"a://b"}`), `{}`)
}

// nothing is the Match of a template that matches no URI.
func nothing(string) (map[string]string, bool) { return nil, false }

func TestAToolIsCalledByItsName(t *testing.T) {
	t.Parallel()
	hidden := tool("vault")
	hidden.Visible = ann
	w := newWorld(t).add(t, tool("echo"), tool("add"), hidden)
	did := func(name, arguments string) string {
		return fmt.Sprintf(`{"did":%[1]q,"uri":"","arguments":%[2]q,"values":"map[]","resultType":"complete",%[3]s}`, name, arguments, serverInfo)
	}
	for params, want := range map[string]string{
		`{"name":"echo","arguments":{"a":1}}`: did("echo", `{"a":1}`),
		`{"name":"echo"}`:                     did("echo", `{}`),
		`{"name":"ech\u006f"}`:                did("echo", `{}`),
		`{"name":"ecoh"}`:                     `200 -32602 "Unknown tool \"ecoh\"; did you mean \"echo\"?"`,
		`{"name":"vault"}`:                    `200 -32602 "Unknown tool \"vault\""`,
		`{"name":"vaul"}`:                     `200 -32602 "Unknown tool \"vaul\""`, // hidden tools aren't suggested
		`{"name":7}`:                          `200 -32602 "Invalid params: the member \"name\" must be the name of a tool"`,
		`{}`:                                  `200 -32602 "Invalid params: the member \"name\" must be the name of a tool"`,
		`{"name":"echo","arguments":[1]}`:     `200 -32602 "Invalid params: the member \"arguments\" must be an object"`,
	} {
		assertIs(t, params, w.ask("tools/call", params), want)
	}
	assertIs(t, "an older one", w.askOld(spec.Version20250326, "tools/call", `{"name":"echo"}`), `{"did":"echo","uri":"","arguments":"{}","values":"map[]"}`)
	w.ctx = exchange.WithPrincipal(w.ctx, exchange.Principal{ID: "ann"})
	assertIs(t, "ann", w.ask("tools/call", `{"name":"vault"}`), did("vault", `{}`))
}

func TestAPromptIsFoundByItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t).add(t, &protocol.Prompt{Item: item("review", `{}`)})
	for params, want := range map[string]string{
		`{"name":"review"}`:                       `{"did":"review","uri":"","arguments":"","values":"map[]","resultType":"complete",` + serverInfo + `}`,
		`{"name":"review","arguments":{"a":1}}`:   `{"did":"review","uri":"","arguments":"{\"a\":1}","values":"map[]","resultType":"complete",` + serverInfo + `}`,
		`{"name":"reviwe"}`:                       `200 -32602 "Unknown prompt \"reviwe\"; did you mean \"review\"?"`,
		`{"name":null}`:                           `200 -32602 "Invalid params: the member \"name\" must be the name of a prompt"`,
		`{"name":"review","arguments":["a"]}`:     `200 -32602 "Invalid params: the member \"arguments\" must be an object"`,
		`{"name":"review","arguments":"{\"a\"}"}`: `200 -32602 "Invalid params: the member \"arguments\" must be an object"`,
	} {
		assertIs(t, params, w.ask("prompts/get", params), want)
	}
}

func TestAProgramsMethodIsCalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"acme/reindex", "ping"} {
		if err := w.addMethod(name, operation(name, `{"by":"`+name+`"}`)); err != nil || !w.HasMethod(name) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"acme/reindex", "tools/call", "server/discover", "initialize", "subscriptions/listen"} {
		if err := w.addMethod(name, operation(name, `{}`)); !errors.Is(err, protocol.ErrDuplicate) {
			t.Errorf("%s is added once more: %v", name, err)
		}
	}
	assertIs(t, "its own", w.ask("acme/reindex", `{}`), `{"by":"acme/reindex","resultType":"complete",`+serverInfo+`}`)
	assertIs(t, "one that the modern protocol has removed", w.ask("ping", `{}`), `404 -32601 "Method not found: ping"`)
	assertIs(t, "the same for older clients", w.askOld(spec.Version20251125, "ping", `{}`), `{"by":"ping"}`)
}

func TestAStoppingServerRefusesCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t).add(t, tool("echo"))
	w.Server().Lifecycle.Drain(0, 0)
	const stopping = `503 -32603 "The server is shutting down; try again later"`
	assertIs(t, "a call", w.ask("tools/call", `{"name":"echo"}`), stopping)
	assertIs(t, "a stream", w.ask("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`), stopping)
}

func TestALogLevelIsOneOfTheEight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	logging := doing("a", func(_ context.Context, k *call.Call) (call.Result, error) {
		return &protocol.Object{JSON: fmt.Appendf(nil, `{"warnings":%t}`, k.Facts().Logs(spec.SeverityWarning))}, nil
	})
	if err := w.addMethod("acme/log", logging); err != nil {
		t.Fatal(err)
	}
	for level, want := range map[string]string{
		`"warning"`: `{"warnings":true,"resultType":"complete",` + serverInfo + `}`,
		`"error"`:   `{"warnings":false,"resultType":"complete",` + serverInfo + `}`,
		`"loud"`:    `200 -32602 "Invalid params: the log level must be debug, info, notice, warning, error, critical, alert or emergency"`,
		`7`:         `200 -32602 "Invalid params: the log level must be debug, info, notice, warning, error, critical, alert or emergency"`,
	} {
		text := strings.Replace(message("acme/log", `{}`), calltest.Meta, calltest.Meta+`,"io.modelcontextprotocol/logLevel":`+level, 1)
		assertIs(t, level, outcome(w.serve(text, nil)), want)
	}
	assertIs(t, "none", w.ask("acme/log", `{}`), `{"warnings":false,"resultType":"complete",`+serverInfo+`}`)
}

func TestANotificationReachesItsListener(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var heard []string
	for _, name := range []string{"notifications/acme", "notifications/broken"} {
		if err := w.AddListener(name, func(_ context.Context, k *call.Call) {
			heard = append(heard, string(k.Facts().Method)+" "+string(k.Facts().Params))
			if name == "notifications/broken" {
				panic("boom")
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"notifications/acme", "notifications/cancelled", "notifications/initialized"} {
		if err := w.AddListener(name, func(context.Context, *call.Call) {}); !errors.Is(err, protocol.ErrDuplicate) {
			t.Errorf("%s is added: %v", name, err)
		}
	}
	for _, method := range []string{"notifications/acme", "notifications/broken", "notifications/other"} {
		reply := w.serve(`{"jsonrpc":"2.0","method":"`+method+`","params":{"a":1}}`, nil)
		if got := reply.Answers(); len(got) != 1 || got[0].Status != 202 || got[0].Body != "" {
			t.Errorf("%s is answered with %+v", method, got)
		}
	}
	assertIs(t, "heard", strings.Join(heard, ", "), `notifications/acme {"a":1}, notifications/broken {"a":1}`)
	if !w.HasListener([]byte("notifications/acme")) || w.HasListener([]byte("notifications/other")) {
		t.Error("Hears is wrong")
	}
	if log := w.log.String(); !strings.Contains(log, `msg="a handler panicked" method=notifications/broken panic=boom`) {
		t.Errorf("the log is\n%s", log)
	}
}

func TestACancellationEndsTheCallOfItsTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.table = &call.Table{}
	ended := make(chan struct{})
	waiting := doing("a", func(ctx context.Context, _ *call.Call) (call.Result, error) {
		w.serve(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	if err := w.addMethod("acme/wait", waiting); err != nil {
		t.Fatal(err)
	}
	reply := w.serve(message("acme/wait", `{}`), nil)
	<-ended
	if got := reply.Answers(); len(got) != 1 || got[0].Status != 202 || got[0].Body != "" {
		t.Errorf("it is answered with %+v", got)
	}
}
