package request

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// A Mistake is an error in the program's code that shows only when a handler runs and
// that no client can correct, such as reading an undeclared argument. It is logged, and
// package mcptest then fails the test.
type Mistake struct {
	Text  string
	Place string // the file and line of the program, "" if unknown
}

// NewMistake returns a mistake whose place is the code that called the framework.
func NewMistake(format string, args ...any) *Mistake {
	return &Mistake{Text: fmt.Sprintf(format, args...), Place: caller()}
}

// Error returns the text.
func (m *Mistake) Error() string { return m.Text }

// caller returns the line of the program that called the framework, or "" if the
// framework called itself.
func caller() string {
	const module = "github.com/bowline-mcp/bowline/"
	var stack [16]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack[:])])
	for {
		frame, more := frames.Next()
		within, ours := strings.CutPrefix(frame.Function, module)
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(within, "framework/"), "internal/engine/"), ".")
		switch {
		case ours && strings.HasPrefix(within, "internal/engine/server"):
			return ""
		case ours && strings.Contains(" request exchange tools prompts resources completion ask ", " "+name+" "):
		default:
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}
