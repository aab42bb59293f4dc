package command

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// MCP is the name of the mcp command. It starts the program of an app under this name, so that
// messages of the program name the command that the person has run.
const MCP = "mcp"

// A Program is how messages name the running program.
type Program struct {
	Name    string // before a message, such as "shop"
	Command string // before arguments, such as "./shop"
}

// ProgramOf returns the program that the first word of a command line starts.
func ProgramOf(word string) Program {
	name := strings.TrimSuffix(filepath.Base(word), ".exe")
	if folder := filepath.Dir(word); filepath.Base(folder) == "exe" && strings.Contains(folder, "go-build") {
		return Program{name, "go run ."} // which removes the file at its end
	}
	return Program{name, naming.CommandLine(word)}
}

type programKey struct{}

// WithProgram returns a context for the command line of a program.
func WithProgram(ctx context.Context, program Program) context.Context {
	return context.WithValue(ctx, programKey{}, program)
}

// ProgramFrom returns the program of a context, or the mcp command without one.
func ProgramFrom(ctx context.Context) Program {
	if program, ok := ctx.Value(programKey{}).(Program); ok {
		return program
	}
	return Program{MCP, MCP}
}
