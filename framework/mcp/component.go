package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"runtime/debug"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/server"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Component is a part of the program beside its servers: it has HTTP endpoints and commands of
// its own, and opens what they need. The authorization server of package auth/oauth is one. A
// panic in one of its methods counts as an error.
type Component interface {
	// Endpoints returns the endpoints of the component, or the mistakes in its configuration.
	// The prefix is the path of Config.URL, decoded and without a slash at its end. It is called
	// when the program starts, validates or lists its routes.
	Endpoints(prefix string) ([]Endpoint, error)

	// Commands returns the commands of the component. They run beside a program that serves, and
	// without Open.
	Commands() []Command

	// Open opens the component. It is called before the program serves over HTTP, and not if it
	// only serves stdio or lists its routes. The context ends when the program begins to stop,
	// while calls still run; what Open starts may run until Close. After an error the program
	// doesn't serve. Close isn't called then, so Open releases what it has opened.
	Open(ctx context.Context, site Site) error

	// Close closes the component, after the program has served. A program may open it again. An
	// error is logged.
	Close() error
}

// An Endpoint is an HTTP endpoint of a component.
type Endpoint struct {
	Path    string // from the root of the host, without parameters
	Handler http.Handler

	// Public means that web pages of every origin may send requests and read the answers, for
	// clients that run in a browser. Otherwise no page of another origin may.
	Public bool

	// MaxBody is how many bytes the body of a request may have. It is read before Handler
	// gets the request. The default is 0: bodies are not read.
	MaxBody int64

	// Weight is how much a request weighs while it runs. Requests of one address run at once if their
	// weights are at most 8 together; the others wait. The default is 4.
	Weight int64

	// Refuse writes the answer to a request that exceeds MaxBody or another limit of the
	// program, such as Config.ClientCalls. The headers are set, such as Retry-After. The
	// default writes the status and the message as text.
	Refuse func(w http.ResponseWriter, r *http.Request, refusal *exchange.Error)
}

// A Site is the program that a component is a part of.
type Site struct {
	// Name is the name of the program, Config.Name.
	Name string

	// URL is Config.URL without a slash at its end, or the loopback address of the program. It
	// is "" if Config.URL isn't set and the program listens on another address.
	URL string

	// Loopback means that only programs on the same machine can reach URL.
	Loopback bool

	// Resource returns the URL of a guarded route as its metadata has it, for the spelling of
	// a client. It returns false if there is no such route.
	Resource func(text string) (resource string, ok bool)

	// Resources are the URLs of the guarded routes without parameters.
	Resources []string

	// Address returns the address of the client of a request; see Config.TrustedProxies.
	Address func(*http.Request) netip.Addr

	// Events is App.Events.
	Events *events.Dispatcher

	Logger *slog.Logger
}

// Component adds a component to the program. Its endpoints are outside of groups and their
// guards and middleware. Components open in the order in which they were added, and close in
// reverse. Two components can't have the same endpoint or command.
func (r *Router) Component(c Component) {
	root := r.root()
	r.warnIfServed("component", fmt.Sprintf("%T", c))
	root.components = append(root.components, component{c, fmt.Sprintf("component %d (%T)", len(root.components)+1, c)})
}

// A component is a component with its name for messages.
type component struct {
	Component
	name string // such as "component 1 (*oauth.Server)"
}

// call calls a method of the component. Its error names the component.
func (c component) call(method string, do func() error) (problem error) {
	if value := reflect.ValueOf(c.Component); c.Component == nil || value.Kind() == reflect.Pointer && value.IsNil() {
		return fmt.Errorf("%s is nil; give Router.Component a value, such as oauth.New(config)", c.name)
	}
	defer func() {
		if value := recover(); value != nil {
			problem = fmt.Errorf("%s panics in %s: %v\n%s", c.name, method, value, debug.Stack())
		}
	}()
	return server.Within(c.name, do())
}

// endpoints returns the endpoints of the component.
func (c component) endpoints(prefix string) (endpoints []Endpoint, problem error) {
	problem = c.call("Endpoints", func() (err error) {
		endpoints, err = c.Endpoints(prefix)
		return err
	})
	return endpoints, problem
}

// commands returns the commands of the component.
func (c component) commands() (commands []Command, problem error) {
	problem = c.call("Commands", func() error {
		commands = c.Commands()
		return nil
	})
	return commands, problem
}

// openComponents opens the components that aren't open yet. If one fails, the booter must be
// closed, which closes the others.
func (b *booter) openComponents(ctx context.Context) error {
	site := Site{
		Name: b.config.Name, Resource: b.public.resource, Resources: b.public.fixed(), Address: b.proxies.Client, Events: b.events,
		Logger: b.config.Logger,
	}
	if text, err := b.url(); err == nil {
		if u, err := url.Parse(text); err == nil { // Config.URL is checked, and so is Config.Addr
			site.URL, site.Loopback = u.String(), naming.IsLoopbackURL(text)
		}
	}
	for _, c := range b.components[len(b.open):] {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("the program was told to stop before %s was open: %w", c.name, err)
		}
		if err := c.call("Open", func() error { return c.Open(ctx, site) }); err != nil {
			return err
		}
		b.open = append(b.open, c)
	}
	return nil
}

// closeComponents closes the components that are open, the last one first.
func (b *booter) closeComponents() {
	for i := len(b.open) - 1; i >= 0; i-- {
		c := b.open[i]
		if err := c.call("Close", c.Close); err != nil {
			b.config.Logger.Error("a component was not closed", "error", err)
		}
	}
	b.open = nil
}
