package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A tool serves one tool to the core.
type tool struct {
	server  *Server
	handler servers.Tool
	handle  func(context.Context, *tools.Request) (tools.Result, error)
	name    string
	title   string
	input   *jsonschema.Validator
	output  *jsonschema.Validator // nil if the tool has no output schema

	subject  request.Subject
	confirms bool // whether the user has to agree first
}

// AddTool registers a tool. A tool that is added while the server serves is checked alone
// against the rules of clients.
func (s *Server) AddTool(handler servers.Tool) error {
	return registration{s, added()}.addTool(handler)
}

func (s registration) addTool(handler servers.Tool) error {
	compiled, err := s.compileTool(handler)
	if err := errors.Join(err, s.checkFields(handler)); err != nil {
		return err
	}
	compiled.Yields = s.at.yields
	if err := s.core.AddTool(compiled); err != nil {
		return taken("the tool "+compiled.Key, handler, err, "a tool of that name", "give one of them another Name")
	}
	if s.isOpen.Load() {
		s.warn(s.refused(compiled.Definition))
	}
	return nil
}

// RemoveTool removes a tool.
func (s *Server) RemoveTool(name string) bool { return s.core.RemoveTool(name) }

// compileTool compiles a tool for the core. The error lists all its mistakes.
func (s *Server) compileTool(handler servers.Tool) (_ *protocol.Tool, problem error) {
	if isNil(handler) {
		return nil, errors.New("it is nil; give a pointer to a tool, such as &tools.EchoTool{}")
	}
	what := fmt.Sprintf("%T", handler)
	defer rescue(&problem, what, "tools.Tool")
	definition := tools.Definition{
		Description: strings.TrimSpace(handler.Description()), Icons: handler.Icons(), Meta: handler.Meta(), Annotations: hints(handler), CacheHint: handler.CacheHint(),
	}
	definition.Name, definition.Title = names(naming.Tool, handler)
	t := &tool{server: s, handler: handler, handle: handler.Handle, name: definition.Name, title: definition.Title, confirms: confirms(handler)}
	t.subject.Of, t.subject.What, t.subject.Name, t.subject.Validator = "the tool "+t.name, "argument", t.name, s.config.Validator
	own := handler.Guardrails()
	problems := []error{
		checkName(handler, definition.Name), checkIcons(definition.Icons), checkHooks(handler),
		checkMade(handler), checkConfirmed(handler), checkAudience(handler), checkHints(handler), checkArguments(handler), checkResults(handler), t.bindTyped(), t.schemas(&definition), s.checkOwn("the tool "+definition.Name, own, chain.Call), checkTimeout(handler.Timeout()),
		s.cacheHints.check("the tool "+definition.Name, handler, definition.CacheHint, own, chain.Call),
	}
	if definition.Description == "" {
		s.config.Logger.Warn("a tool has no description; models choose tools by it", "server", s.what, "tool", definition.Name)
	}
	encoded, err := codec.Marshal(definition)
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, Within(fmt.Sprintf("%s (%s)", naming.Printable(definition.Name), what), err)
	}
	operation, around := s.withGuardrails(plainOperation{
		kind: guardrails.Call, key: definition.Name, own: own, timeout: handler.Timeout(), asks: true, do: t.do, explain: t.explain,
	})
	operation.Tool = definition.Name
	if s.config.CoerceArguments {
		operation.Do = t.coerced(operation.Do)
	}
	compiled := &protocol.Tool{Item: s.item(operation, encoded, handler, around, s.cacheHints.orOwn(definition.CacheHint))}
	for _, binding := range t.input.Headers() {
		compiled.Headers = append(compiled.Headers, protocol.NewParamHeader(binding.Name, binding.Path))
	}
	return compiled, nil
}

// emptySchema is the schema that a tool without an output schema leaves as it was.
const emptySchema = `{"type":"object","properties":{},"additionalProperties":false}`

// schemas compiles both schemas of a tool and adds them to its definition.
func (t *tool) schemas(definition *tools.Definition) error {
	input, output := schema.New(), schema.New()
	t.handler.Schema(input)
	t.handler.OutputSchema(output)
	var problems []error
	if t.confirms {
		problems = append(problems, Within("Schema", describeConfirmed(input)))
	}
	validator, err := input.Compile()
	t.input = (*jsonschema.Validator)(validator)
	if err != nil {
		problems = append(problems, Within("Schema", err))
	} else if err = t.input.CheckObject(); err != nil {
		problems = append(problems, Within("Schema", err))
	} else {
		definition.InputSchema = t.input.Schema()
		declared, closed := t.input.Properties()
		t.subject.Schema, t.subject.Declared, t.subject.Open = t.input, declared, !closed
	}
	if encoded, err := output.MarshalJSON(); err == nil && string(encoded) == emptySchema {
		return errors.Join(problems...) // without an output schema
	}
	validator, err = output.Compile()
	t.output = (*jsonschema.Validator)(validator)
	if err != nil {
		problems = append(problems, Within("OutputSchema", err))
	} else {
		definition.OutputSchema = t.output.Schema()
	}
	return errors.Join(problems...)
}

// hints returns the hints of a tool. They are in its definition if tools.New or tools.Func made
// it, and otherwise in its type.
func hints(handler servers.Tool) annotations.Hints {
	if made, ok := handler.(interface{ Hints() annotations.Hints }); ok && isMade(handler) {
		return made.Hints()
	}
	return annotations.Of(handler)
}

// validName reports whether a tool, prompt or argument may have the name.
func validName(name string) bool {
	for _, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '_' && c != '.' && c != '-' {
			return false
		}
	}
	return len(name) <= limits.MaxName
}

// checkName returns an error if a tool or prompt has no name, or one that isn't valid.
func checkName(handler any, name string) error {
	const rule = "it must be 1 to 128 letters, digits, underscores, dots and dashes"
	function := origin(handler) == "tools.Func"
	switch {
	case name == "" && function:
		return errors.New("it has no name; the first argument of tools.Func is the name")
	case name == "":
		return errors.New("it has no name; define Name, or give its type one")
	case !validName(name) && function:
		return fmt.Errorf("its name, the first argument of tools.Func, is %q; %s", name, rule)
	case !validName(name):
		return fmt.Errorf("its name is %q; %s; define Name to choose another", name, rule)
	}
	return nil
}
