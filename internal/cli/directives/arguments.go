package directives

import (
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// An argument is an argument of a prompt, or a variable of a template.
type argument struct {
	name               string
	title, description string
	isRequired         bool
	value              *string // the default, nil for none
	enum               []string
	complete           *source // nil for none
}

// details reads what depends on the kind: the arguments of prompts, the variables of templates, and
// the options that are about them.
func (r *reader) details(f *feature) bool {
	before := len(r.mistakes)
	switch f.Kind {
	case directive.Tool:
		r.checkSchemaOptions(f)
	case directive.Resource:
		if f.call.hasArguments() {
			r.mistakes.Add(f.At, "write //mcp:template and a URI with variables, such as users://{id}", "%s has parameters, but the URI %s has no variables", f.ident(), f.URI)
		}
		if strings.ContainsAny(f.URI, "{}") {
			r.mistakes.Add(f.At, "write //mcp:template", "the URI %s has variables", f.URI)
		} else if !naming.IsURI(f.URI) {
			r.mistakes.Add(f.At, "percent-encode what may not be in a URI", "%q is no URI", f.URI)
		}
	case directive.Template:
		r.variables(f)
	case directive.Prompt:
		r.promptArguments(f)
		r.checkSchemaOptions(f)
	}
	r.completions(f)
	return len(r.mistakes) == before
}

// checkSchemaOptions reports options about parameters that the function doesn't have.
func (r *reader) checkSchemaOptions(f *feature) {
	var names []string
	for _, parameter := range f.call.plain {
		names = append(names, parameter.name)
		if parameter.name == "" || parameter.name == "_" {
			r.mistakes.Add(f.At, "name it; the argument gets the name", "a parameter of %s has no name", f.ident())
		}
	}
	for _, given := range f.Options.Below("schema") {
		switch {
		case f.call.structure != nil:
			r.mistakes.Add(f.At, "write a schema tag in the struct instead", "the arguments of %s are a struct, so schema.%s has no parameter", f.ident(), given.Name)
		case !slices.Contains(names, given.Name):
			r.mistakes.Add(f.At, nearest(given.Name, names), "%s has no parameter %s", f.ident(), given.Name)
		}
	}
}

// nearest says which name is meant, or which there are.
func nearest(name string, names []string) string {
	if meant := naming.Nearest(name, names); meant != "" {
		return "did you mean " + meant + "?"
	}
	if len(names) == 0 {
		return "drop it, or add the parameter"
	}
	return "there are " + strings.Join(names, ", ")
}

// A field is a field of a struct of arguments, or a parameter.
type field struct {
	name   string // in Go
	of     typeRef
	tag    reflect.StructTag
	doc    string
	tagged bool // whether the field is one of a struct
}

// fields returns the exported fields of a struct of the app, with those of embedded structs.
func (r *reader) fields(t typeRef, depth int) (all []field) {
	structure, file := r.structOf(t)
	if structure == nil || depth > 10 {
		return nil
	}
	for _, declared := range structure.Fields.List {
		of := typeRef{declared.Type, file}
		var tag reflect.StructTag
		if declared.Tag != nil {
			text, _ := strconv.Unquote(declared.Tag.Value)
			tag = reflect.StructTag(text)
		}
		if len(declared.Names) == 0 {
			all = append(all, r.fields(of, depth+1)...)
		}
		for _, name := range declared.Names {
			if name.IsExported() {
				all = append(all, field{name.Name, of, tag, docText(declared.Doc, declared.Comment), true})
			}
		}
	}
	return all
}

// isKnownStruct reports whether the fields of a struct can be read, and adds a mistake otherwise.
func (r *reader) isKnownStruct(f *feature) bool {
	if structure, _ := r.structOf(*f.call.structure); structure != nil {
		return true
	}
	r.mistakes.Add(f.At, "declare a struct in the app, or use parameters", "the arguments of %s are a type of another module, whose fields mcp can't read", f.ident())
	return false
}

// variables reads the variables of a template, and compares them with the parameters.
func (r *reader) variables(f *feature) {
	names, err := variablesOf(f.URI)
	if err != nil {
		r.mistakes.Add(f.At, err.fix, "the URI template %s: %s", f.URI, err.what)
		return
	}
	for _, name := range names {
		f.arguments = append(f.arguments, argument{name: name})
	}
	var have []string
	switch {
	case f.call.structure != nil:
		if !r.isKnownStruct(f) {
			return
		}
		for _, field := range r.fields(*f.call.structure, 0) {
			name, _, _ := strings.Cut(field.tag.Get("uri"), ",")
			if name == "" || name == "-" {
				continue
			}
			have = append(have, name)
			r.checkText(f, "the field "+field.name, field.of)
			if !slices.Contains(names, name) {
				r.mistakes.Add(f.At, nearest(name, names), "the URI template %s has no variable %s, which the tag of the field %s names", f.URI, name, field.name)
			}
		}
	default:
		for _, parameter := range f.call.plain {
			have = append(have, parameter.name)
			r.checkText(f, "the parameter "+parameter.name, parameter.of)
			if !slices.Contains(names, parameter.name) {
				r.mistakes.Add(f.At, nearest(parameter.name, names), "the URI template %s has no variable %s, as a parameter of %s is called", f.URI, parameter.name, f.ident())
			}
		}
	}
	for _, name := range names {
		if slices.Contains(have, name) || f.call.hasRequest && !f.call.hasArguments() { // it reads the request
			continue
		}
		fix := "add a parameter " + name
		if f.call.structure != nil {
			fix = fmt.Sprintf("add a field with the tag `uri:%q`", name)
		}
		r.mistakes.Add(f.At, fix, "%s has no parameter for the variable %s of the URI template", f.ident(), name)
	}
}

// variablesOf returns the names of the variables of a URI template (RFC 6570), in order. What else
// may be wrong with it is found when the server is registered.
func variablesOf(template string) (names []string, problem *typeError) {
	for rest := template; ; {
		before, after, opened := strings.Cut(rest, "{")
		if strings.Contains(before, "}") || !opened && strings.Contains(rest, "}") {
			return nil, &typeError{"a brace is not opened", "write variables in braces, as in users://{id}"}
		}
		if !opened {
			break
		}
		inside, remainder, closed := strings.Cut(after, "}")
		if !closed || strings.Contains(inside, "{") {
			return nil, &typeError{"a brace is not closed", "write variables in braces, as in users://{id}"}
		}
		for name := range strings.SplitSeq(strings.TrimLeft(inside, "+#./;?&"), ",") {
			switch {
			case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != "":
				return nil, &typeError{fmt.Sprintf("%q can't be the name of a variable", name), "use letters, digits and underscores, without modifiers"}
			case slices.Contains(names, name):
				return nil, &typeError{"the variable " + name + " is there twice", "rename one"}
			}
			names = append(names, name)
		}
		rest = remainder
	}
	if len(names) == 0 {
		return nil, &typeError{"it has no variable", "write //mcp:resource for a URI without variables"}
	}
	return names, nil
}

// promptArguments reads the arguments of a prompt.
func (r *reader) promptArguments(f *feature) {
	var all []field
	if f.call.structure != nil {
		if !r.isKnownStruct(f) {
			return
		}
		all = r.fields(*f.call.structure, 0)
	}
	for _, parameter := range f.call.plain {
		tag := fmt.Sprintf("json:%q schema:%q", parameter.name, f.Options.Value("schema."+parameter.name))
		all = append(all, field{name: parameter.name, of: parameter.of, tag: reflect.StructTag(tag)})
	}
	for _, field := range all {
		name, options, _ := strings.Cut(field.tag.Get("json"), ",")
		switch name {
		case "-":
			continue
		case "":
			r.mistakes.Add(f.At, fmt.Sprintf("add the tag `json:%q`", naming.Kebab(field.name)), "the field %s has no json tag, so it isn't an argument of the prompt", field.name)
			continue
		}
		what := "the parameter " + field.name
		if field.tagged {
			what = "the field " + field.name
		}
		r.checkText(f, what, field.of)
		_, pointer := field.of.elem()
		read := argument{name: name, description: field.doc, isRequired: !pointer && !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")}
		read.tag(field.tag.Get("schema"), func(key string) {
			r.mistakes.Add(f.At, "its keys are title, description, default, enum and required", "the schema tag of %s has the key %q, which an argument of a prompt doesn't have", field.name, key)
		})
		f.arguments = append(f.arguments, read)
	}
}

// tag reads a schema tag.
func (a *argument) tag(text string, unknown func(key string)) {
	for _, part := range splitTag(text) {
		key, value, _ := strings.Cut(part, "=")
		value = strings.TrimSpace(value)
		if len(value) >= 2 && value[0] == '\'' && value[len(value)-1] == '\'' {
			value = strings.ReplaceAll(value[1:len(value)-1], "''", "'")
		}
		switch key = strings.TrimSpace(key); key {
		case "title":
			a.title = value
		case "description":
			a.description = value
		case "default":
			a.value, a.isRequired = &value, false
		case "enum":
			a.enum = strings.Split(value, "|")
		case "required":
			a.isRequired = a.value == nil
		default:
			unknown(key)
		}
	}
}

// splitTag splits a schema tag at the commas that aren't in single quotes.
func splitTag(text string) (parts []string) {
	quoted, start := false, 0
	for i, c := range text + "," {
		switch {
		case c == '\'':
			quoted = !quoted
		case c == ',' && (!quoted || i == len(text)):
			if part := strings.TrimSpace(text[start:min(i, len(text))]); part != "" {
				parts = append(parts, part)
			}
			start = i + 1
		}
	}
	return parts
}

// checkText reports a type that can't be set from a text.
func (r *reader) checkText(f *feature, what string, of typeRef) {
	elem, _ := of.elem()
	if declared := r.declared(elem); declared != nil && declared.file.pkg.method(declared.spec.Name.Name, "UnmarshalText") != nil {
		return
	}
	under := r.underlying(elem)
	importPath, name, named := under.named()
	if named && (importPath != "" || name != "any" && name != "error" && !strings.HasPrefix(name, "complex")) {
		return
	}
	if _, isName := under.expr.(*ast.Ident); !isName || named {
		r.mistakes.Add(f.At, "use a string, a number, a bool or a type with UnmarshalText", "%s of %s can't be set from a text", what, f.ident())
	}
}
