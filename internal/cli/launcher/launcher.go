// Package launcher runs a Bowline app from its sources as fast as if it were installed.
// It builds the program into a cache, and rebuilds it if a source has changed. Then it
// execs the program, so that standard streams, signals and the exit code are those of the
// app.
//
// A change is a new size or time of a Go file, an embedded file, go.mod, go.sum or
// go.work, and a new or removed file. Changes of the environment, such as GOFLAGS, don't
// count: remove the cache folder to rebuild with new ones.
package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bowline-mcp/bowline/internal/command"
)

// ErrBuild is the error if the go command can't build the app. The log has its messages.
var ErrBuild = errors.New("the app does not build")

// A ModuleError is an ErrBuild for an app whose go.mod, go.sum or folder vendor lacks what the app
// imports. For a package of the framework that the app imports for the first time, the go command
// proposes go get with the version in go.mod, which fails.
type ModuleError struct {
	What string // such as: go.mod or go.sum lacks a module that the app needs
	Fix  string // the command that corrects it
}

// Error says what to do.
func (e *ModuleError) Error() string {
	return ErrBuild.Error() + ", since " + e.What + "; run: " + e.Fix
}

// Unwrap returns ErrBuild.
func (e *ModuleError) Unwrap() error { return ErrBuild }

// ErrNoApp is the error for a program that builds but doesn't import the framework.
var ErrNoApp = errors.New("the program never runs an app")

// ErrNoGo is the error if the app has to be built and there is no go command.
var ErrNoGo = errors.New("the go command is neither on the PATH nor where Go is usually installed")

// Run builds the program in the folder root if necessary, changes to that folder and
// execs the program with args. Build messages go to log. On Unix Run returns only if it
// fails. On Windows it returns the program's exit code.
func Run(root string, args []string, log io.Writer) (exitCode int, err error) {
	program, err := Program(context.Background(), root, log)
	if err != nil {
		return 0, err
	}
	if err := os.Chdir(root); err != nil {
		return 0, fmt.Errorf("go to the app's folder: %w", err)
	}
	if err := os.Setenv("PWD", root); err != nil {
		return 0, fmt.Errorf("go to the app's folder: %w", err)
	}
	exitCode, err = become(program, append([]string{command.MCP}, args...))
	if err != nil {
		return 0, fmt.Errorf("run the program %s: %w", filepath.Base(program), err)
	}
	return exitCode, nil
}
