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
	"github.com/bowline-mcp/bowline/internal/call"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// isNil reports whether a thing that is to be registered is not there.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return v == nil || value.Kind() == reflect.Pointer && value.IsNil()
}

// made is a thing that a function such as tools.New has made.
type made interface {
	Constructor() (name string, complete bool)
}

func isMade(thing any) bool {
	_, ok := thing.(made)
	return ok
}

// origin is what a thing was made by, for messages: its type, or a function such as
// tools.New.
func origin(thing any) string {
	if made, ok := thing.(made); ok {
		name, _ := made.Constructor()
		return name
	}
	return fmt.Sprintf("%T", thing)
}

// checkMade returns what is wrong with a thing that a function made of no function.
func checkMade(thing any) error {
	if made, ok := thing.(made); ok {
		if name, complete := made.Constructor(); !complete {
			return fmt.Errorf("it has no function to call; give %s one", name)
		}
	}
	return nil
}

// A named thing says what it is called.
type named interface {
	Name() string
	Title() string
}

// names returns the name and the title of a thing, which a type's name stands for.
func names(thing named) (name, title string) {
	if isMade(thing) {
		return thing.Name(), thing.Title()
	}
	return naming.NameOf(thing), orElse(thing.Title(), naming.Headline(naming.TypeName(thing)))
}

func orElse(value, orElse string) string {
	if value == "" {
		return orElse
	}
	return value
}

// checkTimeout refuses a time that no operation can keep.
func checkTimeout(timeout time.Duration) error {
	if timeout < 0 {
		return fmt.Errorf("its Timeout is %v; it must be more than 0, or 0 for the server's", timeout)
	}
	return nil
}

// item returns what all kinds of things have in common.
func (s *Server) item(operation *call.Operation, definition []byte, thing any, around *guards) protocol.Item {
	return protocol.Item{
		Key: operation.Key, Definition: definition, Visible: s.visibility(operation.Key, thing, around.Allowed),
		Origin: origin(thing), Operation: operation,
	}
}

// taken says of a thing that another has its place, which is such as "a tool of that
// name", and what to do.
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

// rescue turns a panic of what is registered into a problem. Most come from a base that
// is embedded as a pointer, which is nil.
func rescue(problem *error, what, base string) {
	if value := recover(); value != nil {
		*problem = fmt.Errorf("%s panics while it is registered: %v (does it embed %s by value?)\n%s", what, value, base, debug.Stack())
	}
}

// visibility returns what shows or hides a thing: its method VisibleTo, and the
// permissions around it; nil if there is neither. If one panics, the thing is hidden.
func (s *Server) visibility(key string, thing any, allowed func(context.Context) bool) func(context.Context) bool {
	shown := allowed
	if own := visibleTo(thing); own != nil {
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

// checkIcons finds icons that no client would show.
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
				problems = append(problems, fmt.Errorf("the size %q of the icon %.60q must be such as 48x48, or any", size, icon.Src))
			}
		}
	}
	return errors.Join(problems...)
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// Within says of each problem where it is.
func Within(where string, problem error) error {
	if problem == nil {
		return nil
	}
	joined, ok := problem.(interface{ Unwrap() []error }) // only what errors.Join has made, at the top
	if !ok || errors.Join(joined.Unwrap()...).Error() != problem.Error() {
		return fmt.Errorf("%s: %w", where, problem)
	}
	problems := slices.Clone(joined.Unwrap())
	for i := range problems {
		problems[i] = Within(where, problems[i])
	}
	return errors.Join(problems...)
}
