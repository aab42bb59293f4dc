package crud

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// directive begins the comment on the type of a record that lists its fields.
const directive = "//mcp:crud"

// Directive returns the comment on the type of the record, from which --add reads the fields.
func (r Record) Directive() string {
	var text strings.Builder
	text.WriteString(directive)
	for _, field := range r.Fields {
		text.WriteString(" " + field.String())
	}
	return text.String()
}

// ReadDirective returns the fields that the comment on the type in a Go file lists. The path is
// that of the file, for the error.
func (r Record) ReadDirective(path string, content []byte) ([]Field, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%w; correct the file first", err)
	}
	for _, declared := range file.Decls {
		types, ok := declared.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE || len(types.Specs) != 1 || types.Doc == nil {
			continue
		}
		if named, ok := types.Specs[0].(*ast.TypeSpec); !ok || named.Name.Name != r.Type {
			continue
		}
		for _, comment := range types.Doc.List {
			rest, found := strings.CutPrefix(comment.Text, directive)
			if !found || rest != "" && rest[0] != ' ' {
				continue
			}
			fields, err := ParseFields(strings.Fields(rest))
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, files.Position(comment.Pos()).Line, err)
			}
			return fields, nil
		}
	}
	return nil, fmt.Errorf("%s has no comment %s above the type %s, which lists its fields; write it, such as %s %s", path, directive, r.Type, directive, DefaultFields)
}
