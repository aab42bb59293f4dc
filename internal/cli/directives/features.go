package directives

import (
	"go/ast"
	"path"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A feature is a tool, a resource, a template or a prompt of a directive.
type feature struct {
	*declaration
	name string // "" for a type of the app that names itself, if its name isn't known
	call *signature
	// For a type that is listed as it is:
	listed bool
	// For a function or a method:
	fn       *ast.FuncDecl
	fnFile   *goFile
	receiver string // the name of the type of a method

	needs     *dependency // the value with the method, nil if there is none or any value will do
	arguments []argument  // of prompts and templates
	typeName  string      // of the generated type
}

// ident returns the name of the declaration in Go.
func (d *declaration) ident() string {
	if d.spec != nil {
		return d.spec.Name.Name
	}
	return d.fn.Name.Name
}

// base returns the name of the declaration, without the kind at the end of that of a type.
func (d *declaration) base() string {
	if d.spec == nil {
		return d.ident()
	}
	return d.Kind.Cut(d.ident())
}

// feature returns what a directive registers, or nil after a mistake.
func (r *reader) feature(d *declaration) *feature {
	if !r.importable(d) {
		return nil
	}
	f := &feature{declaration: d, fn: d.fn, fnFile: d.file, receiver: d.of}
	if d.spec != nil {
		if !r.typeFeature(f) {
			return nil
		}
	} else if r.callable(d) {
		r.need(f)
	} else {
		return nil
	}
	if f.listed {
		return f
	}
	if d.Kind.HasURI() && d.URI == "" {
		r.mistakes.Add(d.At, "write one, as in "+d.Text()+" "+d.Kind.SampleURI(), "%s has no URI", d.Text())
		return nil
	}
	f.name = d.Options.Value("name")
	if f.name == "" {
		f.name = naming.Kebab(d.base())
	}
	if f.name == "" {
		r.mistakes.Add(d.At, "add name=…", "no name can be made of %s", d.ident())
		return nil
	}
	if f.call = r.signature(d, f.fn, f.fnFile); f.call == nil {
		return nil
	}
	if !r.details(f) {
		return nil
	}
	return f
}

// importable reports whether the generated package can import that of a declaration.
func (r *reader) importable(d *declaration) bool {
	pkg := d.file.pkg
	switch {
	case pkg.path == r.target.path:
		return true
	case pkg.name == "main":
		r.mistakes.Add(d.At, "move the code to a package with another name, such as app/notes", "no package can import the package main in %s", pkg.folder)
		return false
	case !mayImport(r.target.folder, pkg.folder):
		r.mistakes.Add(d.At, "move the code to a package outside of internal", "%s can't import the internal package %s", r.target.folder, pkg.folder)
		return false
	}
	return true
}

// mayImport reports whether the rule about folders named internal lets one folder import another.
func mayImport(from, folder string) bool {
	elements := strings.Split(folder, "/")
	for i, element := range elements {
		if parent := path.Join(elements[:i]...); element == "internal" && parent != "" && from != parent && !strings.HasPrefix(from, parent+"/") {
			return false
		}
	}
	return true
}

// typeFeature reads a type with a directive: one that embeds a base of the framework is listed as
// it is, another one has a method Handle or Call.
func (r *reader) typeFeature(f *feature) bool {
	spec, name := f.spec, f.spec.Name.Name
	mistake := func(fix, format string, args ...any) bool {
		r.mistakes.Add(f.At, fix, format, args...)
		return false
	}
	switch {
	case !spec.Name.IsExported() && f.file.pkg.path != r.target.path:
		return mistake("call it "+naming.Studly(name), "the type %s is not exported, so generated code can't use it", name)
	case spec.TypeParams != nil:
		return mistake("declare a type for one of its instances", "the type %s has type parameters", name)
	}
	if _, isInterface := spec.Type.(*ast.InterfaceType); isInterface {
		return mistake("put the directive above a type with a method Handle or Call", "the type %s is an interface", name)
	}
	if base := r.baseOf(typeRef{spec.Name, f.file}, 0); base != "" {
		return r.listedFeature(f, base)
	}
	var found []*method
	for _, method := range f.file.pkg.methods[name] {
		if method.decl.Name.Name == "Handle" || method.decl.Name.Name == "Call" {
			found = append(found, method)
		}
	}
	switch len(found) {
	case 0:
		return mistake("give it one, or embed "+f.Kind.Folder()+"."+f.Kind.Base(), "the type %s has no method Handle or Call", name)
	case 1:
		f.fn, f.fnFile, f.receiver = found[0].decl, found[0].file, name
	default:
		return mistake("drop one of them", "the type %s has the methods Handle and Call", name)
	}
	r.need(f)
	return true
}

// listedFeature reads a type that embeds a base of the framework. Its methods say all that options
// could.
func (r *reader) listedFeature(f *feature, base string) bool {
	name := f.spec.Name.Name
	if base != f.Kind.Base() {
		r.mistakes.Add(f.At, "write //mcp:"+strings.ToLower(base), "the type %s embeds %ss.%s", name, strings.ToLower(base), base)
		return false
	}
	for _, given := range f.Options {
		if given.Name != "server" {
			r.mistakes.Add(f.At, "write a method of the type instead of "+given.Name, "the type %s embeds %s.%s, so that its methods say what it is", name, f.Kind.Folder(), base)
			return false
		}
	}
	if f.URI != "" {
		r.mistakes.Add(f.At, "remove the URI behind "+f.Text(), "the type %s embeds %s.%s, so that its method URI says which it has", name, f.Kind.Folder(), base)
		return false
	}
	f.listed = true
	method := "Name"
	if f.Kind.HasURI() {
		method = "URI"
	}
	if written := f.file.pkg.method(name, method); written != nil {
		f.name = returnedText(written.decl)
	} else if !f.Kind.HasURI() {
		f.name = naming.Kebab(f.base())
	}
	if f.Kind.HasURI() {
		f.URI = f.name
	}
	r.need(f)
	return true
}

// returnedText returns the text that a method returns, "" if it does anything else.
func returnedText(fn *ast.FuncDecl) string {
	if fn.Body == nil || len(fn.Body.List) != 1 {
		return ""
	}
	returned, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(returned.Results) != 1 {
		return ""
	}
	literal, ok := returned.Results[0].(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, _ := strconv.Unquote(literal.Value)
	return text
}

// baseOf returns the base of the framework that a type embeds, itself or by another type of the
// app: Tool, Resource or Prompt.
func (r *reader) baseOf(t typeRef, depth int) string {
	structure, file := r.structOf(t)
	if structure == nil || depth > 10 {
		return ""
	}
	for _, field := range structure.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		embedded, _ := typeRef{field.Type, file}.elem()
		switch importPath, name, _ := embedded.named(); {
		case importPath == framework+"/tools" && (name == "Tool" || name == "Typed"):
			return "Tool"
		case importPath == framework+"/resources" && name == "Resource", importPath == framework+"/prompts" && name == "Prompt":
			return name
		case strings.HasPrefix(importPath, framework+"/"):
		default:
			if base := r.baseOf(embedded, depth+1); base != "" {
				return base
			}
		}
	}
	return ""
}

// isStateless reports whether the zero value of a type is all there is: a struct without fields,
// except embedded types of the framework and others without state.
func (r *reader) isStateless(t typeRef, depth int) bool {
	if importPath, _, _ := t.named(); strings.HasPrefix(importPath, framework+"/") {
		return true
	}
	structure, file := r.structOf(t)
	if structure == nil || depth > 10 {
		return false
	}
	for _, field := range structure.Fields.List {
		embedded, pointer := typeRef{field.Type, file}.elem()
		if len(field.Names) > 0 || pointer || !r.isStateless(embedded, depth+1) {
			return false
		}
	}
	return true
}
