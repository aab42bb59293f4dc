// Package source names the functions of Go files, for the programs that report on them.
package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A Function is a function or method of a file.
type Function struct {
	Name   string // "Name", or "Receiver.Name"
	Line   int    // the line on which it begins
	Length int    // the number of its lines
}

// Functions are the functions of a file, in its order.
type Functions []Function

// Read returns the functions of a file. A closure belongs to the function that contains it.
func Read(file string) (found Functions, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, declaration := range parsed.Decls {
		if declared, ok := declaration.(*ast.FuncDecl); ok {
			from, to := files.Position(declared.Pos()).Line, files.Position(declared.End()).Line
			found = append(found, Function{Name: Name(declared), Line: from, Length: to - from + 1})
		}
	}
	return found, nil
}

// At returns the function that has a line, and whether one has it.
func (f Functions) At(line int) (Function, bool) {
	i := slices.IndexFunc(f, func(f Function) bool { return f.Line <= line && line < f.Line+f.Length })
	if i < 0 {
		return Function{}, false
	}
	return f[i], true
}

// Name returns the name of a function, for a method with the type of its receiver.
func Name(declared *ast.FuncDecl) string {
	if declared.Recv == nil {
		return declared.Name.Name
	}
	receiver, _, _ := strings.Cut(types.ExprString(declared.Recv.List[0].Type), "[") // without type parameters
	return strings.TrimPrefix(receiver, "*") + "." + declared.Name.Name
}
