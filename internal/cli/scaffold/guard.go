package scaffold

import (
	"go/ast"
	"strings"
)

// Guard returns the call that guards a new route in AI, such as .Guard(oauth.Guard("mcp:use")),
// so that a server of an app whose users log in isn't open to everybody. The call is that of the
// first guarded route, or a guard of the app's authorization server without a scope. It is "" if
// AI has neither, or a guard for all routes.
func (s *Sources) Guard() string {
	file, function := s.function("AI")
	if file == nil || function.Body == nil {
		return ""
	}
	return file.guard(function)
}

func (s *source) guard(function *ast.FuncDecl) (guard string) {
	router := s.parameter(function, "/mcp", "Router")
	for _, statement := range function.Body.List {
		expression, ok := statement.(*ast.ExprStmt)
		if !ok {
			continue
		}
		found, oneLine := "", true
		call, method := s.called(expression.X)
		for ; method != nil; call, method = s.called(method.X) {
			on, isName := method.X.(*ast.Ident)
			switch {
			case method.Sel.Name != "Guard" || s.root(method) != router:
			case isName && on.Name == router:
				return "" // it guards all routes
			default:
				found = "." + string(s.text[s.offset(method.Sel.Pos()):s.offset(call.End())]) + found
				oneLine = oneLine && s.line(method.Sel.Pos()) == s.line(call.End())
			}
		}
		if guard == "" && oneLine {
			guard = found
		}
	}
	if server := s.parameter(function, "/auth/oauth", "Server"); guard == "" && server != "" {
		guard = ".Guard(" + server + ".Guard())"
	}
	return guard
}

// called returns a call of a method, with the method, or nil.
func (*source) called(expression ast.Expr) (*ast.CallExpr, *ast.SelectorExpr) {
	call, ok := expression.(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	method, _ := call.Fun.(*ast.SelectorExpr)
	return call, method
}

// root returns the name on which a chain of methods is called, such as mcp in
// mcp.Web("demo", demo).Guard.
func (s *source) root(method *ast.SelectorExpr) string {
	for {
		if _, next := s.called(method.X); next != nil {
			method = next
			continue
		}
		return strings.TrimSpace(s.textOf(method.X))
	}
}
