package directives

import (
	"errors"
	"fmt"
	"go/token"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A problem of a feature is found while it is written, so it is a mistake without a position yet.
func (w *renderer) feature(f *feature) error {
	err := w.featureType(f)
	if problem, ok := errors.AsType[*typeError](err); ok {
		w.mistakes.Add(f.At, problem.fix, "%s: %s", f.ident(), problem.what)
		return w.mistakes.Sorted()
	}
	return err
}

// featureType writes the type of a feature with its methods.
func (w *renderer) featureType(f *feature) error {
	var in, out string
	base := w.imports.framework(f.Kind.Folder()) + "." + f.Kind.Base()
	if f.Kind == directive.Tool {
		var err error
		if in, out, err = w.toolTypes(f); err != nil {
			return err
		}
		base = fmt.Sprintf("%s.Typed[%s, %s]", w.imports.framework("tools"), in, out)
	}
	what := f.file.pkg.name + "." + f.ident()
	if f.of != "" {
		what = fmt.Sprintf("%s of %s.%s", f.ident(), f.file.pkg.name, f.of)
	} else if f.spec != nil {
		what = fmt.Sprintf("%s of %s", f.fn.Name.Name, what)
	}
	w.printf("\n// %s calls %s.\ntype %s struct {\n%s\n", f.typeName, what, f.typeName, base)
	w.hints(f, true)
	if f.needs != nil {
		text, err := f.needs.of.writeName(w.imports)
		if err != nil {
			return err
		}
		w.printf("%s *%s\n", f.valueField(), text)
	}
	w.printf("}\n\n")
	w.definition(f)
	w.hints(f, false)
	switch f.Kind {
	case directive.Tool:
		w.toolSchemas(f)
		w.toolCall(f, in, out)
		return nil
	case directive.Prompt:
		w.argumentsMethod(f)
	case directive.Template:
		w.variablesMethod(f)
	case directive.Resource: // which has neither
	}
	return w.handle(f)
}

// valueField is the name of the field with the value that has the method.
func (f *feature) valueField() string {
	_, name, _ := f.needs.of.named()
	name = lower(name)
	if token.IsKeyword(name) {
		return name + "_"
	}
	return name
}

// text writes a method that returns a text.
func (w *renderer) text(f *feature, name, text string) {
	w.printf("func (*%s) %s() string { return %s }\n", f.typeName, name, literal(text))
}

// definition writes the methods for what lists show of a feature.
func (w *renderer) definition(f *feature) {
	if f.Kind.HasURI() {
		w.text(f, "URI", f.URI)
	}
	w.text(f, "Name", f.name)
	if title := f.Options.Value("title"); title != "" {
		w.text(f, "Title", title)
	}
	description := f.Options.Value("description")
	if description == "" {
		description = f.doc
	}
	if description != "" || !f.Kind.HasURI() {
		w.text(f, "Description", description)
	}
	if mimeType := f.Options.Value("mimeType"); mimeType != "" {
		w.text(f, "MIMEType", mimeType)
	}
	if size := f.Options.Value("size"); size != "" {
		w.printf("func (*%s) Size() int64 { return %s }\n", f.typeName, size)
	}
	w.annotations(f)
	w.icons(f)
	if meta := f.Options.Below("meta"); len(meta) > 0 {
		w.printf("func (*%s) Meta() map[string]any {\nreturn map[string]any{\n", f.typeName)
		for _, one := range meta {
			w.printf("%q: %s,\n", one.Name, directive.MetaLiteral(one))
		}
		w.printf("}\n}\n")
	}
}

// annotations writes whom a resource is for, how important it is, and when it last changed.
func (w *renderer) annotations(f *feature) {
	audience, priority, modified := f.Options.Value("audience"), f.Options.Value("priority"), f.Options.Value("lastModified")
	if audience+priority+modified == "" {
		return
	}
	content := w.imports.framework("content")
	w.printf("func (*%s) Annotations() *%s.Annotations {\nreturn &%s.Annotations{\n", f.typeName, content, content)
	if audience != "" {
		var roles []string
		for role := range strings.SplitSeq(audience, "|") {
			roles = append(roles, content+"."+naming.Studly(role))
		}
		w.printf("Audience: []%s.Role{%s},\n", content, strings.Join(roles, ", "))
	}
	if priority != "" {
		number, _ := strconv.ParseFloat(priority, 64)
		w.printf("Priority: new(float64(%s)),\n", strconv.FormatFloat(number, 'g', -1, 64))
	}
	if modified != "" {
		at, _ := time.Parse(time.RFC3339, modified)
		at = at.UTC()
		w.printf("LastModified: %s.Date(%d, %s.%s, %d, %d, %d, %d, %d, %s.UTC),\n", w.imports.name("time", "time"),
			at.Year(), "time", at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), "time")
	}
	w.printf("}\n}\n")
}

// icons writes the icons.
func (w *renderer) icons(f *feature) {
	var all []string
	for _, given := range f.Options {
		if given.Name != "icon" {
			continue
		}
		read, _ := directive.ReadIcon(given.Value) // it has been checked
		text := fmt.Sprintf("{Src: %q", read.Src)
		if read.MIMEType != "" {
			text += fmt.Sprintf(", MIMEType: %q", read.MIMEType)
		}
		if read.Sizes != nil {
			text += ", Sizes: " + texts(read.Sizes)
		}
		if read.Theme != "" {
			text += fmt.Sprintf(", Theme: %q", read.Theme)
		}
		all = append(all, text+"},\n")
	}
	if len(all) > 0 {
		list := "[]" + w.imports.framework("content") + ".Icon"
		w.printf("func (*%s) Icons() %s {\nreturn %s{\n%s}\n}\n", f.typeName, list, list, strings.Join(all, ""))
	}
}

// hints writes the hints of a tool: those that are true are embedded, the others have methods.
func (w *renderer) hints(f *feature, embedded bool) {
	for _, hint := range []struct{ option, name string }{
		{"readonly", "ReadOnly"}, {"destructive", "Destructive"}, {"idempotent", "Idempotent"}, {"openworld", "OpenWorld"},
	} {
		switch flag := f.Options.Flag(hint.option); {
		case flag == "true" && embedded:
			w.printf("%s.Is%s\n", w.imports.framework("annotations"), hint.name)
		case flag == "false" && !embedded:
			w.printf("func (*%s) %sHint() bool { return false }\n", f.typeName, hint.name)
		}
	}
}

// literal returns a text as Go writes it: a paragraph on each line.
func literal(text string) string {
	paragraphs := strings.SplitAfter(text, "\n\n")
	for i, paragraph := range paragraphs {
		paragraphs[i] = strconv.Quote(paragraph)
	}
	return strings.Join(paragraphs, " +\n")
}

// texts returns a list of texts as Go writes it.
func texts(list []string) string { return "[]string{" + quoted(list) + "}" }

// quoted returns texts as arguments of a call.
func quoted(list []string) string {
	all := make([]string, len(list))
	for i, text := range list {
		all[i] = strconv.Quote(text)
	}
	return strings.Join(all, ", ")
}
