package directives

import (
	"go/ast"
	"reflect"
	"strconv"
	"strings"
)

// addComments adds the comments of the fields of types of the app, and of those inside them. It
// reports whether there are any.
func (w *renderer) addComments(types ...typeRef) (found bool) {
	seen := map[*goType]bool{}
	for _, of := range types {
		w.reach(of, seen)
	}
	for declared := range seen {
		if comments := commentsOf(declared); len(comments) > 0 {
			key := declared.file.pkg.path
			if declared.file.pkg.name == "main" {
				key = "main" // as package reflect calls it
			}
			w.comments[key+"."+declared.spec.Name.Name] = comments
			found = true
		}
	}
	return found
}

// reach adds the types of the app that are a part of the JSON of another one.
func (r *reader) reach(of typeRef, seen map[*goType]bool) {
	inner := func(expr ast.Expr) { r.reach(typeRef{expr, of.file}, seen) }
	switch expr := of.expr.(type) {
	case *ast.ParenExpr:
		inner(expr.X)
	case *ast.StarExpr:
		inner(expr.X)
	case *ast.ArrayType:
		inner(expr.Elt)
	case *ast.Ellipsis:
		inner(expr.Elt)
	case *ast.MapType:
		inner(expr.Value)
	case *ast.IndexExpr:
		inner(expr.X)
		inner(expr.Index)
	case *ast.IndexListExpr:
		inner(expr.X)
		for _, argument := range expr.Indices {
			inner(argument)
		}
	case *ast.StructType:
		for _, field := range expr.Fields.List {
			if len(field.Names) == 0 || field.Names[0].IsExported() {
				inner(field.Type)
			}
		}
	case *ast.Ident, *ast.SelectorExpr:
		if declared := r.declared(of); declared != nil && !seen[declared] {
			seen[declared] = true
			r.reach(typeRef{declared.spec.Type, declared.file}, seen)
		}
	}
}

// commentsOf returns the comments of the fields of a struct that have no description in a tag.
func commentsOf(declared *goType) map[string]string {
	structure, ok := declared.spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	comments := map[string]string{}
	for _, field := range structure.Fields.List {
		var tag reflect.StructTag
		if field.Tag != nil {
			text, _ := strconv.Unquote(field.Tag.Value)
			tag = reflect.StructTag(text)
		}
		if tag.Get("json") == "-" || tag.Get("jsonschema") != "" || strings.Contains(tag.Get("schema"), "description=") {
			continue
		}
		text := docText(field.Doc, field.Comment)
		for _, name := range field.Names {
			if text != "" && name.IsExported() {
				comments[name.Name] = text
			}
		}
	}
	return comments
}
