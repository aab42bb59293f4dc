package prompts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Compiled is what a prompt says of itself, asked once. It is for the engine.
type Compiled struct {
	Definition Definition
	JSON       []byte                       // the encoded definition
	Sources    map[string]completion.Source // by argument; nil if none has one
	Timeout    time.Duration                // 0 is the server's
	arguments  []*Argument
}

// Compile asks a prompt for what it says of itself. The error holds everything that is
// wrong with it, except its icons and optional methods, which the engine checks for
// all kinds alike. It is for the engine.
func Compile(prompt Interface) (*Compiled, error) {
	definition := Definition{
		Name: prompt.Name(), Title: prompt.Title(), Description: strings.TrimSpace(prompt.Description()),
		Icons: prompt.Icons(), Meta: prompt.Meta(), Timeout: prompt.Timeout(),
	}
	if _, ok := prompt.(*defined); !ok {
		typeName := naming.TypeName(prompt)
		if definition.Name == "" {
			definition.Name = naming.Kebab(typeName)
		}
		if definition.Title == "" {
			definition.Title = naming.Headline(typeName)
		}
	}
	var problems []error
	switch {
	case definition.Name == "":
		problems = append(problems, errors.New("it has no name; define Name, or give its type one"))
	case !isName(definition.Name):
		problems = append(problems, fmt.Errorf("its name is %q; it must be 1 to 128 letters, digits, underscores, dots and dashes; define Name to choose another", definition.Name))
	}
	if definition.Timeout < 0 {
		problems = append(problems, fmt.Errorf("its Timeout is %v; it must be more than 0, or 0 for the server's", definition.Timeout))
	}
	var arguments Arguments
	prompt.Arguments(&arguments)
	problems = append(problems, arguments.compile())
	compiled := &Compiled{Timeout: definition.Timeout, arguments: arguments.list}
	for _, argument := range arguments.list {
		definition.Arguments = append(definition.Arguments, argument.definition)
		if source := argument.completion(); source != nil {
			if compiled.Sources == nil {
				compiled.Sources = map[string]completion.Source{}
			}
			compiled.Sources[argument.definition.Name] = source
		}
	}
	encoded, err := codec.Marshal(definition)
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, fmt.Errorf("%s (%T): %w", definition.Name, prompt, err)
	}
	compiled.Definition, compiled.JSON = definition, encoded
	return compiled, nil
}

// find returns the argument of a name, nil if the prompt has none.
func (c *Compiled) find(name string) *Argument {
	for _, argument := range c.arguments {
		if argument.definition.Name == name {
			return argument
		}
	}
	return nil
}

// NewRequest returns a request with those raw arguments, nil or valid JSON. The error
// is an [*exchange.Error] that names every argument that is missing or wrong. It is
// for the engine; tests go through package mcptest.
func NewRequest(link exchange.Link, prompt *Compiled, arguments []byte) (Request, error) {
	request := Request{Request: exchange.New(link), prompt: prompt}
	var raw map[string]codec.Value
	if arguments != nil {
		if err := codec.Unmarshal(arguments, &raw); err != nil || raw == nil {
			return request, prompt.refuse(errors.New("they must be an object of texts"))
		}
	}
	var problems []error
	for _, argument := range prompt.arguments {
		value, ok, err := argument.take(raw)
		switch {
		case err != nil:
			problems = append(problems, err)
		case ok:
			if request.values == nil {
				request.values = make(map[string]string, len(prompt.arguments))
			}
			request.values[argument.definition.Name] = value
		}
	}
	if problems != nil {
		return request, prompt.refuse(problems...)
	}
	return request, nil
}

// take finds the argument's value among those that were sent, else its default.
func (a *Argument) take(raw map[string]codec.Value) (string, bool, error) {
	name := a.definition.Name
	sent, ok := raw[name]
	if !ok {
		if a.definition.Required {
			return "", false, fmt.Errorf("%q is missing", name)
		}
		if a.orElse != nil {
			return *a.orElse, true, nil
		}
		return "", false, nil
	}
	value, ok := codec.Unquote(sent)
	if !ok {
		return "", false, fmt.Errorf("%q must be a text, not %.60s", name, sent)
	}
	if a.enumerated && !slices.Contains(a.enum, value) {
		return "", false, fmt.Errorf("%q must be one of %s, not %.60q", name, quoted(a.enum), value)
	}
	return value, true, nil
}

// refuse returns the error for arguments that are not valid.
func (c *Compiled) refuse(problems ...error) error {
	texts := make([]string, len(problems))
	for i, problem := range problems {
		texts[i] = problem.Error()
	}
	return &exchange.Error{
		Code:    exchange.CodeInvalidParams,
		Message: fmt.Sprintf("The arguments of the prompt %s are not valid: %s.", c.Definition.Name, strings.Join(texts, "; ")),
	}
}

// ErrNoFunction is returned at registration for a prompt that [New] made of nil.
var ErrNoFunction = errors.New("it has no function to call; give prompts.New one")

// Check returns what keeps a prompt from ever answering. It is for the engine.
func Check(prompt Interface) error {
	if made, ok := prompt.(*defined); ok && made.handle == nil {
		return ErrNoFunction
	}
	return nil
}
