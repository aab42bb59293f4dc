// This program serves one server as two Apps that share a store, as two processes of a program
// would: one at APP_ADDR, the other at OTHER_ADDR. The tests of peers/interop put a proxy in
// front of both.
//
// It is in the main module, because peers/interop depends on no package of Bowline.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/framework/tools"
)

func main() {
	var both branches
	shared := store.NewMemory()
	one := newApp(env.String("APP_ADDR", "127.0.0.1:3000"), shared, &branch{both: &both, name: "one"})
	other := newApp("", shared, &branch{both: &both, name: "other"})
	handler, err := other.Handler()
	if err == nil {
		err = serve(env.String("OTHER_ADDR", "127.0.0.1:3001"), handler)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := one.Main()
	other.Close()
	os.Exit(code)
}

// newApp returns the App of a process.
func newApp(addr string, shared store.Store, served *branch) *mcp.App {
	served.both.add(served)
	app := mcp.New(mcp.Config{Name: "branches", Addr: addr, Key: []string{"0123456789abcdef0123456789abcdef"}, Store: shared})
	app.Router.Web("/mcp", served)
	return app
}

// serve serves at an address until the program ends.
func serve(addr string, handler http.Handler) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return nil
}

// Branches are the servers of both processes.
type branches struct {
	waiting atomic.Int64 // calls of wait

	lock  sync.Mutex
	names map[string]*branch
}

func (b *branches) add(served *branch) {
	if b.names == nil {
		b.names = map[string]*branch{}
	}
	b.names[served.name] = served
}

// A branch is the server in one process.
type branch struct {
	servers.Server
	both *branches
	name string
}

// Name is the same in both processes.
func (*branch) Name() string { return "branch" }

func (*branch) Resources() []servers.Resource {
	note := resources.Definition{URI: "note://{number}", Name: "note"}
	return []servers.Resource{resources.New(note, func(context.Context, *resources.Request) (resources.Result, error) {
		return resources.Text("a note"), nil
	})}
}

func (b *branch) Tools() []servers.Tool {
	return []servers.Tool{
		tools.Func("where", "Returns which process answers.", b.where),
		tools.New(tools.Definition{Name: "greet", Description: "Asks for a name."}, greet),
		tools.New(tools.Definition{Name: "report", Description: "Closes its connection before it answers."}, report),
		tools.New(tools.Definition{Name: "wait", Description: "Waits until it is canceled."}, b.wait),
		tools.Func("waiting", "Returns how many calls wait in both processes.", b.waiting),
		tools.Func("change-note", "Announces that a note has changed, in one of the processes.", b.changeNote),
		tools.Func("change-tools", "Adds or removes a tool, in one of the processes.", b.changeTools),
	}
}

type nothing struct{}

func (b *branch) where(context.Context, nothing) (string, error) { return b.name, nil }

func greet(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "name", ask.Form("What is your name?", func(form *ask.Fields) { form.String("name").Required() }))
	if err != nil {
		return nil, err
	}
	return tools.Text("Hello, " + answer.String("name") + "!"), nil
}

func report(ctx context.Context, request *tools.Request) (tools.Result, error) {
	request.CloseStream(50 * time.Millisecond)
	select {
	case <-time.After(200 * time.Millisecond):
		return tools.Text("the report"), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (b *branch) wait(ctx context.Context, _ *tools.Request) (tools.Result, error) {
	b.both.waiting.Add(1)
	defer b.both.waiting.Add(-1)
	<-ctx.Done()
	return nil, ctx.Err()
}

func (b *branch) waiting(context.Context, nothing) (string, error) {
	return fmt.Sprint(b.both.waiting.Load()), nil
}

// Change has the arguments of the tools that change something.
type Change struct {
	Process string `json:"process" schema:"description='Where it changes: one or other.'"`
	URI     string `json:"uri,omitempty" schema:"description='What changes.'"`
}

func (b *branch) changeNote(_ context.Context, in Change) (string, error) {
	b.both.names[in.Process].ResourceUpdated(in.URI)
	return "changed", nil
}

func (b *branch) changeTools(_ context.Context, in Change) (string, error) {
	b.both.lock.Lock() // two calls at once don't both add it
	defer b.both.lock.Unlock()
	changed := b.both.names[in.Process]
	if changed.RemoveTool("sometimes") {
		return "removed", nil
	}
	return "added", changed.AddTool(tools.Func("sometimes", "Is there sometimes.", b.where))
}
