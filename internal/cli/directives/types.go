package directives

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strings"
)

// A typeRef is a type as a file of the app writes it.
type typeRef struct {
	expr ast.Expr
	file *goFile
}

// A typeError says why generated code can't have a type, or a URI template can't be used.
type typeError struct{ what, fix string }

func (e *typeError) Error() string { return e.what }

// predeclared reports whether a name is a type of the language.
func predeclared(name string) bool {
	return strings.Contains(" any bool byte complex64 complex128 comparable error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr ",
		" "+name+" ")
}

// elem returns the type without pointers and parentheses, and whether there was a pointer.
func (t typeRef) elem() (typeRef, bool) {
	pointer := false
	for {
		switch expr := t.expr.(type) {
		case *ast.ParenExpr:
			t.expr = expr.X
		case *ast.StarExpr:
			t.expr, pointer = expr.X, true
		default:
			return t, pointer
		}
	}
}

// named returns the import path and the name of a named type, with or without type arguments. The
// path is "" for a type of the language.
func (t typeRef) named() (importPath, name string, ok bool) {
	expr := t.expr
	switch generic := expr.(type) {
	case *ast.IndexExpr:
		expr = generic.X
	case *ast.IndexListExpr:
		expr = generic.X
	}
	switch expr := expr.(type) {
	case *ast.Ident:
		if predeclared(expr.Name) && !t.file.pkg.names[expr.Name] {
			return "", expr.Name, true
		}
		return t.file.pkg.path, expr.Name, true
	case *ast.SelectorExpr:
		if from, ok := expr.X.(*ast.Ident); ok {
			return t.file.importPath(from.Name), expr.Sel.Name, true
		}
	}
	return "", "", false
}

// is reports whether a type is one of the framework, or of the standard library.
func (t typeRef) is(importPath, name string) bool {
	p, n, ok := t.named()
	return ok && p == importPath && n == name
}

// importPath returns the path of an import by its name in the file. If no import is known by it,
// one whose path has the name in its last element is meant.
func (f *goFile) importPath(name string) string {
	if known, ok := f.names[name]; ok {
		return known
	}
	for _, importPath := range f.names {
		if strings.Contains(path.Base(importPath), name) || strings.Contains(path.Base(path.Dir(importPath)), name) {
			return importPath
		}
	}
	return name
}

// declared returns the declaration of a named type of the app, or nil.
func (r *reader) declared(t typeRef) *goType {
	importPath, name, ok := t.named()
	if !ok || importPath == "" {
		return nil
	}
	if pkg := r.packageAt(importPath); pkg != nil {
		return pkg.types[name]
	}
	return nil
}

// packageAt returns the package of the app with an import path, or nil.
func (r *reader) packageAt(importPath string) *goPackage {
	if importPath == r.app.Module {
		return r.load(".")
	}
	if folder, own := strings.CutPrefix(importPath, r.app.Module+"/"); own {
		return r.load(folder)
	}
	return nil
}

// underlying returns the type below the names that the app declares.
func (r *reader) underlying(t typeRef) typeRef {
	for range 100 { // a type that is declared by itself doesn't compile
		t, _ = t.elem()
		declared := r.declared(t)
		if declared == nil {
			break
		}
		t = typeRef{declared.spec.Type, declared.file}
	}
	return t
}

// structOf returns the fields of a struct type of the app, or nil for any other type.
func (r *reader) structOf(t typeRef) (*ast.StructType, *goFile) {
	under := r.underlying(t)
	structure, _ := under.expr.(*ast.StructType)
	return structure, under.file
}

// write returns a type as generated code writes it, and adds its imports.
func (t typeRef) write(to *imports) (string, error) {
	list := func(from []ast.Expr) (string, error) {
		texts := make([]string, len(from))
		for i, one := range from {
			text, err := typeRef{one, t.file}.write(to)
			if err != nil {
				return "", err
			}
			texts[i] = text
		}
		return strings.Join(texts, ", "), nil
	}
	inner := func(before string, expr ast.Expr) (string, error) {
		text, err := typeRef{expr, t.file}.write(to)
		return before + text, err
	}
	switch expr := t.expr.(type) {
	case *ast.ParenExpr:
		return inner("", expr.X)
	case *ast.StarExpr:
		return inner("*", expr.X)
	case *ast.Ident, *ast.SelectorExpr:
		return t.writeName(to)
	case *ast.ArrayType:
		length, ok := expr.Len.(*ast.BasicLit)
		switch {
		case expr.Len == nil:
			return inner("[]", expr.Elt)
		case ok:
			return inner("["+length.Value+"]", expr.Elt)
		}
		return "", &typeError{"the length of an array is a constant", "write the number, or use a slice"}
	case *ast.Ellipsis:
		return inner("[]", expr.Elt)
	case *ast.MapType:
		key, err := inner("", expr.Key)
		if err != nil {
			return "", err
		}
		return inner("map["+key+"]", expr.Value)
	case *ast.IndexExpr:
		name, err := inner("", expr.X)
		if err != nil {
			return "", err
		}
		arguments, err := list([]ast.Expr{expr.Index})
		return name + "[" + arguments + "]", err
	case *ast.IndexListExpr:
		name, err := inner("", expr.X)
		if err != nil {
			return "", err
		}
		arguments, err := list(expr.Indices)
		return name + "[" + arguments + "]", err
	case *ast.InterfaceType:
		if expr.Methods == nil || len(expr.Methods.List) == 0 {
			return "any", nil
		}
	case *ast.StructType:
		return t.writeStruct(expr, to)
	}
	return "", &typeError{"functions, channels and interfaces with methods can't be sent as JSON", "use another type"}
}

// writeName writes the name of a type.
func (t typeRef) writeName(to *imports) (string, error) {
	importPath, name, _ := t.named()
	switch {
	case importPath == "":
		return name, nil
	case importPath == to.own:
		return name, nil
	case !token.IsExported(name):
		return "", &typeError{fmt.Sprintf("the type %s of package %s is not exported, so generated code can't use it", name, t.file.pkg.name), "begin its name with a capital"}
	}
	return to.name(importPath, t.nameOf(importPath)) + "." + name, nil
}

// nameOf returns the name of the package with an import path.
func (t typeRef) nameOf(importPath string) string {
	if importPath == t.file.pkg.path {
		return t.file.pkg.name
	}
	if selector, ok := t.expr.(*ast.SelectorExpr); ok {
		if from, ok := selector.X.(*ast.Ident); ok && t.file.names[from.Name] == "" {
			return from.Name // guessed from the path
		}
	}
	return ""
}

// writeStruct writes a struct type without a name.
func (t typeRef) writeStruct(of *ast.StructType, to *imports) (string, error) {
	var out strings.Builder
	out.WriteString("struct {\n")
	for _, field := range of.Fields.List {
		text, err := typeRef{field.Type, t.file}.write(to)
		if err != nil {
			return "", err
		}
		names := make([]string, len(field.Names))
		for i, name := range field.Names {
			if !name.IsExported() && t.file.pkg.path != to.own {
				return "", &typeError{fmt.Sprintf("the field %s of a struct without a name is not exported", name.Name), "declare a type for the struct"}
			}
			names[i] = name.Name
		}
		out.WriteString(strings.Join(names, ", ") + " " + text)
		if field.Tag != nil {
			out.WriteString(" " + field.Tag.Value)
		}
		out.WriteString("\n")
	}
	return out.String() + "}", nil
}
