package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/declaration"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/seam"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A prompt serves one prompt to the core.
type prompt struct {
	server     *Server
	handler    servers.Prompt
	definition prompts.Definition
	arguments  declaration.Arguments
	subject    request.Subject
	warned     sync.Map // the warnings in the log
}

// AddPrompt registers a prompt.
func (s *Server) AddPrompt(handler servers.Prompt) error {
	return registration{s, added()}.addPrompt(handler)
}

func (s registration) addPrompt(handler servers.Prompt) (problem error) {
	if isNil(handler) {
		return errors.New("it is nil; give a pointer to a prompt, such as &prompts.ReviewPrompt{}")
	}
	what := fmt.Sprintf("%T", handler)
	defer rescue(&problem, what, "prompts.Prompt")
	p, encoded, err := s.compilePrompt(handler)
	own, name := handler.Guardrails(), p.definition.Name
	if err := errors.Join(err, s.checkFields(handler), checkMade(handler), checkIcons(handler.Icons()), Within(what, checkHooks(handler)),
		Within(what, s.checkOwn("the prompt "+name, own, chain.Get|chain.Complete)),
		Within(what, s.cacheHints.check("the prompt "+name, handler, p.definition.CacheHint, own, chain.Get))); err != nil {
		return err
	}
	operation, around := s.withGuardrails(plainOperation{kind: guardrails.Get, key: name, own: own, timeout: p.definition.Timeout, asks: true, do: p.do})
	compiled := &protocol.Prompt{Item: s.item(operation, encoded, handler, around, s.cacheHints.orOwn(p.definition.CacheHint)), Complete: s.completion(&p.subject, p.sources(), own)}
	compiled.Yields = s.at.yields
	if err := s.core.AddPrompt(compiled); err != nil {
		return taken("the prompt "+naming.Printable(name), handler, err, "a prompt of that name", "give one of them another Name")
	}
	return nil
}

// RemovePrompt removes a prompt.
func (s *Server) RemovePrompt(name string) bool { return s.core.RemovePrompt(name) }

// compilePrompt reads the definition of a prompt. The error lists its mistakes, except those
// for which AddPrompt checks.
func (s *Server) compilePrompt(handler servers.Prompt) (p *prompt, encoded []byte, problem error) {
	definition := prompts.Definition{
		Description: strings.TrimSpace(handler.Description()), Icons: handler.Icons(), Meta: handler.Meta(), Timeout: handler.Timeout(),
		CacheHint: handler.CacheHint(),
	}
	definition.Name, definition.Title = names(naming.Prompt, handler)
	problems := []error{checkName(handler, definition.Name), checkTimeout(definition.Timeout)}
	var arguments prompts.Arguments
	handler.Arguments(&arguments)
	p = &prompt{server: s, handler: handler, arguments: *(*seam.Cell[declaration.Arguments])(&arguments).Get()}
	for i, argument := range p.arguments {
		if slices.Contains(p.subject.Declared, argument.Name) {
			problems = append(problems, fmt.Errorf("the argument %q is declared twice; drop one", argument.Name))
		}
		problems = append(problems, checkArgument(p.arguments[i])...)
		p.subject.Declared = append(p.subject.Declared, argument.Name)
		definition.Arguments = append(definition.Arguments, prompts.ArgumentDefinition{
			Name: argument.Name, Title: argument.Title, Description: argument.Description, Required: argument.Required,
		})
	}
	p.definition, p.subject.Name = definition, definition.Name
	p.subject.Of, p.subject.What = "the prompt "+definition.Name, "argument"
	encoded, err := codec.Marshal(definition)
	if err := errors.Join(append(problems, err)...); err != nil {
		return p, nil, fmt.Errorf("%s (%T): %w", naming.Printable(definition.Name), handler, err)
	}
	return p, encoded, nil
}

// sources returns the completion sources by argument, or nil if there are none.
func (p *prompt) sources() map[string]completion.Source {
	var sources map[string]completion.Source
	for _, argument := range p.arguments {
		if source := argument.Completion(); source != nil {
			if sources == nil {
				sources = map[string]completion.Source{}
			}
			sources[argument.Name] = source
		}
	}
	return sources
}

// checkArgument returns the mistakes in the declaration of an argument.
func checkArgument(a *declaration.Argument) []error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("the argument %q: "+format, append([]any{a.Name}, args...)...))
	}
	switch {
	case a.Name == "":
		problem("it has no name; give it one, such as \"language\"")
	case !validName(a.Name):
		problem("its name must be 1 to 128 letters, digits, underscores, dots and dashes")
	}
	if a.Default != nil && a.Required {
		problem("it is required, so its default %q would never be used; drop one of the two", *a.Default)
	}
	if a.Enumerated && a.Completed {
		problem("Enum already suggests its values; drop Complete, or drop Enum to allow any value")
	}
	if a.Enumerated && len(a.Enum) == 0 {
		problem("its Enum is empty, so it would refuse every value; add some")
	}
	for i, value := range a.Enum {
		if slices.Contains(a.Enum[:i], value) {
			problem("its Enum has the value %q twice; drop one", value)
		}
	}
	if a.Default != nil && len(a.Enum) > 0 && !slices.Contains(a.Enum, *a.Default) {
		problem("its default %q is not one of the values of its Enum: %s", *a.Default, naming.Quoted(a.Enum))
	}
	if a.Completed {
		if err := checkSource(a.Source); err != nil {
			problem("%w", err)
		}
	}
	return problems
}

// do checks the arguments, calls the handler, and encodes its result.
func (p *prompt) do(ctx context.Context, k *call.Call) (call.Result, error) {
	input := &k.Facts().Input
	input.Subject = &p.subject
	var err error
	if input.Values, err = p.take(input.Arguments); err != nil {
		return nil, err
	}
	result, err := p.handler.Handle(ctx, &prompts.Request{Request: exchange.Request(request.New(k))})
	if err != nil {
		return nil, err
	}
	final, err := finalPrompt(result)
	if err != nil {
		return nil, err
	}
	encoded, err := codec.Marshal(final)
	if err != nil {
		return nil, err
	}
	p.warn(ctx, final)
	return &protocol.Object{JSON: encoded}, nil
}

// finalPrompt converts the result of a handler.
func finalPrompt(result prompts.Result) (final *prompts.GetResult, err error) {
	switch result := result.(type) {
	case *prompts.GetResult:
		final = result
	case prompts.Message:
		final = &prompts.GetResult{Messages: prompts.Messages{result}}
	case prompts.Messages:
		final = &prompts.GetResult{Messages: result}
	case prompts.Pair:
		final = &prompts.GetResult{}
		final.Messages, err = result.Messages()
	}
	if final == nil {
		return nil, declaration.ErrNoMessages
	}
	return final, err
}

// warn logs each warning about a result once.
func (p *prompt) warn(ctx context.Context, final *prompts.GetResult) {
	for _, message := range final.Messages {
		for _, warning := range message.Warnings {
			if _, logged := p.warned.LoadOrStore(warning, true); !logged {
				p.server.core.Server().Logger.WarnContext(ctx, "a prompt returns a message that MCP does not support", "prompt", p.definition.Name, "problem", warning)
			}
		}
	}
}

// take returns the arguments by name from a raw object, which may be nil. The error names
// every argument that is missing or not valid.
func (p *prompt) take(arguments []byte) (map[string]string, error) {
	var raw map[string]codec.Value
	if arguments != nil {
		if err := codec.Unmarshal(arguments, &raw); err != nil || raw == nil {
			return nil, p.refuse(errors.New("they must be an object of strings"))
		}
		maps.DeleteFunc(raw, func(_ string, value codec.Value) bool { return jsonrpc.IsNull(value) }) // some clients send null for an absent argument
	}
	var problems []error
	values := make(map[string]string, len(p.arguments))
	for _, argument := range p.arguments {
		value, ok, err := take(argument, raw)
		switch {
		case err != nil:
			problems = append(problems, err)
		case ok:
			values[argument.Name] = value
		}
	}
	if problems != nil {
		return nil, p.refuse(problems...)
	}
	return values, nil
}

// take returns the value that the client sent for an argument, or its default.
func take(a *declaration.Argument, raw map[string]codec.Value) (string, bool, error) {
	name := a.Name
	sent, ok := raw[name]
	if !ok {
		if a.Required {
			return "", false, fmt.Errorf("%q is missing", name)
		}
		if a.Default != nil {
			return *a.Default, true, nil
		}
		return "", false, nil
	}
	value, ok := codec.Unquote(sent)
	if !ok {
		return "", false, fmt.Errorf("%q must be a string, not %.60s", name, sent)
	}
	if a.Enumerated && !slices.Contains(a.Enum, value) {
		return "", false, fmt.Errorf("%q must be one of %s, not %.60q", name, naming.Quoted(a.Enum), value)
	}
	return value, true, nil
}

// refuse returns the error for arguments that are not valid.
func (p *prompt) refuse(problems ...error) error {
	texts := make([]string, len(problems))
	for i, problem := range problems {
		texts[i] = problem.Error()
	}
	return &exchange.Error{
		Code:    exchange.CodeInvalidParams,
		Message: fmt.Sprintf("The arguments of the prompt %s are not valid: %s.", naming.Printable(p.definition.Name), strings.Join(texts, "; ")),
	}
}
