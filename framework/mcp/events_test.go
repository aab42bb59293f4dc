package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// noteEvents records all events of an app.
func noteEvents(app *mcp.App) *diary {
	seen := &diary{}
	operation := func(kind string, o events.Operation, more ...any) {
		seen.note("%s %s %s %s by %q at %s%s", kind, o.Server, o.Method, o.Name, o.Principal.ID, o.Version, fmt.Sprint(more...))
		if o.Took <= 0 {
			seen.note("it took %v", o.Took)
		}
	}
	events.Listen(app.Events, func(_ context.Context, e events.Called) { operation("called", e.Operation) })
	events.Listen(app.Events, func(_ context.Context, e events.Read) { operation("read", e.Operation, " ", e.URI) })
	events.Listen(app.Events, func(_ context.Context, e events.Got) { operation("got", e.Operation) })
	events.Listen(app.Events, func(_ context.Context, e events.Completed) { operation("completed", e.Operation) })
	events.Listen(app.Events, func(_ context.Context, e events.Listed) { operation("listed", e.Operation) })
	events.Listen(app.Events, func(_ context.Context, e events.Canceled) { operation("canceled", e.Operation) })
	events.Listen(app.Events, func(_ context.Context, e events.InputRequired) { operation("asked", e.Operation) })
	events.Listen(app.Events, func(_ context.Context, e events.Refused) { operation("refused", e.Operation, ": ", e.Err) })
	events.Listen(app.Events, func(_ context.Context, e events.Failed) { operation(string(e.Outcome), e.Operation, ": ", e.Err) })
	return seen
}

// heard returns a probe of an app, and its recorded events.
func heard(t *testing.T, config mcp.Config, server servers.Interface) (*probe, *diary) {
	t.Helper()
	app := mcp.New(config)
	app.Router.Web("/mcp", server)
	seen := noteEvents(app)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return probeHandler(t, handler, "/mcp"), seen
}

func TestEveryResultIsAnEvent(t *testing.T) {
	t.Parallel()
	newest, seen := heard(t, mcp.Config{}, guardedBy())
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		p, _ := newest.by("ann").as(version)
		tail := ` by "ann" at ` + version
		for want, ask := range map[string]func(){
			"called office tools/call work" + tail:                                         func() { p.call("work", nil) },
			"read office resources/read docs://rules" + tail + " docs://rules":             func() { p.read("docs://rules") },
			"read office resources/read docs://desks/{owner}" + tail + " docs://desks/ann": func() { p.read("docs://desks/ann") },
			"got office prompts/get letter" + tail:                                         func() { p.ask("prompts/get", params{"name": "letter"}) },
			"completed office completion/complete letter" + tail: func() {
				p.ask("completion/complete", params{"ref": params{"type": "ref/prompt", "name": "letter"}, "argument": params{"name": "to", "value": ""}})
			},
			"listed office tools/list " + tail:               func() { p.ask("tools/list", nil) },
			"listed office resources/list " + tail:           func() { p.ask("resources/list", nil) },
			"listed office resources/templates/list " + tail: func() { p.ask("resources/templates/list", nil) },
			"listed office prompts/list " + tail:             func() { p.ask("prompts/list", nil) },
		} {
			ask()
			if got := seen.read(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		p.ask("server/discover", nil)
		p.ask("acme/unknown", nil)
		if got := seen.read(); got != "" {
			t.Errorf("other methods are the events %q", got)
		}
	}
}

func TestEveryFailureIsAnEventThatSaysWhy(t *testing.T) {
	t.Parallel()
	server := guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		if operation.Kind == guardrails.Get {
			return guardrails.Errorf("No letters.")
		}
		return next(ctx, operation)
	}))
	server.work = func(_ context.Context, r *tools.Request) (tools.Result, error) {
		switch r.String("task") {
		case "panic":
			panic("boom")
		case "isError":
			return tools.Error("Out of paper."), nil
		case "code":
			return nil, &exchange.Error{Code: 7, Message: "No."}
		case "nothing":
			return nil, nil
		}
		return nil, errors.New("the printer burns")
	}
	newest, seen := heard(t, mcp.Config{}, server)
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		p, _ := newest.as(version)
		call := func(task any) func() { return func() { p.call("work", params{"task": task}) } }
		const work = "tools/call work"
		for _, test := range []struct {
			outcome   exchange.Outcome
			what, err string
			ask       func()
		}{
			{"failed", work, "the printer burns", call("any")},
			{"panicked", work, "the handler panicked: boom (events_test.go:101)", call("panic")},
			{"refused", work, "Out of paper.", call("isError")},
			{"refused", work, "No.", call("code")},
			{"failed", work, `Handle returned neither a result nor an error; return a result, such as tools.Text("done")`, call("nothing")},
			{"refused", work, "The arguments of work are not valid:\n- /task: must be a string, got the number 3", call(3)},
			{"refused", "tools/call ", `Unknown tool "worc"; did you mean "work"?`, func() { p.call("worc", nil) }},
			{"refused", "resources/read ", "Resource not found: docs://none", func() { p.read("docs://none") }},
			{"refused", "prompts/get letter", "No letters.", func() { p.ask("prompts/get", params{"name": "letter"}) }},
			{"refused", "tools/list ", "Invalid params: the cursor doesn't belong to this list; start again without a cursor", func() { p.ask("tools/list", params{"cursor": "x"}) }},
		} {
			test.ask()
			if got, want := seen.read(), fmt.Sprintf(`%s office %s by "" at %s: %s`, test.outcome, test.what, version, test.err); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

func TestTheErrorOfAFailureIsTheHandlersOwn(t *testing.T) {
	t.Parallel()
	own := errors.New("the printer burns")
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", boxOf(doing("print", func(context.Context, *tools.Request) (tools.Result, error) {
		return nil, fmt.Errorf("printing: %w", own)
	})))
	var failures []events.Failed
	events.Listen(app.Events, func(_ context.Context, e events.Failed) { failures = append(failures, e) })
	events.Listen(app.Events, func(_ context.Context, e events.Refused) { failures = append(failures, events.Failed(e)) })
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	p := probeHandler(t, handler, "/mcp")
	p.call("print", nil)
	p.call("none", nil)
	if len(failures) != 2 || !errors.Is(failures[0].Err, own) {
		t.Fatalf("got %v", failures)
	}
	if told, ok := errors.AsType[*exchange.Error](failures[1].Err); !ok || told.Code != -32602 {
		t.Errorf("what the client got is %#v", failures[1].Err)
	}
}

func TestATimeoutIsAFailureAndACancellationIsNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		app := mcp.New(mcp.Config{})
		server := guardedBy(guardrails.Timeout(2 * time.Second))
		server.work = func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		app.Router.Web("/mcp", server)
		seen := noteEvents(app)
		late := false
		events.Listen(app.Events, func(_ context.Context, e events.Failed) { late = errors.Is(e.Err, context.DeadlineExceeded) })
		handler, err := app.Handler()
		if err != nil {
			t.Fatal(err)
		}
		p := probeHandler(t, handler, "/mcp")
		p.call("work", nil)
		synctest.Wait() // for the goroutine of the listener
		if got := seen.read(); got != `timed out office tools/call work by "" at 2026-07-28: timed out after 2s: the handler hasn't returned` || !late {
			t.Errorf("a timeout is %q", got)
		}
		gone := *p
		var leave context.CancelFunc
		gone.ctx, leave = context.WithCancel(p.ctx)
		time.AfterFunc(time.Second, leave)
		gone.call("work", nil)
		if got := seen.read(); got != `canceled office tools/call work by "" at 2026-07-28` {
			t.Errorf("a client that disconnects is %q", got)
		}
		older, _ := p.as("2025-11-25")
		time.AfterFunc(time.Second, func() { older.tell("notifications/cancelled", params{"requestId": older.ids.Load()}) })
		older.call("work", nil)
		if got := seen.read(); got != `canceled office tools/call work by "" at 2025-11-25` {
			t.Errorf("a cancellation is %q", got)
		}
		time.Sleep(time.Second) // for the watchdogs
	})
}

func TestAQuestionToTheClientIsAnEventOfItsOwn(t *testing.T) {
	t.Parallel()
	server := guardedBy()
	server.work = func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		_, err := r.Ask(ctx, "sure", ask.Confirm("Sure?"))
		return tools.Text("done"), err
	}
	p, seen := heard(t, mcp.Config{}, server)
	able := params{"io.modelcontextprotocol/clientCapabilities": params{"elicitation": params{"form": params{}}}}
	first := p.ask("tools/call", params{"name": "work", "_meta": able})
	var asked struct {
		RequestState string `json:"requestState"`
	}
	first.decode(&asked)
	if got := seen.read(); got != `asked office tools/call work by "" at 2026-07-28` || asked.RequestState == "" {
		t.Errorf("the first round is %q: %s", got, first.body)
	}
	p.ask("tools/call", params{
		"name": "work", "_meta": able, "requestState": asked.RequestState,
		"inputResponses": params{"sure": params{"action": "decline"}},
	})
	if got := seen.read(); !strings.HasPrefix(got, "called office tools/call work") {
		t.Errorf("the second round is %q", got)
	}
}

// The context has the values of the request, but doesn't end with it.
func TestTheContextOfAListenerOutlivesTheRequest(t *testing.T) {
	t.Parallel()
	var log logbook
	app := mcp.New(mcp.Config{Logger: log.logger()})
	app.Router.Web("/mcp", boxOf(saying("hello", "Hello.")))
	var got context.Context
	events.Listen(app.Events, func(ctx context.Context, _ events.Called) { got = ctx })
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	p := probeHandler(t, handler, "/mcp")
	ctx, leave := context.WithCancel(context.WithValue(t.Context(), colour{}, "red"))
	p.ctx = ctx
	p.call("hello", nil)
	leave()
	if got == nil || got.Value(colour{}) != "red" || got.Err() != nil {
		t.Errorf("the context is %v", got)
	}
	exchange.LoggerFrom(got).Info("a listener's line")
	if !regexp.MustCompile(`msg="a listener's line" server=toolbox request=[0-9a-f]{8} principal=anonymous client=probe/1`).MatchString(log.String()) {
		t.Errorf("the line of a listener doesn't name the request:\n%s", log.String())
	}
}

func TestAListenerThatPanicsDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	var log logbook
	app := mcp.New(mcp.Config{Logger: log.logger()})
	app.Router.Web("/mcp", boxOf(saying("hello", "Hello.")))
	events.Listen(app.Events, func(context.Context, events.Called) { panic("secret boom") })
	heard := 0
	events.Listen(app.Events, func(context.Context, events.Called) { heard++ })
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	p := probeHandler(t, handler, "/mcp")
	for range 2 {
		if text, isError := p.call("hello", nil).text(); text != "Hello." || isError {
			t.Errorf("the call returns %s", text)
		}
	}
	if heard != 2 || strings.Count(log.String(), `msg="a listener panicked" event=events.Called panic="secret boom"`) != 2 {
		t.Errorf("the other listener heard %d calls, and the log is\n%s", heard, log.String())
	}
}

func TestListenersCanBeAddedWhileServing(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", boxOf(saying("hello", "Hello.")))
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	p := probeHandler(t, handler, "/mcp")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				p.call("hello", nil)
				events.Listen(app.Events, func(context.Context, events.Called) {})
			}
		})
	}
	wg.Wait()
	heard := false
	events.Listen(app.Events, func(context.Context, events.Called) { heard = true })
	p.call("hello", nil)
	if !heard {
		t.Error("the last listener gets nothing")
	}
}

func TestANilListenerIsFoundAtBoot(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	events.Listen[events.Failed](app.Events, nil)
	wants(t, "Validate", app.Validate(), "a listener for events.Failed is nil; give events.Listen a function")
}

// startsAndStops records both events of a program.
func startsAndStops(app *mcp.App) *diary {
	seen := &diary{}
	events.Listen(app.Events, func(_ context.Context, e events.Started) { seen.note("started %q %q", e.Address, e.Handle) })
	events.Listen(app.Events, func(_ context.Context, e events.Stopped) {
		seen.note("stopped %q %q %t %v", e.Address, e.Handle, e.Took > 0, e.Err)
	})
	return seen
}

func TestServingStdioStartsAndStops(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Local("hello", boxOf(saying("hello", "Hello.")))
	seen := startsAndStops(app)
	app.Run(t.Context(), []string{"start", "hello"}, strings.NewReader(modernCall(`1`, "hello", `{}`)+"\n"), io.Discard, io.Discard)
	if got := seen.read(); got != `started "" "hello"; stopped "" "hello" true <nil>` {
		t.Errorf("got %s", got)
	}
	app.Run(t.Context(), []string{"start", "other"}, strings.NewReader(""), io.Discard, io.Discard)
	if got := seen.read(); got != "" {
		t.Errorf("what did not start is %s", got)
	}
}

func TestServingHTTPStartsAndStops(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:0"})
	app.Router.Web("/mcp", boxOf(saying("hello", "Hello.")))
	seen := startsAndStops(app)
	ctx, stop := context.WithCancel(t.Context())
	events.Listen(app.Events, func(context.Context, events.Started) { stop() })
	if code := app.Run(ctx, []string{"serve"}, nil, io.Discard, io.Discard); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	got := seen.read()
	address, _, _ := strings.Cut(strings.TrimPrefix(got, `started "`), `"`)
	if !strings.HasPrefix(address, "127.0.0.1:") || got != fmt.Sprintf(`started %q ""; stopped %q "" true <nil>`, address, address) {
		t.Errorf("got %s", got)
	}
}
