package schema

import (
	"errors"
	"fmt"
)

// ErrNotObject reports that a schema allows something else than an object where only an object can arrive, as in the
// arguments of a tool (MCP 2026-07-28, Tool.inputSchema).
var ErrNotObject = errors.New(`the root of the schema must say "type":"object"`)

// A DefinitionError is one mistake in a schema: a contradiction, a keyword that is not valid, or something that is not
// supported.
type DefinitionError struct {
	// Path is the JSON Pointer (RFC 6901) of the subschema, such as "/properties/message". It is empty for the root.
	Path string
	// Problem says what is wrong.
	Problem string
	// Fix says what to do about it.
	Fix string
}

// Error returns the three in one line.
func (e *DefinitionError) Error() string {
	where := e.Path
	if where == "" {
		where = "the root of the schema"
	}
	return fmt.Sprintf("%s: %s; %s", where, e.Problem, e.Fix)
}
