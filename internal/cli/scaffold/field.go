package scaffold

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A Field is a field of a server that holds a store.
type Field struct {
	// Name is the name of the field: Posts.
	Name string
	// Import is the path of the package of the store.
	Import string
	// Type is the name of its type: Store.
	Type string
	// Value is what sets it: a variable of AI, or in tests a call of a function of Import, without
	// the package.
	Value string
	// Doc is the comment of the field, without the slashes.
	Doc string
}

// AddField adds a field to a server, unless it has the field already. The error is a
// *RefusedError if the code has a form that it doesn't edit.
func (s *Sources) AddField(server string, field Field) error {
	file, _, structure := s.structType(server)
	if structure == nil {
		return &RefusedError{Path: s.folder, Reason: "does not declare a struct " + server}
	}
	if err := file.editable(); err != nil {
		return err
	}
	for _, other := range structure.Fields.List {
		for _, name := range other.Names {
			if name.Name != field.Name {
				continue
			}
			if file.refers(other.Type, field.Import, field.Type) {
				return nil
			}
			return file.refuse("has another field %s", field.Name)
		}
	}
	if _, method := s.method(server, field.Name); method != nil {
		return file.refuse("has a method %s", field.Name)
	}
	name, err := s.use(file, field.Import)
	if err != nil {
		return err
	}
	_, spec, structure := s.structType(server)
	if spec.TypeParams != nil && shadows(spec.TypeParams, name) {
		return &RefusedError{Path: file.path, Alias: "app" + name, Reason: "has another meaning for the name " + name}
	}
	count := structure.Fields.NumFields()
	file.insertField(structure, field, name)
	if err := file.apply(); err != nil {
		return err
	}
	if _, _, structure = s.structType(server); structure == nil || structure.Fields.NumFields() != count+1 {
		return file.refuse("has a struct of a form that mcp does not edit")
	}
	return nil
}

// structType returns the declaration of a struct type, with its file, or nil.
func (s *Sources) structType(name string) (*source, *ast.TypeSpec, *ast.StructType) {
	file, _, spec := s.typeSpec(name)
	if spec == nil {
		return nil, nil, nil
	}
	structure, _ := spec.Type.(*ast.StructType)
	return file, spec, structure
}

// insertField inserts a field below the last one.
func (s *source) insertField(structure *ast.StructType, field Field, packageName string) {
	fields := structure.Fields
	indent := "\n" + s.indent(structure.Pos()) + "\t"
	text := indent + "// " + field.Doc + indent + field.Name + " " + packageName + "." + field.Type
	if count := len(fields.List); count > 0 && s.line(fields.Closing) != s.line(fields.List[count-1].End()) {
		s.insert(s.afterComments(fields.List[count-1].End()), "\n"+text)
		return
	}
	if len(fields.List) > 0 { // struct{ servers.Server }
		s.insert(s.offset(fields.Opening)+1, "\n"+s.indent(structure.Pos())+"\t")
		text = "\n" + text
	}
	s.insert(s.offset(fields.Closing), text+"\n"+s.indent(structure.Pos()))
}

// Receiver returns the name of the receiver of a list method of a server. It adds the
// method and the name if they are missing.
func (s *Sources) Receiver(server string, list List) (string, error) {
	if err := s.ensureMethod(server, list); err != nil {
		return "", err
	}
	file, method := s.method(server, list.Method)
	if err := file.editable(); err != nil {
		return "", err
	}
	receiver := method.Recv.List[0]
	if len(receiver.Names) == 1 && receiver.Names[0].Name != "_" {
		return receiver.Names[0].Name, nil
	}
	name := s.receiverName(server)
	if file.mentions(method, name) || s.Declares(name) {
		return "", file.refuse("has another meaning for the name %s", name)
	}
	if len(receiver.Names) == 1 {
		file.replace(receiver.Names[0], name)
	} else {
		file.insert(file.offset(receiver.Type.Pos()), name+" ")
	}
	return name, file.apply()
}

// receiverName returns the name that the other methods of a type have for their receiver,
// or s.
func (s *Sources) receiverName(typeName string) string {
	for _, file := range s.files {
		for _, declared := range file.file.Decls {
			method, ok := declared.(*ast.FuncDecl)
			if !ok || ReceiverType(method) != typeName {
				continue
			}
			if names := method.Recv.List[0].Names; len(names) == 1 && names[0].Name != "_" {
				return names[0].Name
			}
		}
	}
	return "s"
}

// SetField sets a field of the server where AI makes it, unless the field is set already.
// The error is a *RefusedError if AI doesn't make one server of the type with a literal.
func (s *Sources) SetField(importPath, server string, field Field) error {
	file, function, err := s.routes()
	if err != nil {
		return err
	}
	literal, err := file.literalOf(function, importPath, server)
	if err != nil || file.sets(literal, field.Name) {
		return err
	}
	before := len(file.elements(literal))
	file.set(literal, field.Name+": "+field.Value)
	if err := file.apply(); err != nil {
		return err
	}
	_, function = s.function("AI")
	if literal, err = file.literalOf(function, importPath, server); err != nil || len(literal.Elts) != before+1 {
		return file.refuse("makes a %s in a form that mcp does not edit", server)
	}
	return nil
}

// set appends an element to a literal.
func (s *source) set(literal *ast.CompositeLit, element string) {
	if len(literal.Elts) == 0 && s.line(literal.Lbrace) == s.line(literal.Rbrace) {
		s.insert(s.offset(literal.Rbrace), element)
	} else {
		s.appendTo(literal, element)
	}
}

// SetFields sets a field in all literals of the server in tests that have a parameter t. It
// reports whether all literals of the server set the field then. If not, it changes nothing.
func (s *Sources) SetFields(importPath, server string, field Field) bool {
	for _, file := range s.files {
		literals := file.literals(file.file, importPath, server)
		if slices.ContainsFunc(literals, func(literal *ast.CompositeLit) bool { return !file.sets(literal, field.Name) }) && !s.setFields(file, importPath, server, field) {
			s.files = nil
			return false
		}
	}
	return true
}

func (s *Sources) setFields(file *source, importPath, server string, field Field) bool {
	name, err := s.use(file, field.Import)
	if err != nil || file.editable() != nil {
		return false
	}
	for _, declared := range file.file.Decls {
		for _, literal := range file.literals(declared, importPath, server) {
			function, ok := declared.(*ast.FuncDecl)
			_, keyed := literalKeys(literal)
			if !ok || !shadows(function.Type.Params, "t") || file.assigns(function, name) || !keyed {
				return false
			}
			if !file.sets(literal, field.Name) {
				file.set(literal, field.Name+": "+name+"."+field.Value)
			}
		}
	}
	return file.apply() == nil
}

// literalOf returns the only literal of a type in a function.
func (s *source) literalOf(function *ast.FuncDecl, importPath, typeName string) (*ast.CompositeLit, error) {
	found := s.literals(function, importPath, typeName)
	if len(found) != 1 {
		return nil, s.refuse("does not make one %s", typeName)
	}
	if _, keyed := literalKeys(found[0]); !keyed {
		return nil, s.refuse("makes a %s without the names of its fields", typeName)
	}
	return found[0], nil
}

// literals returns the literals of a type in code.
func (s *source) literals(code ast.Node, importPath, typeName string) (found []*ast.CompositeLit) {
	ast.Inspect(code, func(node ast.Node) bool {
		literal, ok := node.(*ast.CompositeLit)
		if !ok || literal.Type == nil {
			return true
		}
		if selector, ok := namedType(literal.Type).(*ast.SelectorExpr); ok && s.refers(selector, importPath, typeName) {
			found = append(found, literal)
		}
		return true
	})
	return found
}

// sets reports whether a literal sets a field.
func (s *source) sets(literal *ast.CompositeLit, field string) bool {
	pairs, _ := literalKeys(literal)
	return slices.ContainsFunc(pairs, func(pair *ast.KeyValueExpr) bool { return strings.TrimSpace(s.textOf(pair.Key)) == field })
}

// literalKeys returns the elements of a literal with names, and whether all have one.
func literalKeys(literal *ast.CompositeLit) (pairs []*ast.KeyValueExpr, all bool) {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			pairs = append(pairs, pair)
		}
	}
	return pairs, len(pairs) == len(literal.Elts)
}

// assigns reports whether a function declares a name, as a parameter or a variable.
func (s *source) assigns(function *ast.FuncDecl, name string) (found bool) {
	if shadows(function.Type.Params, name) {
		return true
	}
	ast.Inspect(function.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for _, left := range node.Lhs {
				ident, ok := left.(*ast.Ident)
				found = found || ok && node.Tok == token.DEFINE && ident.Name == name
			}
		case *ast.ValueSpec:
			for _, ident := range node.Names {
				found = found || ident.Name == name
			}
		}
		return !found
	})
	return found
}
