package scaffold

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Server is a server in the source of an app.
type Server struct {
	// Path is the path of its file, relative to the app's root, with slashes.
	Path string
	// Type is the Go type, such as DemoServer. It is empty if the file declares no type
	// with the suffix Server.
	Type string

	methods []string
}

// Has reports whether the server's type declares a method itself, rather than by embedding.
func (s Server) Has(method string) bool { return slices.Contains(s.methods, method) }

// Servers returns the servers in a folder of the app: one for each file *_server.go. It
// uses the valid parts of files with syntax errors, since the compiler reports the
// errors.
func (a *App) Servers(folder string) []Server {
	files, err := filepath.Glob(filepath.Join(a.Root, filepath.FromSlash(folder), "*.go"))
	if err != nil {
		return nil
	}
	var servers []Server
	methods := map[string][]string{}
	for _, name := range files {
		parsed, _ := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		server := Server{Path: path.Join(folder, filepath.Base(name))}
		if parsed != nil {
			server.Type = serverType(parsed)
			collectMethods(parsed, methods)
		}
		if strings.HasSuffix(name, "_server.go") {
			servers = append(servers, server)
		}
	}
	for i, server := range servers {
		servers[i].methods = methods[server.Type]
	}
	return servers
}

// serverType returns the name of the file's first type with the suffix Server.
func serverType(file *ast.File) string {
	for _, declared := range file.Decls {
		types, ok := declared.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		for _, spec := range types.Specs {
			if named, ok := spec.(*ast.TypeSpec); ok && strings.HasSuffix(named.Name.Name, "Server") {
				return named.Name.Name
			}
		}
	}
	return ""
}

// collectMethods adds the methods that the file declares, by the name of their receiver's type.
func collectMethods(file *ast.File, methods map[string][]string) {
	for _, declared := range file.Decls {
		method, ok := declared.(*ast.FuncDecl)
		if !ok || method.Recv == nil || len(method.Recv.List) != 1 {
			continue
		}
		receiver := method.Recv.List[0].Type
		if pointer, ok := receiver.(*ast.StarExpr); ok {
			receiver = pointer.X
		}
		if named, ok := receiver.(*ast.Ident); ok {
			methods[named.Name] = append(methods[named.Name], method.Name.Name)
		}
	}
}
