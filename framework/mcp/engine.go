package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// An engine is a server's core, and what turns the server's types into what the
// core understands.
type engine struct {
	config Config
	core   *protocol.Core
	what   string // the server, for messages

	lock         sync.Mutex
	experimental map[string]any
	extensions   map[string]any
}

// open registers a server, boots it, and returns its engine, or everything that is
// wrong. A server that another route has opened is returned as it is.
func open(b *booter, server servers.Interface) (_ *engine, problem error) {
	value := reflect.ValueOf(server)
	if server == nil || value.Kind() != reflect.Pointer || value.IsNil() {
		return nil, errors.New("a route has no server; give it a pointer to one, such as &servers.DemoServer{}")
	}
	what := "the server " + naming.TypeName(server)
	defer func() {
		if value := recover(); value != nil {
			problem = fmt.Errorf("%s panics while it is registered: %v (does it embed servers.Server by value?)\n%s", what, value, debug.Stack())
		}
	}()
	e := &engine{config: b.config, what: what}
	core, problem := e.newCore(b, server)
	e.core = core
	have, opened := servers.Open(server, e)
	if !opened {
		return have.(*engine), nil
	}
	problems := []error{problem}
	for i, tool := range server.Tools() {
		if err := e.AddTool(tool); err != nil {
			problems = append(problems, fmt.Errorf("%s: tool %d: %w", what, i+1, err))
		}
	}
	if err := server.Boot(context.Background()); err != nil {
		problems = append(problems, fmt.Errorf("%s: Boot: %w", what, err))
	}
	if err := errors.Join(problems...); err != nil {
		servers.Close(server)
		return nil, err
	}
	return e, nil
}

// newCore returns the core of a server, with what is wrong with the server itself.
func (e *engine) newCore(b *booter, server servers.Interface) (*protocol.Core, error) {
	var problems []error
	name := server.Name()
	if name == "" {
		name = naming.Kebab(naming.TypeName(server))
	}
	size, most := server.PageSize(), server.MaxPageSize()
	if size < 1 || size > 100 || most < size || most > 100 {
		problems = append(problems, fmt.Errorf("%s: PageSize is %d and MaxPageSize is %d; they must be 1 to 100, the second no less than the first", e.what, size, most))
	}
	problems = append(problems, checkIcons(e.what, server.Icons()))
	info, err := codec.Marshal(struct {
		Name string `json:"name"`
		exchange.Client
	}{name, exchange.Client{
		Title: orElse(server.Title(), naming.Headline(naming.TypeName(server))), Version: orElse(server.Version(), programVersion()),
		Description: server.Description(), WebsiteURL: server.Website(), Icons: server.Icons(),
	}})
	problems = append(problems, err)
	return protocol.New(protocol.Config{
		Name: name, Versions: b.versions, Info: info, Instructions: server.Instructions(), Timeout: b.config.CallTimeout,
		PageSize: size, MaxPageSize: most, Lifecycle: b.lifecycle, Seal: b.ring, Logger: b.config.Logger.With("server", name),
	}), errors.Join(problems...)
}

// programVersion is the version of the main module, as the go command stamped it.
func programVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "0.0.0"
}

func orElse(value, orElse string) string {
	if value == "" {
		return orElse
	}
	return value
}

// AddTool registers a tool.
func (e *engine) AddTool(tool servers.Tool) error {
	compiled, err := e.compile(tool)
	if err != nil {
		return err
	}
	if err := e.core.AddTools(compiled); err != nil {
		return fmt.Errorf("the tool %s: %w: the server has a tool of that name already; define Name on one of them", compiled.Name, err)
	}
	return nil
}

// RemoveTool takes a tool out.
func (e *engine) RemoveTool(name string) bool { return e.core.RemoveTool(name) }

// AddMethod registers a request method.
func (e *engine) AddMethod(name string, method servers.Method) error {
	if name == "" || method == nil {
		return errors.New("a method needs a name, such as \"acme/reindex\", and a function")
	}
	err := e.core.AddMethod(name, func(call *protocol.Call) ([]byte, *protocol.Fault) {
		state := &methodState{link: link{call: call}}
		defer state.link.cut()
		call.Begin(&state.ctx)
		state.request = exchange.New(&state.link)
		result, err := method(&state.ctx, &state.request)
		if err != nil {
			return nil, e.fault(call, err)
		}
		encoded, err := encodeObject(result)
		if err != nil {
			return nil, e.fault(call, fmt.Errorf("the result of %s: %w", name, err))
		}
		return encoded, nil
	})
	if err != nil {
		return fmt.Errorf("the method %s: %w: the protocol or the server has one of that name; choose a name of your own", name, err)
	}
	return nil
}

// methodState is what a method may keep of its call.
type methodState struct {
	ctx     protocol.Context
	link    link
	request exchange.Request
}

// encodeObject encodes a value that must be a JSON object; nil is an empty one.
func encodeObject(v any) ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}
	encoded, err := codec.Marshal(v)
	if err == nil && encoded[0] != '{' {
		err = fmt.Errorf("it must encode as a JSON object, not as %.20s", encoded)
	}
	return encoded, err
}

// AddNotification registers a listener.
func (e *engine) AddNotification(name string, listener servers.Listener) error {
	if name == "" || listener == nil {
		return errors.New("a notification needs a name, such as \"notifications/acme/opened\", and a function")
	}
	err := e.core.AddListener(name, func(ctx context.Context, a *protocol.Arrival, peer protocol.Peer) {
		request := exchange.New(&heard{a, peer})
		if err := listener(ctx, &request); err != nil {
			e.config.Logger.Error("a notification was not handled", "method", name, "error", err)
		}
	})
	if err != nil {
		return fmt.Errorf("the notification %s: %w: the framework hears it itself, or the server does already", name, err)
	}
	return nil
}

// AddCapability declares a capability that isn't the protocol's.
func (e *engine) AddCapability(name string, value any) error {
	e.lock.Lock()
	defer e.lock.Unlock()
	if _, err := codec.Marshal(value); err != nil || name == "" {
		return fmt.Errorf("the capability %q needs a name and a value that encodes as JSON: %w", name, err)
	}
	if strings.Contains(name, "/") {
		if value == true {
			value = map[string]any{} // settings are an object
		}
		if e.extensions == nil {
			e.extensions = map[string]any{}
		}
		e.extensions[name] = value
	} else {
		if e.experimental == nil {
			e.experimental = map[string]any{}
		}
		if err := setPath(e.experimental, strings.Split(name, "."), value); err != nil {
			return fmt.Errorf("the capability %s: %w", name, err)
		}
	}
	experimental, err := encodeOrNil(e.experimental)
	extensions, err2 := encodeOrNil(e.extensions)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	e.core.Declare(experimental, extensions)
	return nil
}

// setPath sets a member of nested objects. One name alone declares an object, since
// the protocol's capabilities are objects.
func setPath(object map[string]any, path []string, value any) error {
	if len(path) == 1 && value == true {
		value = map[string]any{}
	}
	for ; len(path) > 1; path = path[1:] {
		next, ok := object[path[0]].(map[string]any)
		if object[path[0]] != nil && !ok {
			return fmt.Errorf("%s has a value already, so nothing can be inside it", path[0])
		}
		if next == nil {
			next = map[string]any{}
			object[path[0]] = next
		}
		object = next
	}
	object[path[0]] = value
	return nil
}

func encodeOrNil(object map[string]any) ([]byte, error) {
	if len(object) == 0 {
		return nil, nil
	}
	return codec.Marshal(object)
}
