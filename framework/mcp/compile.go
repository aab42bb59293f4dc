package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// compile turns a tool into what the core knows: everything that can be found out
// or found wrong before the first call is, here. All problems are returned at once.
func (e *engine) compile(tool servers.Tool) (_ *protocol.Tool, problem error) {
	if isNil(tool) {
		return nil, errors.New("it is nil; give a pointer to a tool, such as &tools.EchoTool{}")
	}
	what := fmt.Sprintf("%T", tool)
	defer rescueRegistration(&problem, what, "tools.Tool")
	definition := tools.Definition{
		Name: tool.Name(), Title: tool.Title(), Description: strings.TrimSpace(tool.Description()),
		Icons: tool.Icons(), Meta: tool.Meta(), Annotations: tools.Hints(tool),
	}
	if typeName := naming.TypeName(tool); reflect.Indirect(reflect.ValueOf(tool)).Type().PkgPath() != reflect.TypeFor[tools.Tool]().PkgPath() {
		definition.Name = orElse(definition.Name, naming.Kebab(typeName))
		definition.Title = orElse(definition.Title, naming.Headline(typeName))
	}
	run := &runner{engine: e, tool: tool, name: definition.Name, title: definition.Title, confirms: tools.Confirms(tool)}
	own := tool.Guardrails()
	problems := []error{
		e.checkName(tool, what, definition.Name), checkIcons(definition.Icons), checkHooks(tool),
		tools.Check(tool), run.schemas(&definition), guardrails.Check(own, guardrails.Call),
	}
	if tool.Timeout() < 0 {
		problems = append(problems, fmt.Errorf("its Timeout is %v; it must be more than 0, or 0 for the server's", tool.Timeout()))
	}
	if definition.Description == "" {
		e.config.Logger.Warn("a tool has no description; models choose tools by it", "server", e.what, "tool", definition.Name)
	}
	encoded, err := codec.Marshal(definition)
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, within(fmt.Sprintf("%s (%s)", definition.Name, what), err)
	}
	rails, stack := e.rails(guardrails.Call, definition.Name, own)
	compiled := &protocol.Tool{Item: e.item(definition.Name, encoded, tool.Timeout(), tool, stack), Handle: run.handle}
	if rails != nil {
		run.rails, compiled.Handle = rails, run.guarded
	}
	for _, binding := range run.input.Headers() {
		compiled.Headers = append(compiled.Headers, protocol.NewParamHeader(binding.Name, binding.Path))
	}
	return compiled, nil
}

// schemas compiles both schemas of a tool and puts them in its definition.
func (r *runner) schemas(definition *tools.Definition) error {
	input, output := schema.New(), schema.New()
	empty, err := output.MarshalJSON()
	if err != nil {
		return err
	}
	r.tool.Schema(input)
	r.tool.OutputSchema(output)
	var problems []error
	if r.confirms {
		problems = append(problems, within("Schema", tools.DescribeConfirmed(input)))
	}
	if r.input, err = input.Compile(); err != nil {
		problems = append(problems, within("Schema", err))
	} else if err = r.input.CheckObject(); err != nil {
		problems = append(problems, within("Schema", err))
	} else {
		definition.InputSchema = r.input.Schema()
	}
	if encoded, err := output.MarshalJSON(); err == nil && bytes.Equal(encoded, empty) {
		return errors.Join(problems...) // the tool has none
	}
	if r.output, err = output.Compile(); err != nil {
		problems = append(problems, within("OutputSchema", err))
	} else {
		definition.OutputSchema = r.output.Schema()
	}
	return errors.Join(problems...)
}

// validName reports whether a name is one that the specification lets a tool have.
func validName(name string) bool {
	for _, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return len(name) <= 128
}

// maxName is what the APIs of some models take.
const maxName = 64

func (e *engine) checkName(tool servers.Tool, what, name string) error {
	const rule = "it must be 1 to 128 letters, digits, underscores, dots and dashes"
	function := origin(tool) == "tools.Func"
	switch {
	case name == "" && function:
		return errors.New("it has no name; the first argument of tools.Func is the name")
	case name == "":
		return errors.New("it has no name; define Name, or give its type one")
	case !validName(name) && function:
		return fmt.Errorf("its name, the first argument of tools.Func, is %q; %s", name, rule)
	case !validName(name):
		return fmt.Errorf("its name is %q; %s; define Name to choose another", name, rule)
	case len(name) > maxName:
		e.config.Logger.Warn("a tool's name is longer than some models take", "type", what, "tool", name, "limit", maxName)
	}
	return nil
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

// checkHooks finds optional methods whose signature is wrong, which Go would
// silently take for methods of the user's own.
func checkHooks(v any) error {
	t := reflect.TypeOf(v)
	var problems []error
	for _, name := range annotations.Methods() {
		if m, ok := t.MethodByName(name); ok && m.Type.String() != "func("+t.String()+") bool" {
			problems = append(problems, fmt.Errorf("the method %s must be: %s() bool", name, name))
		}
	}
	if _, ok := t.MethodByName("ShouldRegister"); ok {
		if _, ok := v.(interface {
			ShouldRegister(ctx context.Context) bool
		}); !ok {
			problems = append(problems, errors.New("the method ShouldRegister must be: ShouldRegister(ctx context.Context) bool"))
		}
	}
	return errors.Join(problems...)
}

// within says of each problem where it is.
func within(where string, problem error) error {
	if problem == nil {
		return nil
	}
	joined, ok := problem.(interface{ Unwrap() []error }) // only what errors.Join has made, at the top
	if !ok || errors.Join(joined.Unwrap()...).Error() != problem.Error() {
		return fmt.Errorf("%s: %w", where, problem)
	}
	problems := slices.Clone(joined.Unwrap())
	for i := range problems {
		problems[i] = within(where, problems[i])
	}
	return errors.Join(problems...)
}

// quoted lists names for a message.
func quoted(list []string) string {
	return `"` + strings.Join(list, `", "`) + `"`
}
