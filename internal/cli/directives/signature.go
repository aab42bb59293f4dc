package directives

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A signature is how generated code calls a function or a method.
type signature struct {
	hasContext, hasRequest bool
	structure              *typeRef // the struct of all arguments, nil if there is none
	byPointer              bool     // whether the function gets a pointer to the struct
	plain                  []parameter
	result                 *typeRef // nil if there is none but an error
	hasError               bool
}

// A parameter is one of several that are arguments, each by itself.
type parameter struct {
	name     string
	of       typeRef
	variadic bool
}

// hasArguments reports whether the function gets anything from the client, except by the request.
func (s *signature) hasArguments() bool { return s.structure != nil || len(s.plain) > 0 }

// signature reads the parameters and results of a function, or returns nil after a mistake.
func (r *reader) signature(d *declaration, fn *ast.FuncDecl, file *goFile) *signature {
	before := len(r.mistakes)
	s := &signature{}
	all := parametersOf(fn.Type.Params, file)
	if len(all) > 0 && all[0].of.is("context", "Context") {
		s.hasContext, all = true, all[1:]
	}
	if len(all) > 0 {
		if of, pointer := all[0].of.elem(); pointer && of.is(framework+"/"+d.Kind.Folder(), "Request") {
			s.hasRequest, all = true, all[1:]
		}
	}
	for _, one := range all {
		r.checkParameter(d, fn, one)
	}
	switch {
	case len(all) == 1 && r.isStruct(all[0]):
		of, pointer := all[0].of.elem()
		s.structure, s.byPointer = &of, pointer
	case len(all) > 0:
		s.plain = all
	}
	r.results(d, fn, s, parametersOf(fn.Type.Results, file))
	if len(r.mistakes) > before {
		return nil
	}
	return s
}

// parametersOf returns parameters or results, each with its type.
func parametersOf(fields *ast.FieldList, file *goFile) (all []parameter) {
	if fields == nil {
		return nil
	}
	for _, field := range fields.List {
		_, variadic := field.Type.(*ast.Ellipsis)
		of := typeRef{field.Type, file}
		if len(field.Names) == 0 {
			all = append(all, parameter{"", of, variadic})
		}
		for _, name := range field.Names {
			all = append(all, parameter{name.Name, of, variadic})
		}
	}
	return all
}

// checkParameter reports a parameter that can't be an argument.
func (r *reader) checkParameter(d *declaration, fn *ast.FuncDecl, one parameter) {
	const order = "write the parameters in the order context.Context, request, arguments"
	of, _ := one.of.elem()
	importPath, name, _ := of.named()
	switch {
	case of.is("context", "Context"):
		r.mistakes.Add(d.At, order, "%s has a context that isn't its first parameter", fn.Name.Name)
	case name == "Request" && importPath == framework+"/"+d.Kind.Folder():
		r.mistakes.Add(d.At, order, "%s has a request that is not *%s.Request behind the context", fn.Name.Name, d.Kind.Folder())
	case name == "Request" && strings.HasPrefix(importPath, framework+"/"):
		r.mistakes.Add(d.At, fmt.Sprintf("use *%s.Request", d.Kind.Folder()), "%s has a request that doesn't fit %s", fn.Name.Name, d.Text())
	}
}

// isStruct reports whether the only parameter of a function is a struct with all arguments. A type
// of another module is one, except those of package time.
func (r *reader) isStruct(one parameter) bool {
	if one.variadic {
		return false
	}
	of, _ := one.of.elem()
	if structure, _ := r.structOf(of); structure != nil {
		return true
	}
	importPath, _, ok := of.named()
	return ok && importPath != "" && importPath != "time" && r.declared(of) == nil && r.packageAt(importPath) == nil
}

// results reads the results of a function.
func (r *reader) results(d *declaration, fn *ast.FuncDecl, s *signature, all []parameter) {
	if len(all) > 0 && all[len(all)-1].of.is("", "error") {
		s.hasError, all = true, all[:len(all)-1]
	}
	switch len(all) {
	case 0:
		if d.Kind != directive.Tool {
			r.mistakes.Add(d.At, "return what the client gets", "%s returns nothing but an error", fn.Name.Name)
		}
	case 1:
		s.result = &all[0].of
		if problem := unsendable(*s.result); problem != nil {
			r.mistakes.Add(d.At, problem.fix, "the result of %s: %s", fn.Name.Name, problem.what)
		}
	default:
		r.mistakes.Add(d.At, "return one value and perhaps an error, such as (Result, error)", "%s returns %d values", fn.Name.Name, len(all))
	}
}

// unsendable returns why a result can't be sent, or nil.
func unsendable(of typeRef) *typeError {
	switch of.expr.(type) {
	case *ast.FuncType, *ast.ChanType:
		return &typeError{"functions and channels can't be sent", "return a value; a tool that sends several messages returns a tools.Stream"}
	}
	return nil
}

// callable reports whether generated code can call a function or method, and adds the mistakes if
// it can't.
func (r *reader) callable(d *declaration) bool {
	fn, name := d.fn, d.fn.Name.Name
	before := len(r.mistakes)
	mistake := func(fix, format string, args ...any) { r.mistakes.Add(d.At, fix, format, args...) }
	own := d.file.pkg.path == r.target.path
	switch {
	case d.of == "" && (name == "init" || name == "main" && own):
		mistake("put the directive above another function", "nothing can call %s", name)
	case !fn.Name.IsExported() && !own:
		mistake("call it "+naming.Studly(name), "%s is not exported, so generated code can't call it", name)
	case fn.Type.TypeParams != nil:
		mistake("write a function for one type that calls it", "%s has type parameters", name)
	}
	if d.of == "" {
		return len(r.mistakes) == before
	}
	switch of := d.file.pkg.types[d.of]; {
	case !ast.IsExported(d.of) && !own:
		mistake("call the type "+naming.Studly(d.of), "%s is a method of %s, which is not exported, so generated code can't call it", name, d.of)
	case of != nil && of.spec.TypeParams != nil:
		mistake("write a function for one type that calls it", "%s is a method of %s, which has type parameters", name, d.of)
	}
	return len(r.mistakes) == before
}
