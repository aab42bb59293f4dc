package scaffold

import (
	"go/ast"
	"go/token"
	"strconv"
)

// A Route is what AI in routes/ai.go has to know of a new server.
type Route struct {
	// Server is the server's type, and Import the path of its package.
	Server, Import string
	// Handle is the server's name in a path and for mcp start.
	Handle string
	// Variable is the name of a variable for the server.
	Variable string
	// Guard is the call that guards the route over HTTP, and IsOpen says that it is missing; see
	// Sources.Guard. Guard may be "".
	Guard  string
	IsOpen bool
}

// AddRoute adds a server to the function AI, over HTTP and stdio, unless AI has the server
// already. The error is a *RefusedError if the code has a form that it doesn't edit.
func (s *Sources) AddRoute(route Route) error {
	file, function, err := s.routes()
	if err != nil {
		return err
	}
	if file.refers(function, route.Import, route.Server) {
		return nil
	}
	if function.Body == nil {
		return file.refuse("has an AI() without a body")
	}
	router := file.parameter(function, "/mcp", "Router")
	if router == "" {
		return file.refuse("has an AI() without a router")
	}
	if handle := strconv.Quote(route.Handle); file.mentions(function, handle) {
		return file.refuse("has the handle %s already", handle)
	}
	name, err := s.use(file, route.Import)
	if err != nil {
		return err
	}
	_, function = s.function("AI")
	if file.assigns(function, name) {
		return &RefusedError{Path: file.path, Alias: "app" + name, Reason: "has another meaning for the name " + name}
	}
	variable := route.Variable
	if file.mentions(function, variable) || s.Declares(variable) || variable == name || token.IsKeyword(variable) {
		variable += "Server"
	}
	if file.mentions(function, variable) {
		return file.refuse("has another meaning for the name %s", variable)
	}
	return file.addRoute(function, router, "&"+name+"."+route.Server+"{}", route, variable)
}

// routes returns the function AI, with its file.
func (s *Sources) routes() (*source, *ast.FuncDecl, error) {
	file, function := s.function("AI")
	if file == nil {
		return nil, nil, &RefusedError{Path: s.folder, Reason: "has no function AI"}
	}
	return file, function, file.editable()
}

// addRoute adds the statements to a function.
func (s *source) addRoute(function *ast.FuncDecl, router, server string, route Route, variable string) error {
	body, count, outer := function.Body, len(function.Body.List), "\n"+s.indent(function.Pos())
	oneLine := s.line(body.Lbrace) == s.line(body.Rbrace)
	offset, first, next, end := s.offset(body.Rbrace), "\t", outer+"\t", outer
	if oneLine {
		first = next
	}
	if count > 0 {
		last := body.List[count-1]
		if _, ok := last.(*ast.ReturnStmt); ok {
			return s.refuse("has an AI() that returns at its end")
		}
		if oneLine {
			return s.refuse("has an AI() on one line")
		}
		next = "\n" + s.indent(last.Pos())
		offset, first, end = s.afterComments(last.End()), "\n"+next, ""
	}
	handle := strconv.Quote(route.Handle)
	text := first + variable + " := " + server +
		next + router + ".Web(" + handle + ", " + variable + ")" + route.Guard +
		next + router + ".Local(" + handle + ", " + variable + ")" + end
	s.insert(offset, text)
	if err := s.apply(); err != nil {
		return err
	}
	if added := s.function("AI"); added == nil || len(added.Body.List) != count+3 {
		return s.refuse("has an AI() of a form that mcp does not edit")
	}
	return nil
}

// function returns a function, with its file, or nil.
func (s *Sources) function(name string) (*source, *ast.FuncDecl) {
	for _, file := range s.files {
		if function := file.function(name); function != nil {
			return file, function
		}
	}
	return nil, nil
}

func (s *source) function(name string) *ast.FuncDecl {
	for _, declared := range s.file.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == name {
			return function
		}
	}
	return nil
}

// parameter returns the name of the parameter whose type is a pointer to a type of a package of
// the framework, such as *mcp.Router.
func (s *source) parameter(function *ast.FuncDecl, folder, typeName string) string {
	for _, spec := range s.file.Imports {
		known, name := s.packages.imported(spec)
		if known != framework+folder {
			continue
		}
		for _, parameter := range function.Type.Params.List {
			if s.textOf(parameter.Type) == "*"+name+"."+typeName && len(parameter.Names) == 1 && parameter.Names[0].Name != "_" {
				return parameter.Names[0].Name
			}
		}
	}
	return ""
}

// refers reports whether code mentions what a package declares.
func (s *source) refers(code ast.Node, importPath, what string) (found bool) {
	for _, spec := range s.file.Imports {
		known, name := s.packages.imported(spec)
		if known != importPath {
			continue
		}
		ast.Inspect(code, func(node ast.Node) bool {
			if selector, ok := node.(*ast.SelectorExpr); ok && selector.Sel.Name == what {
				from, ok := selector.X.(*ast.Ident)
				found = found || ok && from.Name == name
			}
			return !found
		})
	}
	return found
}

// mentions reports whether code has an identifier or a literal.
func (s *source) mentions(code ast.Node, word string) (found bool) {
	ast.Inspect(code, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.Ident:
			found = found || node.Name == word
		case *ast.BasicLit:
			found = found || node.Value == word
		}
		return !found
	})
	return found
}
