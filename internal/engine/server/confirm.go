package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// argumentConfirmed is the name of the argument that tools.Confirmed adds, and the key of
// its question.
const argumentConfirmed = "confirmed"

// A confirmer is a tool that embeds tools.Confirmed.
type confirmer interface {
	Confirmation(ctx context.Context, request *tools.Request) (string, error)
}

// embedsConfirmed reports whether a tool's type embeds tools.Confirmed.
func embedsConfirmed(handler servers.Tool) bool {
	t := reflect.TypeOf(handler)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	field, ok := t.FieldByName("Confirmed")
	return ok && field.Anonymous && field.Type == reflect.TypeFor[tools.Confirmed]()
}

// confirms reports whether the user has to confirm calls of a tool.
func confirms(handler servers.Tool) bool {
	_, ok := handler.(confirmer)
	return ok && embedsConfirmed(handler)
}

// checkConfirmed returns an error if the tool has a method Confirmation that is never called.
func checkConfirmed(handler servers.Tool) error {
	_, asks := reflect.TypeOf(handler).MethodByName("Confirmation")
	switch embeds := embedsConfirmed(handler); {
	case embeds && !confirms(handler):
		return errors.New("the method Confirmation must be: Confirmation(ctx context.Context, request *tools.Request) (string, error)")
	case asks && !embeds:
		return errors.New("it has a method Confirmation, which is only called if the tool embeds tools.Confirmed; embed it, or rename the method")
	}
	return nil
}

// describeConfirmed adds the argument of tools.Confirmed to the schema of a tool.
func describeConfirmed(s *schema.Object) error {
	if has(s, argumentConfirmed) {
		return errors.New("tools.Confirmed adds the argument confirmed itself; remove it")
	}
	s.Boolean(argumentConfirmed).Description("Whether the user has agreed, where the client can't ask. Leave it out, unless told to set it.")
	if !has(s, argumentConfirmed) {
		return errors.New("tools.Confirmed can't add the argument confirmed to a raw schema; " +
			"describe the arguments by calls, or drop tools.Confirmed and call request.Confirm in Handle")
	}
	return nil
}

// has reports whether a schema declares a property.
func has(s *schema.Object, property string) bool {
	encoded, err := s.MarshalJSON()
	return err == nil && spec.Lookup(encoded, "properties", property) != nil
}

// confirm asks the user to confirm a call. It returns nil if Handle may run, and otherwise
// the result to send instead.
func (t *tool) confirm(ctx context.Context, handled *tools.Request) (tools.Result, error) {
	question, err := t.handler.(confirmer).Confirmation(ctx, handled)
	if question == "" && err == nil {
		question, err = confirmation(t.title, handled.Arguments())
	}
	if err != nil {
		return nil, err
	}
	agreed, err := handled.Confirm(ctx, argumentConfirmed, question)
	switch {
	case errors.Is(err, exchange.ErrCannotAsk) && handled.Bool(argumentConfirmed):
		return nil, nil
	case errors.Is(err, exchange.ErrCannotAsk):
		return t.unconfirmed("confirmation_required", question+" Ask the user, then call again with confirmed set to true."), nil
	case err != nil:
		return nil, err
	case !agreed:
		return t.unconfirmed("declined", "The user did not agree. Do not try again unless the user asks for it."), nil
	}
	return nil, nil
}

// unconfirmed returns the result of a call that was not confirmed.
func (t *tool) unconfirmed(status, message string) *tools.CallResult {
	// Structured content would have to match the output schema.
	if t.output != nil {
		return tools.Error(message)
	}
	return tools.Structured(map[string]string{"status": status, "message": message})
}

// confirmation returns the default question. It shows the arguments as JSON, so that the
// user can't mistake them for a part of the question. It truncates texts but omits no
// argument, so that a long one can't hide the others.
func confirmation(title string, arguments []byte) (string, error) {
	var shown []byte
	for _, m := range spec.ParseObject(arguments) {
		if m.Name != argumentConfirmed {
			shown = append(codec.AppendQuote(append(shown, ','), naming.Cut(m.Name, limits.MaxConfirmedText)), ':')
			shown = appendShown(shown, m.Value)
		}
	}
	if shown == nil {
		return fmt.Sprintf("Allow %s?", title), nil
	}
	if n := utf8.RuneCount(shown); n > limits.MaxConfirmed {
		return "", tools.Errorf("The user can't be asked to allow this call: its arguments are too long to show, "+
			"%d characters with long texts truncated, where %d is the maximum. Call again with less.", n, limits.MaxConfirmed)
	}
	return fmt.Sprintf("Allow %s with {%s}?", title, shown[1:]), nil
}

// appendShown appends JSON for the user. It truncates names and texts, and drops white
// space, which could push a part out of sight.
func appendShown(dst []byte, value codec.Value) []byte {
	rest, _ := codec.Compact(value) // it is known to be valid
	for {
		start := bytes.IndexByte(rest, '"')
		if start < 0 {
			return append(dst, rest...)
		}
		end := start + 1
		for ; rest[end] != '"'; end++ {
			if rest[end] == '\\' {
				end++
			}
		}
		text, _ := codec.Unquote(rest[start : end+1])
		dst = codec.AppendQuote(append(dst, rest[:start]...), naming.Cut(text, limits.MaxConfirmedText))
		rest = rest[end+1:]
	}
}
