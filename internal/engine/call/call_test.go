package call_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/spec"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// A client makes calls to a server.
type client struct {
	server *call.Server
	log    *buffertest.Buffer
	ctx    context.Context
	peer   call.Peer
	table  *call.Table
	http   *http.Request
}

// newClient returns a client with a version.
func newClient(t *testing.T, v spec.Version) *client {
	t.Helper()
	log := &buffertest.Buffer{}
	return &client{server: calltest.Server(log), log: log, ctx: t.Context(), peer: call.Peer{Client: request.Client{Version: v}}}
}

// modern returns a client with the newest version.
func modern(t *testing.T) *client { return newClient(t, spec.Newest) }

// echo is the message of most calls.
const echo = `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"text":"ho"},"_meta":{"progressToken":7,"k":1}}}`

// begin begins a call. It returns nil if the call is refused.
func (c *client) begin(message string) (*call.Call, *calltest.Reply) {
	reply, arrival := &calltest.Reply{}, calltest.Arrive("%s", message)
	return c.arrive(arrival, reply), reply
}

func (c *client) arrive(arrival *call.Arrival, reply call.Reply) *call.Call {
	arrival.Table, arrival.HTTP = c.table, c.http
	k := call.New(c.ctx, c.server, arrival, c.peer, reply)
	if !k.Begin() {
		return nil
	}
	return k
}

// run runs a call to its end.
func (c *client) run(message string, operation *call.Operation) *calltest.Reply {
	k, reply := c.begin(message)
	k.Run(operation)
	return reply
}

// doing returns an operation on the tool echo.
func doing(do func(context.Context, *call.Call) (call.Result, error)) *call.Operation {
	return &call.Operation{Key: "echo", Tool: "echo", Do: do, Explain: explain, Asks: true}
}

// giving returns an operation that returns a result.
func giving(result call.Result) *call.Operation {
	return doing(func(context.Context, *call.Call) (call.Result, error) { return result, nil })
}

// failing returns an operation that fails.
func failing(err error) *call.Operation {
	return doing(func(context.Context, *call.Call) (call.Result, error) { return nil, err })
}

// explain sends a JSON-RPC error as it is, and any other error as a result.
func explain(_ *call.Call, err error) (call.Result, *exchange.Error) {
	if own, ok := errors.AsType[*exchange.Error](err); ok {
		return nil, own
	}
	return failure{err}, nil
}

// said is a result that contains the version of the client.
type said string

func (said) Err() error  { return nil }
func (s said) Size() int { return len(s) }

func (s said) Append(dst []byte, v spec.Version, server *spec.ServerInfo) []byte {
	return append(server.AppendMeta(fmt.Appendf(dst, `{"said":%q,"to":%q`, string(s), v), v, nil), '}')
}

// failure is a result that reports an error.
type failure struct{ err error }

func (f failure) Err() error { return f.err }
func (failure) Size() int    { return 0 }

func (f failure) Append(dst []byte, _ spec.Version, _ *spec.ServerInfo) []byte {
	return fmt.Appendf(dst, `{"failed":%q}`, f.err.Error())
}

// shared is a result that is already encoded.
type shared string

func (shared) Err() error       { return nil }
func (s shared) Size() int      { return len(s) }
func (s shared) Shared() []byte { return []byte(s) }

func (shared) Append(dst []byte, _ spec.Version, _ *spec.ServerInfo) []byte { return dst }

func assertAnswer(t *testing.T, reply *calltest.Reply, status int, want string) {
	t.Helper()
	answers := reply.Answers()
	if len(answers) != 1 || answers[0].Status != status || answers[0].Body != want {
		t.Errorf("got the answers\n%+v\nwant one with the status %d:\n%s", answers, status, want)
	}
}

func (c *client) assertLog(t *testing.T, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(c.log.String(), want) {
			t.Errorf("the log is\n%s\nwithout\n%s", c.log, want)
		}
	}
}

func TestACallAnswersOnceWithItsResult(t *testing.T) {
	t.Parallel()
	c := modern(t)
	reply := c.run(echo, giving(said("ho")))
	assertAnswer(t, reply, 200, `{"jsonrpc":"2.0","id":"a","result":{"said":"ho","to":"2026-07-28","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}}`)
	if reply.PrecedesReturn() || reply.Takes() != 0 || len(reply.Sent()) != 0 {
		t.Errorf("the reply was late: %t, may take %v, with %q before", reply.PrecedesReturn(), reply.Takes(), reply.Sent())
	}
	c.assertLog(t, "level=INFO msg=call tool=echo outcome=ok version=2026-07-28")
	older := newClient(t, spec.Version20250326)
	assertAnswer(t, older.run(echo, giving(said("ho"))), 200, `{"jsonrpc":"2.0","id":"a","result":{"said":"ho","to":"2025-03-26"}}`)
}

func TestASharedResultFollowsTheID(t *testing.T) {
	t.Parallel()
	assertAnswer(t, modern(t).run(echo, giving(shared(`{"tools":[]}}`))), 200, `{"jsonrpc":"2.0","id":"a","result":{"tools":[]}}`)
}

func TestAnErrorIsAnsweredAsExplained(t *testing.T) {
	t.Parallel()
	c := modern(t)
	assertAnswer(t, c.run(echo, failing(errors.New("the disk is full"))), 200, `{"jsonrpc":"2.0","id":"a","result":{"failed":"the disk is full"}}`)
	c.assertLog(t, `level=ERROR msg=call tool=echo outcome=failed version=2026-07-28 reason="the disk is full"`)
	reply := c.run(echo, failing(&exchange.Error{Code: 7, Message: "No.", Data: []int{1}, Header: http.Header{"Retry-After": {"3"}}}))
	assertAnswer(t, reply, 200, `{"jsonrpc":"2.0","id":"a","error":{"code":7,"message":"No.","data":[1]}}`)
	if reply.Answer().Header.Get("Retry-After") != "3" {
		t.Errorf("the headers are %v", reply.Answer().Header)
	}
	c.assertLog(t, "level=INFO msg=call tool=echo outcome=refused")
	assertAnswer(t, c.run(echo, giving(failure{errors.New("no")})), 200, `{"jsonrpc":"2.0","id":"a","result":{"failed":"no"}}`)
	c.assertLog(t, "level=INFO msg=call tool=echo outcome=refused version=2026-07-28 reason=no")
}

// To older clients, 404 means that their session has ended.
func TestTheStatusOfAnErrorDependsOnTheVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ status, modern, older int }{
		{0, 200, 200}, {400, 400, 200}, {404, 404, 200}, {503, 503, 200}, {401, 401, 401}, {403, 403, 403},
	} {
		failed := &exchange.Error{Code: 7, Message: "No.", Status: test.status}
		for v, want := range map[spec.Version]int{spec.Newest: test.modern, spec.Version20251125: test.older, spec.Version20241105: test.older} {
			if got := newClient(t, v).run(echo, failing(failed)).Answer().Status; got != want {
				t.Errorf("the status %d is %d for clients of %s, want %d", test.status, got, v, want)
			}
		}
	}
}

func TestACallCanBeRefusedInsteadOfRun(t *testing.T) {
	t.Parallel()
	c := modern(t)
	k, reply := c.begin(echo)
	missing := refusal()
	missing.Status = 404
	k.Refuse(nil, missing)
	assertAnswer(t, reply, 404, `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"No such method"}}`)
	c.assertLog(t, `level=INFO msg=call method=tools/call outcome=refused version=2026-07-28 reason="No such method"`)
	select {
	case <-k.Done():
	default:
		t.Error("the call continues")
	}
}

func TestAMessageIsRefusedBeforeItsCall(t *testing.T) {
	t.Parallel()
	refusal := &exchange.Error{Code: -32600, Message: "No.", Status: 400, Header: http.Header{"Allow": {"POST"}}}
	for _, test := range []struct {
		id      string
		version spec.Version
		want    string
	}{
		{`7`, spec.Newest, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"No."}}`},
		{``, spec.Newest, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"No."}}`},
		{``, spec.VersionUnknown, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"No."}}`},
		{``, spec.Version20251125, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"No."}}`},
		{``, spec.Version20250618, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No."}}`}, // which requires the member
	} {
		var id []byte
		if test.id != "" {
			id = []byte(test.id)
		}
		reply := &calltest.Reply{}
		call.Refuse(id, refusal, test.version, reply)
		assertAnswer(t, reply, 400, test.want)
		if reply.Answer().Header.Get("Allow") != "POST" {
			t.Errorf("the headers are %v", reply.Answer().Header)
		}
	}
	reply := &calltest.Reply{}
	call.Refuse([]byte("7"), &exchange.Error{Code: 7, Message: "No."}, spec.Newest, reply)
	if reply.Answer().Status != 200 {
		t.Errorf("the status is %d", reply.Answer().Status)
	}
}

func TestACallDescribesItsRequestAndClient(t *testing.T) {
	t.Parallel()
	c := newClient(t, spec.Version20250618)
	c.http = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp/demo", nil)
	c.peer.Info, c.peer.Capabilities, c.peer.Session = []byte(`{"name":"c"}`), []byte(`{"roots":{}}`), "s-1"
	c.run(echo, doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
		for what, pair := range map[string][2]string{
			"version":      {k.Facts().Version.String(), "2025-06-18"},
			"method":       {string(k.Facts().Method), "tools/call"},
			"client":       {string(k.Facts().Info), `{"name":"c"}`},
			"capabilities": {string(k.Facts().Capabilities), `{"roots":{}}`},
			"session":      {k.Facts().Session, "s-1"},
			"address":      {k.Address().String(), "192.0.2.1"},
			"path":         {k.Facts().HTTP.URL.Path, "/mcp/demo"},
			"meta":         {string(k.Facts().Meta), `{"progressToken":7,"k":1}`},
			"name":         {string(k.Message().Name), `"echo"`},
			"key":          {k.Key(), "echo"},
		} {
			if pair[0] != pair[1] {
				t.Errorf("the %s is %s, want %s", what, pair[0], pair[1])
			}
		}
		if k.Context() != c.ctx || ctx == c.ctx || k.Facts().Session != "s-1" || !strings.Contains(string(k.Facts().Params), `"text":"ho"`) {
			t.Errorf("the params are %s", k.Facts().Params)
		}
		return said(""), nil
	}))
	c.http = nil
	k, _ := c.begin(echo)
	if k.Address().IsValid() || k.Facts().HTTP != nil || k.Key() != "" {
		t.Errorf("without HTTP it comes from %s, for %q", k.Address(), k.Key())
	}
	k.Run(giving(said("")))
}

// A guardrail may read the _meta of each call, however large the arguments are.
func TestTheMetaOfACallIsNotScannedAgain(t *testing.T) {
	c := newClient(t, spec.Newest)
	k, _ := c.begin(echo)
	if n := testing.AllocsPerRun(10, func() { _ = k.Facts().Meta }); n > 0 || len(k.Facts().Meta) == 0 {
		t.Errorf("Meta allocates %v times, and returns %s", n, k.Facts().Meta)
	}
	k.Run(giving(said("")))
}

func TestACallKeepsValuesInputAndResult(t *testing.T) {
	t.Parallel()
	c := modern(t)
	k, _ := c.begin(echo)
	if k.Value("plan") != nil || k.Result() != nil {
		t.Errorf("a new call has the value %v and the result %v", k.Value("plan"), k.Result())
	}
	k.Set("plan", "gold")
	k.Facts().Input.URI = "echo://a"
	k.SetResult(said("ho"))
	if k.Value("plan") != "gold" || k.Facts().Input.URI != "echo://a" || k.Result() != request.Result(said("ho")) {
		t.Errorf("it has the value %v, the URI %q and the result %v", k.Value("plan"), k.Facts().Input.URI, k.Result())
	}
	k.Run(giving(said("")))
}

func TestANotificationIsACallThatIsOver(t *testing.T) {
	t.Parallel()
	c := modern(t)
	heard := call.NewNotification(t.Context(), c.server, calltest.Arrive(`{"jsonrpc":"2.0","method":"notifications/acme","params":{"page":1}}`), c.peer)
	if string(heard.Facts().Method) != "notifications/acme" || string(heard.Facts().Params) != `{"page":1}` {
		t.Errorf("got %s with %s", heard.Facts().Method, heard.Facts().Params)
	}
	heard.CloseStream(time.Second)
	for what, err := range map[string]error{
		"a notification": heard.Notify("a/b", nil), "progress": heard.Progress(1, 2, ""), "a request": heard.Request(1, "ping", []byte("{}")),
	} {
		if !errors.Is(err, call.ErrFinished) {
			t.Errorf("%s results in %v", what, err)
		}
	}
}

// refused returns the error for a call that is refused.
func refusal() *exchange.Error { return &exchange.Error{Code: -32601, Message: "No such method"} }
