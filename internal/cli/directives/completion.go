package directives

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
)

// A source says what completion suggests for an argument: values, the constants of a type, or what
// a function or a method returns.
type source struct {
	values    []string
	constants []string // of the package of the directive
	function  string
	isMethod  bool // whether the function is a method of the type with the directive
}

// completions reads the options complete.NAME.
func (r *reader) completions(f *feature) {
	if f.Kind == directive.Tool || f.Kind == directive.Resource {
		return // which have nothing to complete
	}
	var names []string
	for _, argument := range f.arguments {
		names = append(names, argument.name)
	}
	for _, given := range f.Options.Below("complete") {
		at := -1
		for i, name := range names {
			if name == given.Name {
				at = i
			}
		}
		if at < 0 {
			r.mistakes.Add(f.At, nearest(given.Name, names), "%s has no argument %s to complete", f.ident(), given.Name)
			continue
		}
		if f.arguments[at].enum != nil {
			r.mistakes.Add(f.At, "drop complete."+given.Name, "the argument %s has an enum, whose values are suggested", given.Name)
			continue
		}
		f.arguments[at].complete = r.source(f, given)
	}
}

// source reads what an option suggests, or returns nil after a mistake.
func (r *reader) source(f *feature, given directive.Option) *source {
	if strings.Contains(given.Value, "|") {
		return &source{values: strings.Split(given.Value, "|")}
	}
	pkg := f.file.pkg
	if name, isFunction := strings.CutSuffix(given.Value, "()"); isFunction {
		found, isMethod := pkg.method(f.receiver, name), f.receiver != ""
		if found == nil {
			found, isMethod = pkg.method("", name), false
		}
		switch {
		case found == nil:
			r.mistakes.Add(f.At, "write the name of a function or method of package "+pkg.name, "there is no function %s to complete %s", name, given.Name)
		case !token.IsExported(name) && pkg.path != r.target.path:
			r.mistakes.Add(f.At, "begin its name with a capital", "the function %s, which completes %s, is not exported", name, given.Name)
		case !suggests(found):
			r.mistakes.Add(f.At, "declare it as func(context.Context, *completion.Request) ([]string, error)", "the function %s can't complete %s", name, given.Name)
		default:
			return &source{function: name, isMethod: isMethod}
		}
		return nil
	}
	constants := pkg.constantsOf(given.Value, pkg.path == r.target.path)
	if len(constants) == 0 {
		r.mistakes.Add(f.At, "write values as a|b, a function as Name(), or a type of package "+pkg.name+" with constants that are exported",
			"complete.%s=%s names nothing that can be suggested", given.Name, given.Value)
		return nil
	}
	return &source{constants: constants}
}

// suggests reports whether completion.Func takes a function.
func suggests(m *method) bool {
	parameters, results := parametersOf(m.decl.Type.Params, m.file), parametersOf(m.decl.Type.Results, m.file)
	if len(parameters) != 2 || len(results) != 2 || m.decl.Type.TypeParams != nil {
		return false
	}
	request, pointer := parameters[1].of.elem()
	list, isList := results[0].of.expr.(*ast.ArrayType)
	return parameters[0].of.is("context", "Context") && pointer && request.is(framework+"/completion", "Request") &&
		isList && list.Len == nil && typeRef{list.Elt, m.file}.is("", "string") && results[1].of.is("", "error")
}

// constantsOf returns the constants of a type, in order.
func (p *goPackage) constantsOf(typeName string, unexported bool) (names []string) {
	for _, file := range p.files {
		for _, declared := range file.syntax.Decls {
			group, ok := declared.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			of := ""
			for _, spec := range group.Specs {
				value, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				if ident, ok := value.Type.(*ast.Ident); ok {
					of = ident.Name
				} else if len(value.Values) > 0 {
					of = ""
				}
				for _, name := range value.Names {
					if of == typeName && name.Name != "_" && (name.IsExported() || unexported) {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}
