package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// ResourceUpdated notifies the clients that have subscribed to a resource.
func (s *Server) ResourceUpdated(uri string) {
	if !s.core.ResourceUpdated(uri) {
		s.config.Logger.Warn("ResourceUpdated was called with a URI that the server doesn't have; no client is notified", "server", s.what, "uri", uri)
	}
}

// VisibilityChanged notifies all clients that they may see other items than before.
func (s *Server) VisibilityChanged() { s.core.VisibilityChanged() }

// VisibilityChangedFor notifies the clients of the principal with an ID.
func (s *Server) VisibilityChangedFor(principal string) { s.core.VisibilityChangedFor(principal) }

// AddMethod registers a request method.
func (s *Server) AddMethod(name string, method func(context.Context, *exchange.Request) (any, error)) error {
	return s.addMethod("", servers.ExtensionMethod{Name: name, Handle: method, AnyClient: true})
}

// addMethod registers a request method, of an extension unless its identifier is "".
func (s *Server) addMethod(extension string, method servers.ExtensionMethod) error {
	if method.Name == "" || method.Handle == nil {
		return errors.New("a method needs a name, such as \"acme/reindex\", and a function")
	}
	what := "the method " + naming.Printable(method.Name)
	operation, around := s.withGuardrails(plainOperation{
		kind: guardrails.Method, key: method.Name, own: method.Guardrails, timeout: method.Timeout, asks: method.Asks,
		do: func(ctx context.Context, k *call.Call) (call.Result, error) {
			handled := exchange.Request(request.New(k))
			result, err := method.Handle(ctx, &handled)
			if err != nil {
				return nil, err
			}
			encoded, err := encodeObject(result)
			return &protocol.Object{JSON: encoded}, Within("the result of "+naming.Printable(method.Name), err)
		},
	})
	operation.Key = "" // the log has the method
	added := &protocol.Method{
		Name: method.Name, Kind: chain.Method, Mirrored: method.Mirrors, Operation: operation,
		Visible: s.guarded(method.Name, method.VisibleTo, around.Allowed),
	}
	if !method.AnyClient {
		added.Extension = extension
	}
	problem := errors.Join(checkTimeout(method.Timeout), s.checkOwn(what, method.Guardrails, chain.Method))
	if problem != nil {
		return Within(what, problem)
	}
	if err := s.core.AddMethod(added); err != nil {
		return fmt.Errorf("%s: %w: the protocol or the server already has a method of that name; choose another name", what, err)
	}
	return nil
}

// encodeObject encodes a value that must be a JSON object. Nil is an empty object.
func encodeObject(v any) ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}
	encoded, err := codec.Marshal(v)
	switch of := spec.Lookup(encoded, "resultType"); {
	case err != nil:
	case encoded[0] != '{':
		err = fmt.Errorf("it must encode as a JSON object, not as %.20s", encoded)
	case of != nil && string(of) != `"complete"`:
		err = fmt.Errorf("it has the resultType %.40s; return an exchange.TypedResult of this type as the error", of)
	}
	return encoded, err
}

// AddNotification registers a listener for a notification.
func (s *Server) AddNotification(name string, listener func(context.Context, *exchange.Request) error) error {
	if name == "" || listener == nil {
		return errors.New("a notification needs a name, such as \"notifications/acme/opened\", and a function")
	}
	err := s.core.AddListener(name, func(ctx context.Context, k *call.Call) {
		handled := exchange.Request(request.New(k))
		if err := listener(ctx, &handled); err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
			s.config.Logger.ErrorContext(ctx, "the listener of a notification failed", "method", name, "error", err)
		}
	})
	if err != nil {
		return fmt.Errorf("the notification %s: %w: the framework handles it itself, or the server already has a listener for it", naming.Printable(name), err)
	}
	return nil
}

// AddCapability declares an experimental capability or an extension.
func (s *Server) AddCapability(name string, value any) error {
	path, in := strings.Split(name, "."), &s.experimental
	if strings.Contains(name, "/") {
		path, in = []string{name}, &s.extensions
	}
	encoded, err := codec.Marshal(value)
	switch {
	case slices.Contains(path, ""):
		return fmt.Errorf("the capability %s: a capability needs a name, such as \"customFeature.enabled\", with no part empty", naming.Printable(name))
	case err != nil:
		return fmt.Errorf("the capability %s: %w", naming.Printable(name), err)
	case len(path) == 1 && string(encoded) == "true":
		value = map[string]any{} // in the protocol, capabilities are objects
	case len(path) == 1 && encoded[0] != '{':
		return fmt.Errorf("the capability %s: it must be true or a JSON object, not %.20s", naming.Printable(name), encoded)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if *in == nil {
		*in = map[string]any{}
	}
	if err := setPath(*in, path, value); err != nil {
		return fmt.Errorf("the capability %s: %w", naming.Printable(name), err)
	}
	experimental, err := encodeOrNil(s.experimental)
	extensions, err2 := encodeOrNil(s.extensions)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	s.core.Declare(experimental, extensions)
	return nil
}

// setPath sets a member of nested objects.
func setPath(object map[string]any, path []string, value any) error {
	for ; len(path) > 1; path = path[1:] {
		next, ok := object[path[0]].(map[string]any)
		if object[path[0]] != nil && !ok {
			return fmt.Errorf("%s already has a value, so it can't contain others", naming.Printable(path[0]))
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
