//go:build !race

package mcp_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// sink is a response writer that allocates nothing and remembers the status.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
func (s *sink) WriteHeader(status int)      { s.status = status }

// again is a request body that can be read again.
type again struct{ bytes.Reader }

func (*again) Close() error { return nil }

// allocations returns the number of allocations of serving a message.
func allocations(t *testing.T, handler http.Handler, message string, header http.Header) float64 {
	t.Helper()
	in, w, body := &again{}, &sink{header: http.Header{}}, []byte(message)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8080/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.RemoteAddr = "127.0.0.1:1234"
	header["Content-Type"], header["Accept"] = []string{"application/json"}, []string{"application/json, text/event-stream"}
	r.Header, r.Body, r.ContentLength = header, in, int64(len(message))
	n := testing.AllocsPerRun(200, func() {
		in.Reset(body)
		clear(w.header)
		handler.ServeHTTP(w, r)
	})
	if w.status != http.StatusOK {
		t.Fatalf("the status is %d", w.status)
	}
	return n
}

// TestAllocationsOfAMessage limits the paths of the speed budget to their current cost.
// If a path gets cheaper, lower its limit here.
func TestAllocationsOfAMessage(t *testing.T) {
	handler := wireHandler(t, mcp.Config{}, &gateServer{})
	session := (&wireClient{handler: handler}).open(t, "2025-11-25").session
	for name, tt := range map[string]struct {
		message string
		header  http.Header
		most    float64
	}{
		"tools/call 2026-07-28": {
			modernCall(`7`, "echo", gateArguments),
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}}, 13,
		},
		"tools/call in a session": {legacyCall(`7`, "echo", gateArguments), http.Header{"Mcp-Session-Id": {session}}, 15},
		"tools/list 2026-07-28": {
			`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{` + modernMeta + `}}`,
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/list"}}, 3,
		},
		"resources/read 2026-07-28": {
			`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"docs://one",` + modernMeta + `}}`,
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"resources/read"}, "Mcp-Name": {"docs://one"}}, 42,
		},
		"resources/read of a template 2026-07-28": {
			`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"docs://7/many",` + modernMeta + `}}`,
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"resources/read"}, "Mcp-Name": {"docs://7/many"}}, 45,
		},
		"prompts/get 2026-07-28": {
			`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"ask","arguments":{"language":"go"},` + modernMeta + `}}`,
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"prompts/get"}, "Mcp-Name": {"ask"}}, 61,
		},
		"completion/complete 2026-07-28": {
			`{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"language","value":"g"},` + modernMeta + `}}`,
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"completion/complete"}}, 44,
		},
		"ping in a session": {`{"jsonrpc":"2.0","id":7,"method":"ping"}`, http.Header{"Mcp-Session-Id": {session}}, 3},
	} {
		n := allocations(t, handler, tt.message, tt.header)
		t.Logf("%s: %v allocations", name, n)
		if n > tt.most {
			t.Errorf("%s allocates %v times, want at most %v", name, n, tt.most)
		}
	}
}

// TestAllocationsOfGuardrailsAndEvents limits the cost of guardrails and events.
// TestAllocationsOfAMessage limits a call without them.
func TestAllocationsOfGuardrailsAndEvents(t *testing.T) {
	call := modernCall(`7`, "echo", gateArguments)
	header := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}}
	through := guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		return next(ctx, operation)
	})
	for name, tt := range map[string]struct {
		guardrails []guardrails.Guardrail
		listen     func(*events.Dispatcher)
		most       float64
	}{
		"guardrails of other kinds": {[]guardrails.Guardrail{through.On(guardrails.Read, guardrails.List)}, nil, 13},
		"a timeout":                 {[]guardrails.Guardrail{guardrails.Timeout(time.Minute)}, nil, 13},
		"a permission":              {[]guardrails.Guardrail{guardrails.Permission(func(context.Context, string) bool { return true })}, nil, 13},
		"one guardrail":             {[]guardrails.Guardrail{through}, nil, 18},
		"three guardrails":          {[]guardrails.Guardrail{through, through, through}, nil, 20},
		"a rate limit":              {[]guardrails.Guardrail{guardrails.RateLimit(1e9, time.Second)}, nil, 18},
		"a listener": {nil, func(d *events.Dispatcher) {
			events.Listen(d, func(context.Context, events.Called) {})
		}, 16},
		"a listener to something else": {nil, func(d *events.Dispatcher) {
			events.Listen(d, func(context.Context, events.Started) {})
		}, 13},
	} {
		app := mcp.New(mcp.Config{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
		app.Router.Web("/mcp", &guardedGate{guardrails: tt.guardrails})
		if tt.listen != nil {
			tt.listen(app.Events)
		}
		handler, err := app.Handler()
		if err != nil {
			t.Fatal(err)
		}
		n := allocations(t, handler, call, header)
		t.Logf("%s: %v allocations", name, n)
		if n > tt.most {
			t.Errorf("with %s, a call allocates %v times, want at most %v", name, n, tt.most)
		}
	}
}

// A typedAdd has the arguments and the result of addFunction as types.
type typedAdd struct {
	tools.Typed[addends, addition]
}

type (
	addends struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	addition struct {
		Sum int `json:"sum"`
	}
)

func (*typedAdd) Name() string        { return "typed" }
func (*typedAdd) Description() string { return "Adds." }

func (*typedAdd) Call(_ context.Context, _ *tools.Request, arguments addends) (addition, error) {
	return addition{arguments.A + arguments.B}, nil
}

// TestAllocationsOfTypedTools limits the cost of arguments and results that are Go types.
func TestAllocationsOfTypedTools(t *testing.T) {
	function := tools.Func("function", "Adds.", func(_ context.Context, in addends) (addition, error) { return addition{in.A + in.B}, nil })
	handler := wireHandler(t, mcp.Config{}, boxOf(&typedAdd{}, function))
	const most = 11
	for _, name := range []string{"typed", "function"} {
		n := allocations(t, handler, modernCall(`7`, name, `{"a":1,"b":2}`), http.Header{
			"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {name},
		})
		t.Logf("%s: %v allocations", name, n)
		if n > most {
			t.Errorf("a call of the tool %s allocates %v times, want at most %v", name, n, most)
		}
	}
}

// TestAllocationsOfAGuard limits the cost of a guard once it knows the token.
func TestAllocationsOfAGuard(t *testing.T) {
	const unguarded, most = 11, 4
	issuer := authtest.For(t, authtest.Keycloak)
	for name, tt := range map[string]struct {
		verifier auth.Verifier
		token    string
	}{
		"JWT":    {auth.JWT(auth.Issuer{URL: issuer.URL()}), issuer.Token("http://127.0.0.1:8080/mcp", authtest.Scopes("mcp:use"))},
		"Static": {tokens(), "ana-token"},
	} {
		handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) { router.Web("/mcp", &gateServer{}).Guard(auth.Bearer(tt.verifier, "mcp:use")) })
		header := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}, "Authorization": {"Bearer " + tt.token}}
		n := allocations(t, handler, modernCall(`7`, "echo", gateArguments), header)
		t.Logf("%s: %v allocations", name, n)
		if n > unguarded+most {
			t.Errorf("behind %s, a call allocates %v times, want at most %v", name, n, unguarded+most)
		}
	}
}

type guardedGate struct {
	gateServer
	guardrails []guardrails.Guardrail
}

func (g *guardedGate) Guardrails() []guardrails.Guardrail { return g.guardrails }

// TestAllocationsOfALine limits the cost of a call on stdio.
func TestAllocationsOfALine(t *testing.T) {
	const mostOfALine = 11
	mallocs := func(lines int) uint64 {
		app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
		app.Router.Local("echo", &gateServer{})
		in := strings.NewReader(strings.Repeat(modernCall(`7`, "echo", gateArguments)+"\n", lines))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if code := app.Run(t.Context(), []string{"start", "echo"}, in, io.Discard, io.Discard); code != 0 {
			t.Fatalf("the exit code is %d", code)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	// A garbage collection would empty the pools; a busy machine has more of them.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	mallocs(100)
	// On a busy machine another goroutine takes over reading, which allocates too.
	least := func(lines int) float64 {
		n := mallocs(lines)
		for range 5 {
			n = min(n, mallocs(lines))
		}
		return float64(n)
	}
	n := math.Round((least(3000) - least(1000)) / 2000)
	for tries := 0; n > mostOfALine && tries < 5; tries++ {
		n = math.Round((least(3000) - least(1000)) / 2000)
	}
	t.Logf("a line: %v allocations", n)
	if n > mostOfALine {
		t.Errorf("a line allocates %v times, want at most %v", n, mostOfALine)
	}
}

// A body allocates little more than its bytes, and nothing before the client sends it.
func TestABodyAllocatesItsLength(t *testing.T) {
	handler := wireHandler(t, mcp.Config{}, &gateServer{})
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping","x":"` + strings.Repeat("x", 4<<20-100) + `"}`
	header := http.Header{"Content-Type": {"application/json"}, "Mcp-Session-Id": {(&wireClient{handler: handler}).open(t, "2025-11-25").session}}
	for name, tt := range map[string]struct {
		body   string
		length int64
		most   uint64
	}{
		"a large one":             {ping, int64(len(ping)), 2*uint64(len(ping)) + 128<<10},
		"one that does not come":  {ping[:5000], int64(len(ping)), 96 << 10},
		"a large one in chunks":   {ping, -1, 4 * uint64(len(ping))},
		"the beginning in chunks": {ping[:5000], -1, 32 << 10},
	} {
		taken := uint64(math.MaxUint64)
		for range 5 { // allows for other allocations at the same time
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8080/mcp", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			r.RemoteAddr, r.Header, r.ContentLength = "127.0.0.1:1234", header, tt.length
			w := &sink{header: http.Header{}}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			handler.ServeHTTP(w, r)
			runtime.ReadMemStats(&after)
			taken = min(taken, after.TotalAlloc-before.TotalAlloc)
			if complete := len(tt.body) == len(ping); complete != (w.status == http.StatusOK) {
				t.Errorf("%s: the status is %d", name, w.status)
			}
		}
		if taken > tt.most {
			t.Errorf("%s takes %d KiB, want %d at most", name, taken>>10, tt.most>>10)
		}
	}
}
