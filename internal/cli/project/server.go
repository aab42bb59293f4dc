package project

import (
	"go/token"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Server has the names of the first server of an app.
type Server struct {
	Type     string // the Go type, such as TeamNotesServer
	File     string // the name of its file without an ending, such as team_notes_server
	Handle   string // in its path and for mcp start, such as team-notes
	Variable string // in routes/ai.go, such as teamNotes
}

// Server returns the names of the app's server. They are those of the app, since AI clients know
// the server by its handle, and the servers of two apps may not have the same one.
func (p Project) Server() Server {
	base := strings.TrimSuffix(naming.Studly(strings.ReplaceAll(p.Name, ".", "-")), "Server")
	if !token.IsIdentifier(base) { // it is empty, begins with a digit or is a keyword
		base = "App" + base
	}
	handle := naming.Kebab(base)
	first, rest, _ := strings.Cut(handle, "-")
	variable := first + naming.Studly(rest)
	if token.IsKeyword(variable) || slices.Contains([]string{"mcp", "oauth", "servers"}, variable) { // routes/ai.go uses these
		variable += "Server"
	}
	return Server{Type: base + "Server", File: naming.Snake(base + "Server"), Handle: handle, Variable: variable}
}
