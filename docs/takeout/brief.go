package takeout

import (
	"go/ast"
	"strings"
)

// A brief writes code as lines of a list name it: on one line, selectors without what they select from.
type brief struct {
	arguments bool // calls have their arguments, instead of "..."
}

// statement returns a statement that can be skipped, or "" for any other.
func (b brief) statement(node ast.Node) string {
	switch s := node.(type) {
	case *ast.ExprStmt:
		return b.expression(s.X)
	case *ast.AssignStmt:
		return b.list(s.Lhs) + " " + s.Tok.String() + " " + b.list(s.Rhs)
	case *ast.IncDecStmt:
		return b.expression(s.X) + s.Tok.String()
	case *ast.SendStmt:
		return b.expression(s.Chan) + " <- " + b.expression(s.Value)
	case *ast.DeferStmt:
		return "defer " + b.expression(s.Call)
	case *ast.GoStmt:
		return "go " + b.expression(s.Call)
	case *ast.ReturnStmt:
		return strings.TrimSuffix("return "+b.list(s.Results), " ")
	case *ast.BranchStmt:
		return s.Tok.String()
	case *ast.RangeStmt:
		return "range " + b.expression(s.X)
	}
	return ""
}

// expression returns an expression, with _ for a part that lines don't name.
func (b brief) expression(node ast.Expr) string {
	switch e := node.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.ParenExpr:
		return "(" + b.expression(e.X) + ")"
	case *ast.StarExpr:
		return "*" + b.expression(e.X)
	case *ast.UnaryExpr:
		return e.Op.String() + b.expression(e.X)
	case *ast.BinaryExpr:
		return b.expression(e.X) + " " + e.Op.String() + " " + b.expression(e.Y)
	case *ast.IndexExpr:
		return b.expression(e.X) + "[" + b.expression(e.Index) + "]"
	case *ast.SliceExpr:
		return b.expression(e.X) + "[" + b.bound(e.Low) + ":" + b.bound(e.High) + "]"
	case *ast.TypeAssertExpr:
		return b.expression(e.X) + ".(" + b.bound(e.Type) + ")"
	case *ast.KeyValueExpr:
		return b.expression(e.Key) + ": " + b.expression(e.Value)
	case *ast.FuncLit:
		return "func"
	case *ast.CompositeLit:
		return b.bound(e.Type) + "{" + b.inside(e.Elts) + "}"
	case *ast.CallExpr:
		return b.expression(e.Fun) + "(" + b.inside(e.Args) + ")"
	}
	return "_"
}

func (b brief) bound(e ast.Expr) string {
	if e == nil {
		return ""
	}
	return b.expression(e)
}

func (b brief) inside(list []ast.Expr) string {
	if len(list) > 0 && !b.arguments {
		return "..."
	}
	return b.list(list)
}

func (b brief) list(list []ast.Expr) string {
	written := make([]string, len(list))
	for i, e := range list {
		written[i] = b.expression(e)
	}
	return strings.Join(written, ", ")
}
