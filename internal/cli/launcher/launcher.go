// Package launcher runs a Bowline app from its sources as fast as if it were installed. It builds the app's program into a
// cache, and again only when a source has changed; then the calling process becomes that program, so that standard streams,
// signals and the exit code are the app's own.
//
// What counts as a change is the size or time of a Go file, an embedded file, go.mod, go.sum or go.work, and files that come
// or go. Settings in the environment, such as GOFLAGS, do not: remove the cache folder to build with new ones.
package launcher

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ErrBuild means that the go command refused to build the app; it has said why on the log.
var ErrBuild = errors.New("the app does not build")

// ErrNoApp means that the program builds, but cannot run an app: it would end at once without a word.
var ErrNoApp = errors.New("the program never runs an app")

// ErrNoGo means that the app has to be built and there is no go command to do it.
var ErrNoGo = errors.New("the go command is not on the PATH")

// Run builds the program in the folder root if necessary, goes to that folder and becomes the program, with args as its
// arguments. What the build has to say goes to log. On Unix Run returns only when it fails; on Windows it returns the
// program's exit code.
func Run(root string, args []string, log io.Writer) (exitCode int, err error) {
	cache, err := openCache(root)
	if err != nil {
		return 0, err
	}
	program, fresh := cache.program()
	if !fresh {
		if program, err = build(root, cache, log); err != nil {
			return 0, err
		}
	}
	if err := os.Chdir(root); err != nil {
		return 0, fmt.Errorf("go to the app's folder: %w", err)
	}
	if err := os.Setenv("PWD", root); err != nil {
		return 0, fmt.Errorf("go to the app's folder: %w", err)
	}
	exitCode, err = become(program, append([]string{program}, args...))
	if err != nil {
		return 0, fmt.Errorf("run the program %s: %w", filepath.Base(program), err)
	}
	return exitCode, nil
}
