package server

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// isNil reports whether v is nil or a nil pointer.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return v == nil || value.Kind() == reflect.Pointer && value.IsNil()
}

// made is implemented by the values that functions such as tools.New return.
type made interface {
	Constructor() (name string, complete bool)
}

func isMade(thing any) bool {
	_, ok := thing.(made)
	return ok
}

// origin describes where an item comes from: its type, or the function such as tools.New
// that made it.
func origin(thing any) string {
	if made, ok := thing.(made); ok {
		name, _ := made.Constructor()
		return name
	}
	return fmt.Sprintf("%T", thing)
}

// checkMade returns an error if tools.New or a similar function was called with a nil
// function.
func checkMade(thing any) error {
	if made, ok := thing.(made); ok {
		if name, complete := made.Constructor(); !complete {
			return fmt.Errorf("it has no function to call; give %s one", name)
		}
	}
	return nil
}

// names returns the name and the title of an item. The name defaults to its type's,
// and the title to the name, unless a function such as tools.New made the item.
func names(kind naming.Kind, thing naming.Thing) (name, title string) {
	if isMade(thing) {
		return thing.Name(), thing.Title()
	}
	return kind.NameOf(thing), kind.TitleOf(thing)
}

// checkTimeout refuses a negative timeout.
func checkTimeout(timeout time.Duration) error {
	if timeout < 0 {
		return fmt.Errorf("its Timeout is %v; it must be positive, or 0 for the server's Timeout", timeout)
	}
	return nil
}

// item returns the fields that tools, resources and prompts share. The hint limits that of lists.
func (s *Server) item(operation *call.Operation, definition []byte, thing any, around *guardrailChain, hint exchange.CacheHint) protocol.Item {
	return protocol.Item{
		Key: operation.Key, Definition: definition, Visible: s.visibility(operation.Key, thing, around.Allowed),
		Origin: origin(thing), Operation: operation, CacheHint: hint,
	}
}

// taken returns the error for an item that the server already has, such as "a tool of that
// name".
func taken(what string, thing any, err error, place, fix string) error {
	from, other := origin(thing), ""
	if duplicate, ok := errors.AsType[*protocol.DuplicateError](err); ok {
		other = duplicate.Other.Origin
	}
	if from == other {
		fix = "drop one of them, or " + fix
	}
	return fmt.Errorf("%s (%s): %w: the server has %s already (%s); %s", what, from, err, place, other, fix)
}

// rescue turns a panic during registration into a problem. The usual cause is a base that is
// embedded as a nil pointer.
func rescue(problem *error, what, base string) {
	if value := recover(); value != nil {
		*problem = fmt.Errorf("%s panics while it is registered: %v (does it embed %s by value?)\n%s", what, value, base, debug.Stack())
	}
}

// visibility returns the function that decides whether a client sees an item. It calls
// VisibleTo and the permissions among the guardrails. It is nil if there are neither. If one
// of them panics, the item is hidden.
func (s *Server) visibility(key string, thing any, allowed func(context.Context) bool) func(context.Context) bool {
	return s.guarded(key, visibleTo(thing), allowed)
}

// guarded returns the function that reports whether both own, which may be nil, and the
// permissions show an item.
func (s *Server) guarded(key string, own, allowed func(context.Context) bool) func(context.Context) bool {
	shown := allowed
	if own != nil {
		shown = func(ctx context.Context) bool { return own(ctx) && (allowed == nil || allowed(ctx)) }
	}
	if shown == nil {
		return nil
	}
	return func(ctx context.Context) (visible bool) {
		defer func() {
			if value := recover(); value != nil {
				s.config.Logger.ErrorContext(ctx, "VisibleTo or a permission panicked; hiding the item", "item", key,
					"panic", fmt.Sprint(value), "stack", string(debug.Stack()))
			}
		}()
		return shown(ctx)
	}
}

// checkIcons returns an error for each icon that clients would not show.
func checkIcons(icons []content.Icon) error {
	var problems []error
	for _, icon := range icons {
		if !strings.HasPrefix(icon.Src, "https://") && !strings.HasPrefix(icon.Src, "data:") {
			problems = append(problems, fmt.Errorf("the icon %.60q must be an https: or data: URI", icon.Src))
		}
		if icon.Theme != "" && icon.Theme != "light" && icon.Theme != "dark" {
			problems = append(problems, fmt.Errorf("the theme of the icon %.60q must be light or dark, not %q", icon.Src, icon.Theme))
		}
		for _, size := range icon.Sizes {
			if width, height, ok := strings.Cut(size, "x"); size != "any" && (!ok || !digits(width) || !digits(height)) {
				problems = append(problems, fmt.Errorf("the size %q of the icon %.60q must look like 48x48, or be any", size, icon.Src))
			}
		}
	}
	return errors.Join(problems...)
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// Within prefixes each problem with its location.
func Within(where string, problem error) error {
	if problem == nil {
		return nil
	}
	joined, ok := problem.(interface{ Unwrap() []error }) // split only errors of errors.Join
	if !ok || errors.Join(joined.Unwrap()...).Error() != problem.Error() {
		return fmt.Errorf("%s: %w", where, problem)
	}
	problems := slices.Clone(joined.Unwrap())
	for i := range problems {
		problems[i] = Within(where, problems[i])
	}
	return errors.Join(problems...)
}
