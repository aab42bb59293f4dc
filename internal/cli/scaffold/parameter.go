package scaffold

import "go/ast"

// TakesStore reports whether AI has the parameter for a store.
func (s *Sources) TakesStore(field Field) bool {
	_, function := s.function("AI")
	return function != nil && shadows(function.Type.Params, field.Value)
}

// AddParameter adds a parameter for a store, whose name is the field's value, to AI, unless AI has
// it already, or sets the field of the server that it makes. The error is a *RefusedError if the
// code has a form that it doesn't edit.
func (s *Sources) AddParameter(importPath, server string, field Field) error {
	file, function, err := s.routes()
	if err != nil {
		return err
	}
	parameters := function.Type.Params
	if literal, err := file.literalOf(function, importPath, server); err != nil || file.sets(literal, field.Name) || shadows(parameters, field.Value) {
		return err
	}
	if function.Body == nil || len(parameters.List) == 0 || len(parameters.List[len(parameters.List)-1].Names) == 0 {
		return file.refuse("has an AI() without a router")
	}
	if file.mentions(function, field.Value) || s.Declares(field.Value) {
		return file.refuse("has another meaning for the name %s", field.Value)
	}
	name, err := s.use(file, field.Import)
	if err != nil {
		return err
	}
	_, function = s.function("AI")
	last := function.Type.Params.List[len(function.Type.Params.List)-1]
	file.insert(file.offset(last.End()), ", "+field.Value+" "+name+"."+field.Type)
	return file.apply()
}

// HasGuard reports whether a route in AI, or all, have a guard.
func (s *Sources) HasGuard() bool {
	file, function := s.function("AI")
	return file != nil && function.Body != nil && file.mentions(function.Body, "Guard")
}

// A call is a statement that calls a function of a package, in a list of statements.
type call struct {
	file       *source
	list       []ast.Stmt // of the body of the function
	at         int        // the index of the statement
	expression *ast.CallExpr
	function   *ast.FuncDecl
}

// calls returns the statements directly in bodies of functions that call a function of a package.
func (s *Sources) calls(importPath, name string) (found []call) {
	for _, file := range s.files {
		for _, declared := range file.file.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			for i, statement := range function.Body.List {
				if expression := callIn(statement); expression != nil && file.refers(expression.Fun, importPath, name) {
					found = append(found, call{file, function.Body.List, i, expression, function})
				}
			}
		}
	}
	return found
}

// callIn returns the call that a statement makes, or whose result it assigns.
func callIn(statement ast.Stmt) *ast.CallExpr {
	var expression ast.Expr
	switch statement := statement.(type) {
	case *ast.ExprStmt:
		expression = statement.X
	case *ast.AssignStmt:
		if len(statement.Rhs) == 1 {
			expression = statement.Rhs[0]
		}
	}
	found, _ := expression.(*ast.CallExpr)
	return found
}
