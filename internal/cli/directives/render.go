package directives

import (
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A renderer writes the generated file.
type renderer struct {
	*reader
	imports  *imports
	comments map[string]map[string]string // of fields, by type
	taken    map[string]bool              // the names of the generated package
	body     strings.Builder
}

// render returns the generated file.
func (r *reader) render(sets []*set) ([]byte, error) {
	w := &renderer{reader: r, comments: map[string]map[string]string{}, taken: map[string]bool{}}
	if pkg := r.load(r.target.folder); pkg != nil && r.target.name == "main" {
		w.taken = maps.Clone(pkg.names)
	}
	for _, set := range sets {
		if w.taken[set.typeName] {
			return nil, fmt.Errorf("the main package declares %s, as generated code does; rename it", set.typeName)
		}
	}
	w.taken["comments"] = true
	own := slices.Collect(maps.Keys(w.taken))
	for _, set := range sets {
		own = append(own, set.typeName)
		for _, f := range set.features {
			f.typeName = w.typeName(f)
			own = append(own, f.typeName, f.argumentsName())
		}
	}
	w.imports = newImports(r.target.path, own, r.packageName)
	for _, set := range sets {
		w.set(set)
	}
	for _, set := range sets {
		for _, f := range set.features {
			if f.listed {
				continue
			}
			if err := w.feature(f); err != nil {
				return nil, err
			}
		}
	}
	w.writeComments()
	out := header + "\n"
	if r.target.name != "main" {
		out += "// Package " + r.target.name + " registers the functions, methods and types that have directives such as //mcp:tool.\n"
	}
	out += "package " + r.target.name + "\n\n" + w.imports.write(r.app.Module) + "\n" + w.body.String()
	formatted, err := format.Source([]byte(out))
	if err != nil {
		return nil, fmt.Errorf("the generated file isn't valid, which is a mistake of mcp: %w", err)
	}
	return formatted, nil
}

// packageName returns the name of a package of the app, or what the path of another one ends with.
func (r *reader) packageName(importPath string) string {
	if pkg := r.packageAt(importPath); pkg != nil {
		return pkg.name
	}
	return r.imports.Name(importPath)
}

// typeName returns a new name for the type of a feature.
func (w *renderer) typeName(f *feature) string {
	if f.listed {
		return ""
	}
	base := f.base()
	name := lower(base) + naming.Studly(string(f.Kind))
	for number := 1; w.taken[name]; number++ {
		name = lower(f.file.pkg.name) + naming.Studly(base) + naming.Studly(string(f.Kind))
		if number > 1 {
			name = fmt.Sprint(name, number)
		}
	}
	w.taken[name] = true
	return name
}

// lower returns a name of Go that isn't exported.
func lower(name string) string {
	words := strings.Split(naming.Kebab(name), "-")
	if words[0] == "" {
		return "x" + name
	}
	return words[0] + name[min(len(words[0]), len(name)):]
}

// argumentsName is the name of the struct for the parameters of a tool.
func (f *feature) argumentsName() string {
	return strings.TrimSuffix(f.typeName, "Tool") + "Arguments"
}

func (w *renderer) printf(format string, args ...any) { fmt.Fprintf(&w.body, format, args...) }

// set writes the type of features.
func (w *renderer) set(s *set) {
	about := "without the option server"
	if s.server != "" {
		about = "with the option server=" + s.server
	}
	w.printf("// %s are the tools, resources and prompts of the directives %s.\n", s.typeName, about)
	receiver := "*" + s.typeName
	if len(s.dependencies) == 0 {
		w.printf("type %s struct{}\n", s.typeName)
	} else {
		receiver = "f " + receiver
		w.printf("type %s struct {\n", s.typeName)
		for _, dependency := range s.dependencies {
			text, _ := dependency.of.writeName(w.imports) // its name has been checked
			w.printf("%s *%s\n", dependency.field, text)
		}
		w.printf("}\n")
	}
	for _, list := range []struct {
		name  string
		kinds []directive.Kind
	}{{"Tool", []directive.Kind{directive.Tool}}, {"Resource", []directive.Kind{directive.Resource, directive.Template}}, {"Prompt", []directive.Kind{directive.Prompt}}} {
		of := receiver
		var elements []string
		for _, f := range s.features {
			if slices.Contains(list.kinds, f.Kind) {
				elements = append(elements, w.element(f)+",\n")
			}
		}
		text := strings.Join(elements, "")
		if !strings.Contains(text, "f.") {
			of = "*" + s.typeName
		}
		all := "[]" + w.imports.framework("servers") + "." + list.name
		w.printf("\n// %ss returns the %ss.\n", list.name, strings.ToLower(list.name))
		if text == "" {
			w.printf("func (%s) %ss() %s { return nil }\n", of, list.name, all)
			continue
		}
		w.printf("func (%s) %ss() %s {\nreturn %s{\n%s}\n}\n", of, list.name, all, all, text)
	}
	w.printf("\n")
}

// element returns a feature as an element of a list.
func (w *renderer) element(f *feature) string {
	switch {
	case f.listed && f.needs != nil:
		return "f." + f.needs.field
	case f.listed:
		text, _ := typeRef{f.spec.Name, f.file}.writeName(w.imports)
		return "&" + text + "{}"
	case f.needs != nil:
		return fmt.Sprintf("&%s{%s: f.%s}", f.typeName, f.valueField(), f.needs.field)
	}
	return "&" + f.typeName + "{}"
}

// writeComments writes the comments of fields.
func (w *renderer) writeComments() {
	if len(w.comments) == 0 {
		return
	}
	w.printf("\n// comments has the comments of fields, by type.\nvar comments = %s.Comments{\n", w.imports.framework("schema"))
	for _, of := range slices.Sorted(maps.Keys(w.comments)) {
		w.printf("%q: {\n", of)
		fields := w.comments[of]
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			w.printf("%q: %s,\n", name, literal(fields[name]))
		}
		w.printf("},\n")
	}
	w.printf("}\n")
}
