package generators

import (
	"errors"
	"fmt"
	"path"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// mainFile is the file of the function that opens databases, as mcp new writes it.
const mainFile = "main.go"

func (r records) field() scaffold.Field {
	return scaffold.Field{
		Name: r.record.Plural, Import: r.store, Type: "Store", Value: r.record.Variable() + "Store",
		Doc: r.record.Plural + " keeps the " + r.record.Words() + ".",
	}
}

func (r records) opening() scaffold.Store {
	return scaffold.Store{
		Variable: r.field().Value, Import: r.store + "/" + r.record.Package() + "db", Routes: r.app.Module + "/" + routesFolder,
		Words: r.record.Words(),
	}
}

// register adds the parts to a server and the store to the routes and to main. If the app's code
// has a form that isn't edited, it edits nothing and notes what to paste.
func (r records) register() error {
	if r.noRegister {
		r.paste("", nil)
		return nil
	}
	routes, err := r.app.Sources(routesFolder)
	if err != nil {
		return err
	}
	program, err := r.app.Sources(".")
	if err != nil {
		return err
	}
	server, sources, err := r.making.sources()
	if err != nil {
		return err
	}
	if server == nil {
		r.paste("", nil)
		return nil
	}
	err = r.edit(sources, routes, program, *server)
	if refusal := new(scaffold.RefusedError); errors.As(err, &refusal) {
		r.notes += fmt.Sprintf("\n%s, so no file was edited.\n", err)
		r.paste(server.Path, refusal)
		return nil
	}
	if err != nil {
		return err
	}
	for _, edited := range []*scaffold.Sources{sources, routes, program} {
		r.files = append(r.files, edited.Files()...)
	}
	r.noteGuard(routes)
	return r.editTests(*server)
}

func (r records) edit(sources, routes, program *scaffold.Sources, server scaffold.Server) error {
	if err := sources.AddField(server.Type, r.field()); err != nil {
		return err
	}
	for _, part := range r.parts() {
		receiver, err := sources.Receiver(server.Type, part.kind.list)
		if err != nil {
			return err
		}
		if err := sources.Register(server.Type, part.kind.list, part.with(receiver, r.record.Plural)); err != nil {
			return err
		}
	}
	servers := r.app.Module + "/" + path.Dir(server.Path)
	if err := routes.AddParameter(servers, server.Type, r.field()); err != nil {
		return err
	}
	if err := routes.SetField(servers, server.Type, r.field()); err != nil {
		return err
	}
	if !routes.TakesStore(r.field()) { // a person has set the field to another store
		return nil
	}
	return program.OpenStore(r.opening())
}

// editTests sets the field where the tests of the server make one.
func (r records) editTests(server scaffold.Server) error {
	folder := path.Dir(server.Path)
	tests, err := r.app.TestSources(folder)
	if err != nil {
		return err
	}
	field := r.field()
	field.Import, field.Value = r.store+"/"+r.record.Package()+"test", "Open(t)"
	if tests.SetFields(r.app.Module+"/"+folder, server.Type, field) {
		r.files = append(r.files, tests.Files()...)
		return nil
	}
	r.notes += fmt.Sprintf("\nThe tests of %s that make a %s have to set %s to %stest.Open(t); its import is %q.\n",
		folder, server.Type, field.Name, r.record.Package(), field.Import)
	return nil
}

// noteGuard says that nobody can use records that belong to users over a route without a guard.
func (r records) noteGuard(routes *scaffold.Sources) {
	if owner := r.record.Owner(); owner != nil && !routes.HasGuard() {
		r.notes += fmt.Sprintf("\nThe %s belong to the users who make them (%s), and no route in %s has a guard, so that over HTTP every call is refused.\n"+
			"Add .Guard(…) to the route, for example with the authorization server that mcp new --auth adds to an app.\n", r.record.Words(), owner.Name, routesFile)
	}
}

// paste notes how a person registers the parts in the file of a server, which may be empty.
// Refused is the reason why they are not registered, or nil.
func (r records) paste(file string, refusal *scaffold.RefusedError) {
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
	field := r.field()
	r.notes += fmt.Sprintf("\nPaste this field into the struct of the server in %s:\n\n\t%s %s.Store\n", file, field.Name, server.name(r.store))
	method := ""
	for _, part := range r.parts() {
		if part.kind.list.Method != method {
			method = part.kind.list.Method
			r.notes += fmt.Sprintf("\nPaste into its %s(), with a receiver s:\n\n", method)
		}
		r.notes += "\t" + part.with("s", field.Name).In(server.name(part.element.Import)) + ",\n"
	}
	r.notes += fmt.Sprintf("\nIts imports are:\n\n%s", server.lines())
	r.notes += fmt.Sprintf("\nGive AI in %s this parameter, and set the field where it makes the server:\n\n\t%s %s.Store\n\t%s: %[2]s\n",
		routesFile, field.Value, routes.name(r.store), field.Name)
	r.notes += fmt.Sprintf("\nIts import is:\n\n%s", routes.lines())
	r.notes += fmt.Sprintf("\nPaste into %s, above routes.AI, which gets %s as its last argument:\n\n%s", mainFile, field.Value, r.opening().Paste())
}
