package server

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/fields"
	"github.com/bowline-mcp/bowline/internal/engine/methods"
	"github.com/bowline-mcp/bowline/internal/engine/request"
)

// bindTyped finds the method Call of a tool that embeds tools.Typed, or of one that the tool
// wraps, for the Handle of tools.Typed to run.
func (t *tool) bindTyped() error {
	if isMade(t.handler) {
		return nil // it has a Handle of its own
	}
	typed, problem := typedTool(t.handler)
	if typed == nil {
		return problem
	}
	of, types := reflect.TypeOf(typed), request.TypesOf(typed)
	if t.subject.Typed = types.Handler(typed); t.subject.Typed == nil {
		return errors.Join(problem, noCall(of, types))
	}
	if request.TypesOf(t.handler) == nil {
		return errors.Join(problem, checkArguments(typed), checkResults(typed)) // its own Handle calls that of the tool in it
	}
	if !methods.Overrides(of, types.Base(), "Handle") {
		t.handle = t.subject.Typed.(handler).Handle // which saves the way through the request
		return problem
	}
	if methods.Embeds(of, types.Base()) {
		return errors.Join(problem, fmt.Errorf("%s embeds tools.Typed and has a method Handle, so its method Call is never called; "+
			"remove Handle, and let a guardrail do what has to happen around Call", of))
	}
	return problem
}

// A handler runs calls of a tool.
type handler interface {
	Handle(ctx context.Context, request *tools.Request) (tools.Result, error)
}

// typedTool returns the tool that embeds tools.Typed: the handler, or a tool that it wraps by
// an embedded interface such as servers.Tool. It returns nil if there is none. The error names
// fields with such tools whose Handle would not find them.
func typedTool(handler servers.Tool) (typed servers.Tool, problem error) {
	if request.TypesOf(handler) != nil {
		typed = handler
	}
	var problems []error
	fields.Walk(handler, func(field reflect.StructField, value reflect.Value) {
		if value.Kind() != reflect.Interface || value.IsNil() || value.Elem().Type().Implements(reflect.TypeFor[made]()) {
			return
		}
		of := value.Elem().Type()
		if inner, ok := wrapped(field, value); ok && typed == nil {
			typed, problem = typedTool(inner)
			problems = append(problems, problem)
		} else if request.HasTypes(of) {
			problems = append(problems, fmt.Errorf("its field %s holds a %s, which embeds tools.Typed, so that its Handle works only in the tool that embeds it; "+
				"embed servers.Tool instead of the field, or give the field the type %s and call the method Call", field.Name, of, of))
		}
	})
	return typed, errors.Join(problems...)
}

// wrapped returns the tool in an embedded field.
func wrapped(field reflect.StructField, value reflect.Value) (inner servers.Tool, ok bool) {
	if field.Anonymous && field.IsExported() {
		inner, ok = value.Interface().(servers.Tool)
	}
	return inner, ok
}

// noCall returns the error for a tool that lacks the method Call of its types. It says what to
// write.
func noCall(of reflect.Type, types request.Types) error {
	want := types.Method().Method(0).Type
	call := fmt.Sprintf("func (%s) Call(ctx context.Context, request *tools.Request, arguments %s) (%s, error)",
		source(of, of), source(types.Arguments(), of), source(types.Result(), of))
	pointer := of
	if of.Kind() != reflect.Pointer {
		pointer = reflect.PointerTo(of)
		if pointer.Implements(types.Method()) {
			return fmt.Errorf("its method Call has a pointer receiver, and the tool is given by value: give &%s{…}", of)
		}
		call = strings.Replace(call, "func (", "func (*", 1)
	}
	if have, ok := pointer.MethodByName("Call"); ok {
		return fmt.Errorf("the signature of its method Call isn't the one that its tools.Typed asks for, %s; write: %s", methods.Signature(have), call)
	}
	for method := range pointer.Methods() {
		if methods.SameSignature(method, want) {
			return fmt.Errorf("it embeds tools.Typed and has no method Call; rename its method %s: %s", method.Name, call)
		}
	}
	return fmt.Errorf("it embeds tools.Typed and has no method Call; write: %s", call)
}

// source returns a type as the source code of a tool has it: types of the tool's package have
// no package name.
func source(t, tool reflect.Type) string {
	if tool.Kind() == reflect.Pointer {
		tool = tool.Elem()
	}
	switch {
	case t.Name() != "" && t.PkgPath() == tool.PkgPath():
		_, name, _ := strings.Cut(t.String(), ".")
		return name
	case t.Name() != "":
		return t.String()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + source(t.Elem(), tool)
	case reflect.Slice:
		return "[]" + source(t.Elem(), tool)
	case reflect.Map:
		return "map[" + source(t.Key(), tool) + "]" + source(t.Elem(), tool)
	default:
		return t.String()
	}
}
