package directives

import (
	"go/ast"
	"go/doc/comment"
	"go/token"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// A declaration is a function, a method or a type with a directive.
type declaration struct {
	*directive.Directive
	file *goFile
	doc  string        // the comment without directives, with a line for each paragraph
	fn   *ast.FuncDecl // nil for a type
	spec *ast.TypeSpec // nil for a function
	of   string        // the name of the type of a method
}

// declarations returns what stands below the directives of a package, in order.
func (r *reader) declarations(pkg *goPackage) (found []*declaration) {
	for _, file := range pkg.files {
		if ast.IsGenerated(file.syntax) {
			continue
		}
		owners := ownersOf(file.syntax)
		for _, group := range file.syntax.Comments {
			var first *directive.Directive
			for _, line := range group.List {
				if !directive.Is(line.Text) {
					continue
				}
				at := r.position(line)
				read := directive.Read(line.Text, at, &r.mistakes)
				if read == nil {
					continue
				}
				if first != nil {
					r.mistakes.Add(at, "keep one of them, or call one function from another", "two directives are above one declaration")
					continue
				}
				first = read
				if declared := r.declare(read, file, owners[group]); declared != nil {
					declared.doc = docText(group)
					found = append(found, declared)
				}
			}
		}
	}
	return found
}

// ownersOf returns the declarations of a file, by the comments above them.
func ownersOf(file *ast.File) map[*ast.CommentGroup]ast.Node {
	owners := map[*ast.CommentGroup]ast.Node{}
	own := func(group *ast.CommentGroup, node ast.Node) {
		if group != nil {
			owners[group] = node
		}
	}
	for _, declared := range file.Decls {
		switch declared := declared.(type) {
		case *ast.FuncDecl:
			own(declared.Doc, declared)
		case *ast.GenDecl:
			own(declared.Doc, declared)
			for _, spec := range declared.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					own(spec.Doc, spec)
					if !declared.Lparen.IsValid() {
						own(declared.Doc, spec)
					}
				case *ast.ValueSpec:
					own(spec.Doc, declared)
				}
			}
		}
	}
	return owners
}

// declare returns the declaration that a directive is above, or nil after a mistake.
func (r *reader) declare(c *directive.Directive, file *goFile, owner ast.Node) *declaration {
	const fix = "put it directly above a function, a method or a type"
	declared := &declaration{Directive: c, file: file}
	switch owner := owner.(type) {
	case *ast.FuncDecl:
		declared.fn, declared.of = owner, scaffold.ReceiverType(owner)
	case *ast.TypeSpec:
		declared.spec = owner
	case *ast.GenDecl:
		what := owner.Tok.String()
		if owner.Tok == token.TYPE {
			what = "group of types"
		}
		r.mistakes.Add(c.At, fix, "%s is above a %s", c.Text(), what)
		return nil
	default:
		r.mistakes.Add(c.At, fix, "%s is above nothing", c.Text())
		return nil
	}
	return declared
}

// docText returns the text of a comment without its directives: a line for each paragraph, and
// lists and code as they are written.
func docText(groups ...*ast.CommentGroup) string {
	for _, group := range groups {
		if text := group.Text(); text != "" {
			printer := comment.Printer{TextWidth: -1}
			return strings.TrimSpace(string(printer.Text(new(comment.Parser).Parse(text))))
		}
	}
	return ""
}
