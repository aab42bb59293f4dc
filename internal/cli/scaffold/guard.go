package scaffold

import (
	"go/ast"
	"strings"
)

// Guard returns the call that guards a new route in AI, such as .Guard(auth.Guard("mcp:use")),
// so that a server of an app whose users log in isn't open to everybody. The call is that of the
// first guarded route, or a guard of the app's authorization server without a scope. It is "" if
// AI has neither, or if all routes are guarded or public. The new route is open if the call is ""
// although AI has a guard, such as that of a group.
func (s *Sources) Guard() (call string, isOpen bool) {
	file, function := s.function("AI")
	if file == nil || function.Body == nil {
		return "", false
	}
	return file.guard(function)
}

func (s *source) guard(function *ast.FuncDecl) (guard string, isOpen bool) {
	router := s.parameter(function, "/mcp", "Router")
	for _, statement := range function.Body.List {
		expression, ok := statement.(*ast.ExprStmt)
		if !ok {
			continue
		}
		if s.isOfAllRoutes(expression.X, router) {
			return "", false
		}
		found, oneLine := "", true
		call, method := s.called(expression.X)
		for ; method != nil; call, method = s.called(method.X) {
			if method.Sel.Name == "Guard" && s.root(method) == router {
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
	return guard, guard == "" && s.mentions(function.Body, "Guard")
}

// isOfAllRoutes reports whether an expression guards all routes of a router, or makes them public.
func (s *source) isOfAllRoutes(expression ast.Expr, router string) bool {
	_, method := s.called(expression)
	if method == nil || method.Sel.Name != "Guard" && method.Sel.Name != "Public" {
		return false
	}
	on, isName := method.X.(*ast.Ident)
	return isName && on.Name == router
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
