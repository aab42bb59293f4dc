package takeout

import (
	"errors"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"strings"
)

// A place is where a takeout happens.
type place struct {
	node     ast.Node
	from, to token.Pos
	function *ast.FuncDecl
}

// places returns what a takeout names in a function: by the code without arguments, or else with them.
func places(function *ast.FuncDecl, t Takeout) []place {
	if t.Verb == "return" {
		start := function.Body.Lbrace + 1
		return []place{{node: function, from: start, to: start, function: function}}
	}
	found := placesAs(brief{}, function, t)
	if len(found) != 1 {
		if long := placesAs(brief{arguments: true}, function, t); len(long) > 0 {
			return long
		}
	}
	return found
}

func placesAs(as brief, function *ast.FuncDecl, t Takeout) (found []place) {
	add := func(node ast.Node, code string) {
		if code == t.Code {
			found = append(found, place{node: node, from: node.Pos(), to: node.End(), function: function})
		}
	}
	ast.Inspect(function.Body, func(node ast.Node) bool {
		switch {
		case t.Verb == "skip":
			for _, statement := range listOf(node) {
				add(statement, as.statement(statement))
			}
		case t.Verb == "zero" && isKeyValue(node):
			field := node.(*ast.KeyValueExpr)
			add(field.Value, as.expression(field))
			if as.expression(field.Key)+":" == t.Code {
				add(field.Value, t.Code)
			}
		default:
			if expression, ok := node.(ast.Expr); ok {
				add(expression, as.expression(expression))
			}
		}
		return true
	})
	return found
}

func isKeyValue(node ast.Node) bool {
	_, ok := node.(*ast.KeyValueExpr)
	return ok
}

// listOf returns the statements that stand in a list, where a statement may become a conditional one.
func listOf(node ast.Node) []ast.Stmt {
	switch n := node.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// edit returns the text before and after the place that makes the takeout happen if it is switched on.
func (p place) edit(t Takeout) (before, after string, err error) {
	id := fmt.Sprintf("%q", t.ID)
	switch t.Verb {
	case "skip":
		if assignment, ok := p.node.(*ast.AssignStmt); ok && assignment.Tok == token.DEFINE {
			return "", "", errors.New("a statement that declares variables can't be skipped")
		}
		return "if !takenOut(" + id + ") { ", " }", nil
	case "false":
		return "(!takenOut(" + id + ") && (", "))", nil
	case "true":
		return "(takenOut(" + id + ") || (", "))", nil
	case "zero":
		return "takenOutZero(" + id + ", ", ")", nil
	case "pass":
		if call, ok := p.node.(*ast.CallExpr); !ok || len(call.Args) == 0 {
			return "", "", errors.New("only a call with arguments has one that can stand in for it")
		}
		return "takenOutFor(" + id + ", ", ")", nil
	}
	return "if takenOut(" + id + ") { return " + zeros(p.function.Type) + " }; ", "", nil
}

// zeros returns zero values for the results of a function.
func zeros(of *ast.FuncType) string {
	if of.Results == nil {
		return ""
	}
	var values []string
	for _, field := range of.Results.List {
		if len(field.Names) > 0 {
			return "" // results with names are zero at the beginning
		}
		values = append(values, "*new("+typeText(field.Type)+")")
	}
	return strings.Join(values, ", ")
}

// typeText returns a type as Go has it.
func typeText(of ast.Expr) string {
	var b strings.Builder
	_ = printer.Fprint(&b, token.NewFileSet(), of) // a strings.Builder takes everything
	return b.String()
}
