package scaffold

import (
	"go/ast"
	"go/parser"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ServerFolder is the folder of an app's servers.
const ServerFolder = "app/mcp/servers"

// A Server is a server in the source of an app.
type Server struct {
	// Path is the path of its file, relative to the app's root, with slashes.
	Path string
	// Type is the Go type, such as DemoServer.
	Type string
	// Receiver is the type as the receiver of a method: Type, or such as DemoServer[_] for one with type parameters.
	Receiver string

	methods []string
}

// Has reports whether the server's type declares a method itself, rather than by embedding.
func (s Server) Has(method string) bool { return slices.Contains(s.methods, method) }

// Servers returns the servers in app/mcp: the types that embed servers.Server. It uses the
// valid parts of files with syntax errors.
func (a *App) Servers() []Server {
	var servers []Server
	for _, declared := range a.allDeclared() {
		if declared.Kind == "server" {
			_, name, _ := strings.Cut(declared.Type, ".")
			servers = append(servers, Server{Path: declared.Path, Type: name, Receiver: declared.receiver, methods: a.methods(path.Dir(declared.Path), name)})
		}
	}
	return servers
}

// methods returns the names of the methods that a type in a folder declares.
func (a *App) methods(folder, typeName string) (names []string) {
	files, err := a.goFiles(folder)
	if err != nil {
		return nil
	}
	for _, name := range files {
		file := parse(filepath.Join(a.Root, filepath.FromSlash(folder), name), nil, parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		for _, declared := range file.Decls {
			if method, ok := declared.(*ast.FuncDecl); ok && ReceiverType(method) == typeName {
				names = append(names, method.Name.Name)
			}
		}
	}
	return names
}
