package scaffold

import (
	"fmt"
	"go/ast"
	"strings"
)

// A Store is a store that the program opens.
type Store struct {
	// Variable is the name of a variable for it.
	Variable string
	// Import is the path of the package whose function New opens it in a database.
	Import string
	// Routes is the path of the package whose function AI gets it.
	Routes string
	// Words say what it keeps: blog posts.
	Words string
}

const (
	sqlite   = framework + "/database/sqlite"
	postgres = framework + "/database/postgres"
)

// OpenStore opens a store where the program calls AI of the routes, and passes it to AI, unless it
// does already. The first store opens the database too, and closes it before the program ends. The
// error is a *RefusedError if the code has a form that it doesn't edit.
func (s *Sources) OpenStore(store Store) error {
	found, err := s.callOfRoutes(store)
	if err != nil {
		return err
	}
	file := found.file
	for _, argument := range found.expression.Args {
		if strings.TrimSpace(file.textOf(argument)) == store.Variable {
			return nil
		}
	}
	database := file.database(found.list)
	names := store.names(database)
	for _, name := range append(names.declared, store.Variable) {
		if file.mentions(found.function, name) || s.Declares(name) {
			return file.refuse("has another meaning for the name %s", name)
		}
	}
	for _, imported := range names.imports {
		if _, err := s.use(file, imported); err != nil {
			return err
		}
	}
	if found, err = s.callOfRoutes(store); err != nil {
		return err
	}
	return file.openStore(found, store, database)
}

// openStore makes the edits. The imports are there.
func (s *source) openStore(found call, store Store, database string) error {
	last := found.list[len(found.list)-1]
	exit, isReturn := s.exit(last)
	if exit == nil && (database == "" || isReturn) {
		return s.refuse("does not end with os.Exit(app.Main()) where it calls AI of the routes")
	}
	fail := "os.Exit(1)"
	if isReturn {
		fail = "return 1"
	}
	text := store.opening(database, fail, isReturn)
	s.insert(s.offset(found.list[found.at].Pos()), strings.ReplaceAll(text, "\n", "\n"+s.indent(found.list[found.at].Pos())))
	s.insert(s.offset(found.expression.Rparen), ", "+store.Variable)
	if database == "" && !isReturn {
		indent := "\n" + s.indent(last.Pos())
		s.replace(last, "code := "+s.textOf(exit)+indent+"_ = db.Close()"+indent+"os.Exit(code)")
	}
	return s.apply()
}

// callOfRoutes returns the statement that calls AI.
func (s *Sources) callOfRoutes(store Store) (call, error) {
	found := s.calls(store.Routes, "AI")
	if len(found) != 1 || len(found[0].expression.Args) == 0 || found[0].expression.Ellipsis.IsValid() {
		return call{}, &RefusedError{Path: "main.go", Reason: "does not call AI of the routes once"}
	}
	return found[0], found[0].file.editable()
}

// database returns the variable of the database that some statements open, or "".
func (s *source) database(list []ast.Stmt) string {
	for _, statement := range list {
		assigned, ok := statement.(*ast.AssignStmt)
		opened := callIn(statement)
		if !ok || opened == nil || !s.refers(opened.Fun, sqlite, "Open") && !s.refers(opened.Fun, postgres, "Open") {
			continue
		}
		if name, ok := assigned.Lhs[0].(*ast.Ident); ok && name.Name != "_" {
			return name.Name
		}
	}
	return ""
}

// exit returns the call of Main in os.Exit(app.Main()) or return app.Main(), and reports whether
// the function returns its code.
func (s *source) exit(last ast.Stmt) (main ast.Expr, isReturn bool) {
	var results []ast.Expr
	switch last := last.(type) {
	case *ast.ReturnStmt:
		results, isReturn = last.Results, true
	case *ast.ExprStmt:
		if exit, _ := s.called(last.X); exit != nil && s.refers(exit.Fun, "os", "Exit") {
			results = exit.Args
		}
	}
	if len(results) != 1 {
		return nil, isReturn
	}
	if result, method := s.called(results[0]); method != nil && method.Sel.Name == "Main" {
		return result, isReturn
	}
	return nil, isReturn
}

// storeNames are what the code that opens a store needs.
type storeNames struct{ declared, imports []string }

func (s Store) names(database string) storeNames {
	names := storeNames{imports: []string{"context", "fmt", "os", s.Import}}
	if database == "" {
		names.declared = []string{"db", "code"}
		names.imports = append(names.imports, sqlite)
	}
	return names
}

// opening returns the code that opens the store, with an indent of its own lines only.
func (s Store) opening(database, fail string, deferred bool) string {
	const handled = "if err != nil {\n\tfmt.Fprintln(os.Stderr, %q, err)\n\t%s\n}\n"
	text := ""
	if database == "" {
		database = "db"
		text = "db, err := sqlite.Open(context.Background(), \"storage/app.db\") // or postgres.Open with a URL\n" + fmt.Sprintf(handled, "open the database:", fail)
		if deferred {
			text += "defer func() { _ = db.Close() }()\n"
		}
	}
	name := s.Import[strings.LastIndexByte(s.Import, '/')+1:]
	return text + s.Variable + ", err := " + name + ".New(context.Background(), " + database + ")\n" + fmt.Sprintf(handled, "open the store of "+s.Words+":", fail)
}

// Paste returns the code for a program that has no database yet, to be pasted by a person.
func (s Store) Paste() string {
	text := "\t" + strings.ReplaceAll(strings.TrimSpace(s.opening("", "os.Exit(1)", false)), "\n", "\n\t") + "\n"
	return text + "\nClose the database before the program ends. The imports are:\n\n\t\"" + sqlite + "\"\n\t\"" + s.Import + "\"\n"
}
