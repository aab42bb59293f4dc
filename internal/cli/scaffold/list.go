package scaffold

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// A List is a method of a server that returns a list, such as Tools.
type List struct {
	// Method is the name of the method: Tools.
	Method string
	// Type is the type of the elements in package servers: Tool.
	Type string
	// Doc is the comment of a new method, without the slashes.
	Doc string
}

// An Element is a value in a list of a server.
type Element struct {
	// Import is the path of the package that declares the type or function.
	Import string
	// Name is the type or function.
	Name string
	// Before and After are what surrounds the qualified name, such as & and {}.
	Before, After string
}

// In returns the element as Go code of a file that has a name for the package.
func (e Element) In(name string) string { return e.Before + name + "." + e.Name + e.After }

// Register adds an element to a list of a server, unless the list has the type or function
// already. It adds the method and the import if they are missing. The error is a
// *RefusedError if the code has a form that it doesn't edit.
func (s *Sources) Register(server string, list List, element Element) error {
	if err := s.ensureMethod(server, list); err != nil {
		return err
	}
	file, method := s.method(server, list.Method)
	if err := file.editable(); err != nil {
		return err
	}
	if literal, _, err := file.listOf(method); err != nil || literal != nil && file.refers(literal, element.Import, element.Name) {
		return err
	}
	name, err := s.use(file, element.Import)
	if err != nil {
		return err
	}
	_, method = s.method(server, list.Method)
	if file.mentions(method.Recv, name) { // as a receiver or a type parameter
		return &RefusedError{Path: file.path, Alias: "app" + name, Reason: "has another meaning for the name " + name}
	}
	return s.append(file, method, element.In(name))
}

// append appends an element, and checks that the list is the old one with one more.
func (s *Sources) append(file *source, method *ast.FuncDecl, element string) error {
	literal, none, err := file.listOf(method)
	if err != nil {
		return err
	}
	var before []string
	if literal == nil {
		file.replace(none, file.textOf(method.Type.Results.List[0].Type)+"{"+file.inBraces(method, element)+"}")
	} else if len(literal.Elts) == 0 && file.line(literal.Lbrace) == file.line(literal.Rbrace) {
		file.insert(file.offset(literal.Rbrace), file.inBraces(method, element))
	} else {
		before = file.elements(literal)
		file.appendTo(literal, element)
	}
	server, name := ReceiverType(method), method.Name.Name
	if err := file.apply(); err != nil {
		return err
	}
	if _, method = s.method(server, name); method != nil {
		literal, _, err = file.listOf(method)
	}
	if method == nil || err != nil || literal == nil || !isOneMore(before, file.elements(literal)) {
		return file.refuse("has a %s() of a form that mcp does not edit", name)
	}
	return nil
}

func isOneMore(before, after []string) bool {
	return len(after) == len(before)+1 && slices.Equal(before, after[:len(before)])
}

// listOf returns the literal that a method returns, or the nil that it returns.
func (s *source) listOf(method *ast.FuncDecl) (literal *ast.CompositeLit, none *ast.Ident, err error) {
	results := method.Type.Results
	if method.Body == nil || len(method.Body.List) != 1 || results == nil {
		return nil, nil, s.refuse("has a %s() with more than a list", method.Name.Name)
	}
	returned, ok := method.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(returned.Results) != 1 || len(results.List) != 1 {
		return nil, nil, s.refuse("has a %s() that does not return a list", method.Name.Name)
	}
	switch result := returned.Results[0].(type) {
	case *ast.CompositeLit:
		if array, ok := result.Type.(*ast.ArrayType); ok && array.Len == nil {
			return result, nil, nil
		}
	case *ast.Ident:
		if _, ok := results.List[0].Type.(*ast.ArrayType); ok && result.Name == "nil" {
			return nil, result, nil
		}
	}
	return nil, nil, s.refuse("has a %s() that does not return a list literal", method.Name.Name)
}

func (s *source) elements(literal *ast.CompositeLit) []string {
	texts := make([]string, len(literal.Elts))
	for i, element := range literal.Elts {
		texts[i] = s.textOf(element)
	}
	return texts
}

// inBraces returns an element as the only one of a list: on a line of its own, unless the
// method is on one line.
func (s *source) inBraces(method *ast.FuncDecl, element string) string {
	if s.line(method.Body.Lbrace) == s.line(method.Body.Rbrace) {
		return element
	}
	indent := "\n" + s.indent(method.Body.List[0].Pos())
	return indent + "\t" + element + "," + indent
}

// appendTo inserts an element at the end of a literal: on a line of its own if the brace at
// the end is on one.
func (s *source) appendTo(literal *ast.CompositeLit, element string) {
	if len(literal.Elts) == 0 { // a brace, comments, and a brace on another line
		s.insert(s.offset(literal.Rbrace), "\t"+element+",\n"+s.indent(literal.Rbrace))
		return
	}
	last := literal.Elts[len(literal.Elts)-1]
	comma, end := s.comma(last.End(), literal.Rbrace)
	switch {
	case s.line(literal.Rbrace) == s.line(last.End()) && comma:
		s.insert(s.offset(literal.Rbrace), " "+element)
	case s.line(literal.Rbrace) == s.line(last.End()):
		s.insert(s.offset(literal.Rbrace), ", "+element)
	default:
		s.insert(s.afterComments(end), "\n"+s.indent(last.Pos())+element+",")
	}
}

// comma reports whether a comma follows the last element, and returns where it ends.
func (s *source) comma(from, to token.Pos) (found bool, end token.Pos) {
	text := s.text[s.offset(from):s.offset(to)]
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var tokens scanner.Scanner
	tokens.Init(file, text, func(token.Position, string) {}, 0)
	for pos, kind, _ := tokens.Scan(); kind != token.EOF; pos, kind, _ = tokens.Scan() {
		if kind == token.COMMA {
			return true, from + token.Pos(file.Offset(pos)+1)
		}
	}
	return false, from
}

// shadows reports whether a receiver or a parameter has a name, which hides the package of
// that name.
func shadows(fields *ast.FieldList, name string) bool {
	return slices.ContainsFunc(fields.List, func(field *ast.Field) bool {
		return slices.ContainsFunc(field.Names, func(declared *ast.Ident) bool { return declared.Name == name })
	})
}

// ensureMethod adds a method that returns an empty list to a server that lacks it, below
// the last method of the type.
func (s *Sources) ensureMethod(server string, list List) error {
	if _, method := s.method(server, list.Method); method != nil {
		return nil
	}
	file, spec, structure := s.structType(server)
	if file == nil {
		return &RefusedError{Path: s.folder, Reason: "does not declare " + server}
	}
	if err := file.editable(); err != nil {
		return err
	}
	if structure == nil || !embedsOnlyBase(file, structure) {
		return file.refuse("declares a %s that may have %s() from another type", server, list.Method)
	}
	name, err := s.use(file, framework+"/servers")
	if err != nil {
		return err
	}
	_, declared, _ := s.typeSpec(server)
	end := declared.End()
	for _, other := range file.file.Decls {
		if method, ok := other.(*ast.FuncDecl); ok && ReceiverType(method) == server {
			end = method.End()
		}
	}
	elements := "[]" + name + "." + list.Type
	file.insert(file.afterComments(end), "\n\n// "+list.Method+" "+list.Doc+"\nfunc (*"+receiver(server, spec)+") "+list.Method+"() "+elements+" {\n"+
		"\treturn "+elements+"{\n\t}\n}")
	return file.apply()
}

// receiver returns a type as the receiver of a method that doesn't use its type parameters.
func receiver(name string, spec *ast.TypeSpec) string {
	if spec.TypeParams == nil {
		return name
	}
	return name + "[_" + strings.Repeat(", _", spec.TypeParams.NumFields()-1) + "]"
}

// embedsOnlyBase reports whether a struct embeds the base of servers and nothing else, so
// that it is a server, and has no list from elsewhere.
func embedsOnlyBase(file *source, structure *ast.StructType) bool {
	embedded := slices.DeleteFunc(slices.Clone(structure.Fields.List), func(field *ast.Field) bool { return len(field.Names) > 0 })
	if len(embedded) != 1 {
		return false
	}
	selector, ok := embedded[0].Type.(*ast.SelectorExpr)
	return ok && slices.ContainsFunc(file.file.Imports, func(spec *ast.ImportSpec) bool {
		known, name := file.packages.imported(spec)
		return known == framework+"/servers" && name+".Server" == file.textOf(selector)
	})
}
