package ask

import (
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonschema"
)

// A Tool is what the model of a sample may wish to have called (specification: Tool).
// It needn't be a tool of the server.
type Tool struct {
	Name        string
	Title       string
	Description string
	Schema      func(schema *schema.Object) // describes the arguments; nil for none
}

type wireTool struct {
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	InputSchema codec.Value `json:"inputSchema"`
}

// compile returns the tool's wire form.
func (t Tool) compile() (wireTool, error) {
	wire := wireTool{Name: t.Name, Title: t.Title, Description: t.Description}
	if t.Name == "" {
		return wire, errors.New("a tool has no name; give it one, such as \"search\"")
	}
	arguments := schema.New()
	if t.Schema != nil {
		t.Schema(arguments)
	}
	validator, err := arguments.Compile()
	if err == nil {
		err = (*jsonschema.Validator)(validator).CheckObject()
	}
	if err != nil {
		return wire, fmt.Errorf("the tool %q: %w", t.Name, err)
	}
	wire.InputSchema = validator.Schema()
	return wire, nil
}
