package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// served runs the command serve of an app while fn sends requests to it.
func served(t *testing.T, app *mcp.App, fn func(*probe)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	addresses, ended := make(chan string, 1), make(chan int, 1)
	app.Events = &events.Dispatcher{} // drops the listeners of an earlier run
	events.Listen(app.Events, func(_ context.Context, event events.Started) { addresses <- event.Address })
	go func() { ended <- app.Run(ctx, []string{"serve"}, nil, io.Discard, t.Output()) }()
	select {
	case address := <-addresses:
		fn(probeHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { forward(t, "http://"+address+"/mcp", w, r) }), "/mcp"))
	case code := <-ended:
		t.Fatalf("serve ended with %d", code)
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("serve ended with %d", code)
	}
}

func TestAnAppThatHasStoppedServesAgain(t *testing.T) {
	t.Parallel()
	boots, box := 0, boxOf(saying("hello", "Hello."))
	box.boot = func(context.Context) error {
		boots++
		return nil
	}
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:0"})
	app.Router.Web("/mcp", box)
	if err := app.Validate(); err != nil {
		t.Fatal(err)
	}
	for run := range 3 {
		served(t, app, func(p *probe) {
			if r := p.call("hello", nil); r.status != 200 {
				t.Errorf("run %d: the call gets %d %s", run, r.status, r.body)
			}
			if err := box.AddTool(saying("late", "Late.")); err != nil {
				t.Errorf("run %d: %v", run, err)
			}
			if names := p.ask("tools/list", nil).names(); names != "hello late" {
				t.Errorf("run %d: the list is %s", run, names)
			}
		})
		if err := box.AddTool(saying("later", "")); err == nil {
			t.Errorf("run %d: a server that has stopped takes a tool", run)
		}
	}
	if boots != 3 {
		t.Errorf("the server booted %d times, want once for each run", boots)
	}
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	if r := probeHandler(t, handler, "/mcp").call("hello", nil); r.status != 200 {
		t.Errorf("Handler answers %d %s after the last run", r.status, r.body)
	}
}

func TestAServerBelongsToOneApp(t *testing.T) {
	t.Parallel()
	const want = "the server toolbox is already served by another App or a function such as mcp.Handler; give each its own server value"
	box := boxOf(saying("hello", "Hello."))
	first, second := mcp.New(mcp.Config{Addr: "127.0.0.1:0"}), mcp.New(mcp.Config{Addr: "127.0.0.1:0", MaxBody: 10})
	first.Router.Web("/mcp", box)
	second.Router.Web("/mcp", box)
	if err := first.Validate(); err != nil {
		t.Fatal(err)
	}
	wants(t, "Validate of the second app", second.Validate(), want)
	func() {
		defer func() { wants(t, "Handler", fmt.Errorf("%v", recover()), want) }()
		mcp.Handler(box)
	}()
	if err := mcp.Validate(box); err != nil {
		t.Errorf("Validate of a server that is served: %v", err)
	}
	served(t, first, func(*probe) {})
	if err := second.Validate(); err != nil {
		t.Errorf("the first app has stopped, and the second can't have the server: %v", err)
	}
	wants(t, "Validate of the first app", first.Validate(), want)
}

func TestHandlersOfOneServerShareIt(t *testing.T) {
	t.Parallel()
	box := boxOf()
	handlers := []http.Handler{mcp.Handler(box), mcp.Handler(box)}
	if err := box.AddTool(saying("hello", "Hello.")); err != nil {
		t.Fatal(err)
	}
	for _, handler := range handlers {
		if text, _ := probeHandler(t, handler, "/").call("hello", nil).text(); text != "Hello." {
			t.Errorf("the tool returns %q", text)
		}
	}
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", box)
	wants(t, "Validate of an app", app.Validate(), "the server toolbox is already served")
}
