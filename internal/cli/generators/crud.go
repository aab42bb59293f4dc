package generators

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/stubs"
)

func newMakeCRUDCommand(i *invocation.Invocation) *cobra.Command {
	m := &making{Invocation: i}
	command := &cobra.Command{
		Use:   "make:crud NAME",
		Short: "Write a store, tools, a resource and a prompt for one kind of record",
		Long: "Write what an app needs to keep one kind of record, such as posts: a type with a store in memory and one in an SQLite\n" +
			"file (app/posts), tools that list, show, create, update and delete, a resource template, a prompt, and a test of each.\n" +
			"The server gets them and a field for the store, and " + routesFile + " sets the field.\n" +
			"The stubs in stubs/crud of the app are used instead of the built-in ones; see mcp stubs:publish.\n" +
			"Code of a form that isn't edited stays, and what to paste is printed." + makeHelp,
		Example:           "  mcp make:crud Post\n  mcp make:crud blog-post --server Shop",
		Args:              invocation.AtMost(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	m.addRegistrationFlags(command)
	return m.prepare(command, m.makeCRUD)
}

func (m *making) makeCRUD(args []string) error {
	record, err := named(m, args, "of the records", "What does the app keep?", "For example Post", scaffold.ParseRecord)
	if err != nil {
		return err
	}
	crud := crud{m, record, m.app.Module + "/app/" + record.Package()}
	if err := crud.render(); err != nil {
		return err
	}
	if err := crud.register(); err != nil {
		return err
	}
	if mod, err := os.ReadFile(filepath.Join(m.app.Root, "go.mod")); err == nil && !bytes.Contains(mod, []byte("modernc.org/sqlite ")) {
		m.tidy = true
	}
	return nil
}

// A crud is the making of make:crud for one kind of record.
type crud struct {
	*making
	record scaffold.Record
	store  string // the import path of the store
}

// render adds the files of the store and of what is registered.
func (c crud) render() error {
	name := c.record.Package()
	folder := "app/" + name
	type source struct{ stub, path, doc string }
	sources := []source{
		{"store", folder + "/store.go", ""},
		{"store_test", folder + "/store_test.go", ""},
		{"memory", folder + "/memory.go", ""},
		{"database", folder + "/" + name + "db/" + name + "db.go", ""},
	}
	for _, part := range c.parts() {
		file := part.kind.folder() + "/" + naming.Snake(part.element.Name)
		sources = append(sources, source{part.stub, file + ".go", part.kind.doc}, source{part.stub + "_test", file + "_test.go", ""})
	}
	sources = append(sources, source{"tool_error", tool().folder() + "/" + naming.Snake(c.record.Type) + "_error.go", ""})
	documented := map[string]bool{}
	for _, source := range sources {
		content, err := c.app.Render(stubs.Files(), "crud/"+source.stub+".stub", c.record)
		if err != nil {
			return err
		}
		file := scaffold.File{Path: source.path, Content: content}
		if folder := path.Dir(source.path); source.doc != "" && !documented[folder] {
			c.app.Document(&file, "Package "+path.Base(folder)+" has the app's "+source.doc+".")
			documented[folder] = true
		}
		c.files = append(c.files, file)
	}
	return c.check()
}

// A part is a type that a server lists.
type part struct {
	stub    string
	kind    primitive
	element scaffold.Element
	stores  bool // whether it has the store
}

func (c crud) parts() (parts []part) {
	add := func(stub string, kind primitive, typeName string, stores bool) {
		element := kind.element(c.app.Module, scaffold.Name{Type: typeName})
		parts = append(parts, part{stub, kind, element, stores})
	}
	add("list_tool", tool(), "List"+c.record.Plural+"Tool", true)
	for _, verb := range []string{"Show", "Create", "Update", "Delete"} {
		add(strings.ToLower(verb)+"_tool", tool(), verb+c.record.Type+"Tool", true)
	}
	add("resource", resource(), c.record.Type+"Resource", true)
	add("prompt", prompt(), "Write"+c.record.Type+"Prompt", false)
	return parts
}

// with returns the element of a part in a method whose receiver has the given name.
func (p part) with(receiver, field string) scaffold.Element {
	if p.stores {
		p.element.After = "{Store: " + receiver + "." + field + "}"
	}
	return p.element
}

func (c crud) field() scaffold.Field {
	return scaffold.Field{
		Name: c.record.Plural, Import: c.store, Type: "Store", Value: "NewMemory()",
		Doc: c.record.Plural + " keeps the " + c.record.Words() + ".",
	}
}

// register adds the parts to a server and the store to the routes. If the app's code has a
// form that isn't edited, it edits nothing and notes what to paste.
func (c crud) register() error {
	if c.noRegister {
		c.paste("", nil)
		return nil
	}
	routes, err := c.app.Sources(routesFolder)
	if err != nil {
		return err
	}
	server, sources, err := c.sources()
	if err != nil {
		return err
	}
	if server == nil {
		c.paste("", nil)
		return nil
	}
	err = c.edit(sources, routes, *server)
	if refusal := new(scaffold.RefusedError); errors.As(err, &refusal) {
		c.notes += fmt.Sprintf("\n%s, so no file was edited.\n", err)
		c.paste(server.Path, refusal)
		return nil
	}
	if err == nil {
		c.files = append(append(c.files, sources.Files()...), routes.Files()...)
		name := c.record.Package()
		c.notes += fmt.Sprintf("\n%s keeps the %s in memory. To keep them in a file, set %s to the result of %sdb.Open; its import is \"%s/%sdb\".\n",
			routesFile, c.record.Words(), c.record.Plural, name, c.store, name)
	}
	return err
}

func (c crud) edit(sources, routes *scaffold.Sources, server scaffold.Server) error {
	if err := sources.AddField(server.Type, c.field()); err != nil {
		return err
	}
	for _, part := range c.parts() {
		receiver := ""
		if part.stores {
			var err error
			if receiver, err = sources.Receiver(server.Type, part.kind.list); err != nil {
				return err
			}
		}
		if err := sources.Register(server.Type, part.kind.list, part.with(receiver, c.record.Plural)); err != nil {
			return err
		}
	}
	return routes.SetField(c.app.Module+"/"+path.Dir(server.Path), server.Type, c.field())
}

// paste notes how a person registers the parts in the file of a server, which may be empty.
// Refused is the reason why they are not registered, or nil.
func (c crud) paste(file string, refusal *scaffold.RefusedError) {
	var server, routes imports
	switch {
	case refusal == nil:
	case path.Dir(refusal.Path) == routesFolder:
		routes.alias = refusal.Alias
	default:
		server.alias = refusal.Alias
	}
	if file == "" {
		file = "a file of " + scaffold.ServerFolder
	}
	field := c.record.Plural
	c.notes += fmt.Sprintf("\nPaste this field into the struct of the server in %s:\n\n\t%s %s.Store\n", file, field, server.name(c.store))
	method := ""
	for _, part := range c.parts() {
		if part.kind.list.Method != method {
			method = part.kind.list.Method
			c.notes += fmt.Sprintf("\nPaste into its %s(), with a receiver s:\n\n", method)
		}
		c.notes += "\t" + part.with("s", field).In(server.name(part.element.Import)) + ",\n"
	}
	c.notes += fmt.Sprintf("\nIts imports are:\n\n%s", server.lines())
	c.notes += fmt.Sprintf("\nSet the field where %s makes the server:\n\n\t%s: %s.NewMemory()\n", routesFile, field, routes.name(c.store))
	c.notes += fmt.Sprintf("\nIts import is:\n\n%s", routes.lines())
}
