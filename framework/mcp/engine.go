package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/transport"
)

// An engine is a server's core, and what turns the server's types into what the
// core understands.
type engine struct {
	config     Config
	core       *protocol.Core
	wing       transport.Wing // nil when no version with a handshake is spoken
	what       string         // the server, for messages
	name       string         // of the server
	guardrails []guardrails.Guardrail
	events     *events.Dispatcher // nil if nobody can listen
	app        *App               // that it serves for, nil for functions such as Handler

	lock          sync.Mutex
	experimental  map[string]any
	extensions    map[string]any
	resourceNames map[string]string // the URI of the resource that had a name last
}

// errServed is returned for a server that serves with another configuration already.
var errServed = errors.New("is served already, by another App or by a function such as mcp.Handler; give each a server value of its own")

// open registers a server, boots it, and returns its engine, or everything that is
// wrong. The functions that have no configuration share the engine of a server.
func open(b *booter, server servers.Interface) (_ *engine, problem error) {
	if problem := isServer(server); problem != nil {
		return nil, problem
	}
	what, opened := "the server "+naming.TypeName(server), (*engine)(nil)
	defer func() {
		if value := recover(); value != nil {
			problem = fmt.Errorf("%s panics while it is registered: %v (does it embed servers.Server by value?)\n%s", what, value, debug.Stack())
		}
		if problem != nil && opened != nil {
			servers.Close(server, opened)
		}
	}()
	e := &engine{config: b.config, what: what, events: b.events, app: b.app}
	core, problem := e.newCore(b, server)
	e.core, e.wing = core, b.wing(core)
	if have, isNew := servers.Open(server, e); !isNew {
		other := have.(*engine)
		if other.app != b.app {
			return nil, fmt.Errorf("%s %w", what, errServed)
		}
		return other, nil
	}
	opened = e
	problems := []error{problem}
	for i, tool := range server.Tools() {
		problems = append(problems, within(fmt.Sprintf("%s: tool %d", what, i+1), e.AddTool(tool)))
	}
	for i, resource := range server.Resources() {
		problems = append(problems, within(fmt.Sprintf("%s: resource %d", what, i+1), e.AddResource(resource)))
	}
	for i, prompt := range server.Prompts() {
		problems = append(problems, within(fmt.Sprintf("%s: prompt %d", what, i+1), e.AddPrompt(prompt)))
	}
	problems = append(problems, within(what+": Boot", server.Boot(context.Background())))
	core.Opened()
	return e, errors.Join(problems...)
}

// isServer returns what is wrong with a value that should be a pointer to a server.
func isServer(server servers.Interface) error {
	if value := reflect.ValueOf(server); server == nil || value.Kind() != reflect.Pointer || value.IsNil() {
		return errors.New("there is no server; give a pointer to one, such as &servers.DemoServer{}")
	}
	return nil
}

// newCore returns the core of a server, with what is wrong with the server itself.
func (e *engine) newCore(b *booter, server servers.Interface) (*protocol.Core, error) {
	var problems []error
	name := server.Name()
	if name == "" {
		name = naming.Kebab(naming.TypeName(server))
	}
	e.name, e.guardrails = name, server.Guardrails()
	problems = append(problems, within(e.what, guardrails.Check(e.guardrails)))
	size, most := server.PageSize(), server.MaxPageSize()
	if size < 1 || size > 100 || most < size || most > 100 {
		problems = append(problems, fmt.Errorf("%s: PageSize is %d and MaxPageSize is %d; they must be 1 to 100, the second no less than the first", e.what, size, most))
	}
	problems = append(problems, within(e.what, checkIcons(server.Icons())))
	info, err := codec.Marshal(struct {
		Name string `json:"name"`
		exchange.Client
	}{name, exchange.Client{
		Title: orElse(server.Title(), naming.Headline(naming.TypeName(server))), Version: orElse(server.Version(), programVersion()),
		Description: server.Description(), WebsiteURL: server.Website(), Icons: server.Icons(),
	}})
	problems = append(problems, err)
	return protocol.New(protocol.Config{
		Scope:    fmt.Sprintf("%d %s", len(b.booted), name), // servers may have one name
		Versions: b.versions, Info: info, Instructions: server.Instructions(), Timeout: b.config.CallTimeout,
		PageSize: size, MaxPageSize: most, Lifecycle: b.lifecycle, Seal: b.ring, Address: b.proxies.Client, List: e.lister(), Observer: e,
		Principal: func(ctx context.Context) string { return exchange.PrincipalFrom(ctx).ID }, Logger: b.config.Logger.With("server", name),
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
	if err := e.core.AddTool(compiled); err != nil {
		return taken("the tool "+compiled.Key, tool, err, "a tool of that name", "give one of them another Name")
	}
	return nil
}

// RemoveTool takes a tool out.
func (e *engine) RemoveTool(name string) bool { return e.core.RemoveTool(name) }

// ResourceUpdated tells who has subscribed to a resource.
func (e *engine) ResourceUpdated(uri string) {
	if !e.core.ResourceUpdated(uri) {
		e.config.Logger.Warn("ResourceUpdated of a resource that the server doesn't have: nobody is told", "server", e.what, "uri", uri)
	}
}

// AddMethod registers a request method.
func (e *engine) AddMethod(name string, method servers.Method) error {
	if name == "" || method == nil {
		return errors.New("a method needs a name, such as \"acme/reindex\", and a function")
	}
	err := e.core.AddMethod(name, func(call *protocol.Call) ([]byte, *protocol.Fault) {
		return answer[exchange.Request](call, nil, calling{e, name, method})
	})
	if err != nil {
		return fmt.Errorf("the method %s: %w: the protocol or the server has one of that name; choose a name of your own", name, err)
	}
	return nil
}

// calling asks a method of the user's own.
type calling struct {
	engine *engine
	name   string
	method servers.Method
}

func (c calling) request(link exchange.Link) (exchange.Request, error) {
	return exchange.New(link), nil
}

func (c calling) handle(ctx context.Context, request *exchange.Request) ([]byte, error) {
	result, err := c.method(ctx, request)
	if err != nil {
		return nil, err
	}
	encoded, err := encodeObject(result)
	return encoded, within("the result of "+c.name, err)
}

func (c calling) fault(call *protocol.Call, err error) *protocol.Fault {
	return c.engine.fault(call, err)
}

func (c calling) argument(string) []byte { return nil }

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
		request := exchange.New(newHeard(ctx, a, peer, e.core.Address(a.HTTP)))
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
	path, in := strings.Split(name, "."), &e.experimental
	if strings.Contains(name, "/") {
		path, in = []string{name}, &e.extensions
	}
	encoded, err := codec.Marshal(value)
	switch {
	case slices.Contains(path, ""):
		return fmt.Errorf("the capability %s: a capability needs a name, such as \"customFeature.enabled\", with no part empty", name)
	case err != nil:
		return fmt.Errorf("the capability %s: %w", name, err)
	case len(path) == 1 && string(encoded) == "true":
		value = map[string]any{} // the protocol's capabilities are objects
	case len(path) == 1 && encoded[0] != '{':
		return fmt.Errorf("the capability %s: it must be true or a JSON object, not %.20s", name, encoded)
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	if *in == nil {
		*in = map[string]any{}
	}
	if err := setPath(*in, path, value); err != nil {
		return fmt.Errorf("the capability %s: %w", name, err)
	}
	experimental, err := encodeOrNil(e.experimental)
	extensions, err2 := encodeOrNil(e.extensions)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	e.core.Declare(experimental, extensions)
	return nil
}

// setPath sets a member of nested objects.
func setPath(object map[string]any, path []string, value any) error {
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
