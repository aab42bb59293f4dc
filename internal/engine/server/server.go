// Package server compiles the servers of a program for the engine, once at boot. It reads
// the definitions of tools, resources and prompts, and reports all their mistakes. It turns
// each handler, inside its guardrails, into an operation of package call. The operation
// checks the input, calls the handler, and encodes the result or explains the error.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/clientrules"
	"github.com/bowline-mcp/bowline/internal/engine/attachment"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
	"github.com/bowline-mcp/bowline/internal/engine/fields"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/seal"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Config holds the configuration that the servers of a program share.
type Config struct {
	Owner           any    // identifies the program; a server has only one owner
	Handle          string // under which clients install the server, "" if it isn't known
	Number          int    // which server of the program it is, since several servers may have the same name
	Versions        spec.Versions
	Timeout         time.Duration // how long a call may take
	Debug           bool          // whether to send unexpected errors to clients
	CoerceArguments bool
	Depth           int // levels of nesting in arguments, 0 for as many as the validator allows
	Validator       tools.Validator
	Lifecycle       *call.Lifecycle
	Seal            *seal.Ring
	Address         func(*http.Request) netip.Addr
	Shares          *throttle.Shares
	Events          *dispatch.Dispatcher // nil if there can't be listeners
	Logger          *slog.Logger
}

// A Server is a compiled server of the program.
type Server struct {
	config     Config
	core       *protocol.Core
	what       string // describes the server in messages
	name       string
	title      string
	website    string
	guardrails []guardrails.Guardrail
	cacheHints cacheHints
	fields     fields.Check

	lock          sync.Mutex
	scoped        string              // what needs scopes first, "" if nothing does
	required      map[string]string   // the scopes that are always needed, to what needs each first
	issuable      map[string][]string // the scopes of tokens, by the guarded web route
	unguarded     string              // a web route that has no guard, "" if there is none
	experimental  map[string]any
	extensions    map[string]any
	added         *extensions
	resourceNames map[string]string // maps a name to the URI of the last resource with it

	ignored  []string              // the rules of clients that don't count
	refusals []clientrules.Finding // what clients refuse in the tools that the server was opened with
	isOpen   atomic.Bool           // whether those are known
}

var _ attachment.Engine = (*Server)(nil)

// ErrServed is the error for a server that was opened for another owner.
var ErrServed = errors.New("is already served by another App or a function such as mcp.Handler; give each its own server value")

// Open compiles a server and boots it, or returns all its mistakes. If it is already open
// for the same owner, Open returns the compiled server.
func Open(server servers.Interface, config Config) (_ *Server, problem error) {
	if problem := Check(server); problem != nil {
		return nil, problem
	}
	s := &Server{config: config, what: "the server " + naming.Label(server), required: map[string]string{}, issuable: map[string][]string{}}
	s.added, s.cacheHints.server = newExtensions(s), s
	opened, closed := false, func() {}
	defer func() {
		if value := recover(); value != nil {
			problem = fmt.Errorf("%s panics while it is registered: %v (does it embed servers.Server by value?)\n%s", s.what, value, debug.Stack())
		}
		if problem != nil && opened {
			Close(server, s)
		}
		closed()
	}()
	closed = attachment.Open(server) // a base that is a nil pointer panics
	problem = s.newCore(server)
	have, isNew := attachment.Attach(server, s)
	if !isNew {
		other := have.(*Server)
		if other.config.Owner != config.Owner {
			return nil, fmt.Errorf("%s %w", s.what, ErrServed)
		}
		return other, nil
	}
	opened = true
	problems := []error{problem, registration{s, place{set: setWhereMade}}.checkFields(server)}
	problems = append(problems, addListed(s, server)...)
	extensions := server.Extensions()
	for _, extension := range extensions {
		problems = append(problems, Within(s.what, s.added.add(extension)))
	}
	problems = append(problems, Within(s.what+": Boot", server.Boot(context.Background())), Within(s.what, s.fields.All()))
	s.core.Opened()
	if err := errors.Join(problems...); err != nil {
		return s, err
	}
	for _, extension := range extensions {
		if err := s.added.start(extension); err != nil {
			return s, Within(s.what, err)
		}
	}
	s.checkClients()
	if len(s.core.Origins()) == 0 && !s.core.HasMethods() {
		config.Logger.Warn("a server has no tools, resources, prompts or methods, so clients can do nothing with it; list some in its Tools, Resources or Prompts", "server", s.what)
	}
	return s, nil
}

// Close closes a server, so that it can be opened again.
func Close(server servers.Interface, s *Server) {
	attachment.Detach(server, s)
	s.added.close()
}

// Check returns an error if server isn't a pointer to a server.
func Check(server servers.Interface) error {
	if value := reflect.ValueOf(server); server == nil || value.Kind() != reflect.Pointer || value.IsNil() {
		return errors.New("there is no server; give a pointer to one, such as &servers.DemoServer{}")
	}
	return nil
}

// Core returns the core that serves the server's messages.
func (s *Server) Core() *protocol.Core { return s.core }

// Lifecycle returns the lifecycle that the server was opened with.
func (s *Server) Lifecycle() *call.Lifecycle { return s.config.Lifecycle }

// Title returns the server's title.
func (s *Server) Title() string { return s.title }

// Website returns the URL of the server's website, "" if it has none.
func (s *Server) Website() string { return s.website }

// newCore sets the core of a server. It returns the mistakes in the server itself.
func (s *Server) newCore(server servers.Interface) error {
	name, title := names(naming.Server, server)
	s.name, s.title, s.website, s.guardrails = name, title, server.Website(), server.Guardrails()
	s.ignored = server.IgnoredRules()
	problems := []error{
		Within(s.what, checkGuardrails(s.guardrails, chain.All)), Within(s.what, checkHooks(server)), s.checkMade(server),
		Within(s.what, checkIgnored(s.ignored)), Within(s.what, s.cacheHints.set(server.CacheHint())),
	}
	size, most := server.PageSize(), server.MaxPageSize()
	if size < 1 || size > limits.MaxPageSize || most < size || most > limits.MaxPageSize {
		problems = append(problems, fmt.Errorf("%s: PageSize is %d and MaxPageSize is %d; they must be 1 to %d, the second no less than the first", s.what, size, most, limits.MaxPageSize))
	}
	info, err := codec.Marshal(exchange.Client{
		Name: name, Title: title, Version: cmp.Or(server.Version(), programVersion()),
		Description: server.Description(), WebsiteURL: server.Website(), Icons: server.Icons(),
	})
	problems = append(problems, Within(s.what, checkIcons(server.Icons())), err)
	config := protocol.Config{
		Server: &call.Server{
			Scope: fmt.Sprintf("%d %s", s.config.Number, name), Info: spec.NewServerInfo(info), Timeout: s.config.Timeout,
			Lifecycle: s.config.Lifecycle, Seal: s.config.Seal, Address: s.config.Address, Shares: s.config.Shares, Listening: s.config.Events.Listening, Over: s.over, Typed: s.added.typed,
			Principal: owner, Logger: s.config.Logger.With("server", name),
		},
		Versions: s.config.Versions, Instructions: server.Instructions(), PageSize: size, MaxPageSize: most, CacheHint: s.cacheHints.hint,
	}
	if !chain.New(opened(s.guardrails), chain.List, "").Empty() {
		config.List = func(do protocol.Do) *call.Operation {
			operation, _ := s.withGuardrails(plainOperation{kind: guardrails.List, do: do})
			return operation
		}
	}
	s.core = protocol.New(config)
	return errors.Join(problems...)
}

// checkMade returns an error for a server that servers.New made without a name, since there
// is no type to derive one from.
func (s *Server) checkMade(server servers.Interface) error {
	if isMade(server) && s.name == "" {
		return fmt.Errorf("%s: its name is empty; set the field Name of the servers.Definition", s.what)
	}
	return nil
}

// owner identifies whom the state of a request belongs to: the principal, at one resource.
// A token for another resource of the program doesn't give access to the state.
func owner(ctx context.Context) string {
	id := exchange.PrincipalFrom(ctx).ID
	if authorization := protected.AuthorizationFrom(ctx); authorization != nil {
		return id + " at " + authorization.Resource()
	}
	return id
}

// programVersion returns the version of the main module from the build info.
func programVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "0.0.0"
}
