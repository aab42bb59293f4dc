// Package declaration describes the tools, resources, prompts and servers in the source of an
// app. The mcp command finds them there, since a program can't list types that it doesn't use.
package declaration

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Declaration is a type in a file.
type Declaration struct {
	file, kind, of string
}

// Parse parses FILE:KIND:TYPE, such as app/mcp/tools/echo_tool.go:tool:tools.EchoTool.
func Parse(text string) (d Declaration, ok bool) {
	file, rest, _ := strings.Cut(text, ":")
	kind, of, ok := strings.Cut(rest, ":")
	return Declaration{file, kind, of}, ok && file != "" && kind != "" && of != ""
}

// Unserved returns an error that says how to serve the type, unless it is one of those that are
// served.
func (d Declaration) Unserved(served []string) error {
	if slices.Contains(served, "*"+d.of) || slices.Contains(served, d.of) {
		return nil
	}
	text := fmt.Sprintf("%s: the %s %s is in no server; add &%s{} to the %ss of one", naming.Printable(d.file), d.kind, d.of, d.of, strings.ToUpper(d.kind[:1])+d.kind[1:])
	if d.kind == "server" {
		text = fmt.Sprintf("%s: the server %s has no route; map it with mcp.Web or mcp.Local", naming.Printable(d.file), d.of)
	}
	return errors.New(text)
}
