package generators

import (
	"fmt"
	"path"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/stubs"
)

// A crudFile is a file that is made from a stub in stubs/crud.
type crudFile struct{ stub, path, doc string }

// folder returns the folder of the store.
func (r records) folder() string { return "app/" + r.record.Package() }

// migrations returns the folder of the migrations.
func (r records) migrations() string { return r.folder() + "/" + r.record.Package() + "db/migrations" }

// sources returns the Go files that the command writes.
func (r records) sources() []crudFile {
	name, folder := r.record.Package(), r.folder()
	sources := []crudFile{
		{"store", folder + "/store.go", ""},
		{"request", folder + "/request.go", ""},
		{"store_test", folder + "/store_test.go", ""},
		{"storetest", folder + "/" + name + "test/" + name + "test.go", ""},
		{"database", folder + "/" + name + "db/" + name + "db.go", ""},
		{"database_list", folder + "/" + name + "db/list.go", ""},
	}
	for _, part := range r.parts() {
		file := part.kind.folder() + "/" + naming.Snake(strings.TrimPrefix(part.element.Name, "New"))
		sources = append(sources, crudFile{part.stub, file + ".go", part.kind.doc}, crudFile{part.stub + "_test", file + "_test.go", ""})
	}
	return append(sources, crudFile{"shared", tool().folder() + "/" + naming.Snake(r.record.Type) + "_id.go", ""})
}

// render adds the files of the store and of what is registered.
func (r records) render() error {
	if r.force && r.countMigrations() > 1 {
		return fmt.Errorf("%s has migrations after the first one, which --force would contradict; add fields with --add, or remove the folder", r.migrations())
	}
	migration := crudFile{"migration", r.migrations() + "/0001_create_" + naming.Snake(r.record.Plural) + ".sql", ""}
	documented := map[string]bool{}
	for _, source := range append(r.sources(), migration) {
		content, err := r.rendered(source, r.record)
		if err != nil {
			return err
		}
		file := scaffold.File{Path: source.path, Content: content}
		if folder := path.Dir(source.path); source.doc != "" && !documented[folder] {
			r.app.Document(&file, "Package "+path.Base(folder)+" has the app's "+source.doc+".")
			documented[folder] = true
		}
		r.files = append(r.files, file)
	}
	return r.check()
}

func (r records) rendered(source crudFile, named scaffold.Named) ([]byte, error) {
	stub := "crud/" + source.stub + ".stub"
	if path.Ext(source.path) != ".go" {
		return r.app.RenderText(stubs.Files(), stub, named)
	}
	return r.app.Render(stubs.Files(), stub, named)
}

// A part is a type that a server lists.
type part struct {
	stub    string
	kind    primitive
	element scaffold.Element
}

func (r records) parts() (parts []part) {
	add := func(stub string, kind primitive, typeName string) {
		parts = append(parts, part{stub, kind, scaffold.Element{Import: r.app.Module + "/" + kind.folder(), Name: "New" + typeName}})
	}
	add("list_tool", tool(), "List"+r.record.Plural+"Tool")
	for _, verb := range []string{"Show", "Create", "Update", "Delete"} {
		add(strings.ToLower(verb)+"_tool", tool(), verb+r.record.Type+"Tool")
	}
	add("resource", resource(), r.record.Type+"Resource")
	add("prompt", prompt(), "Write"+r.record.Type+"Prompt")
	return parts
}

// with returns the element of a part in a method whose receiver has the given name.
func (p part) with(receiver, field string) scaffold.Element {
	p.element.After = "(" + receiver + "." + field + ")"
	return p.element
}
