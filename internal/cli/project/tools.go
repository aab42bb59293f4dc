package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// Tidy completes the go.mod of the app in a folder with the go command at the path tool, and
// writes its go.sum. It downloads the modules that are not in the module cache. The messages of
// the go command go to log. The error says how to do it by hand.
func Tidy(ctx context.Context, tool, folder string, log io.Writer) error {
	byHand := fmt.Sprintf("the files are in %s, and go mod tidy has to run there before the app builds", naming.Printable(folder))
	// The new module is in no workspace, and -mod=readonly in GOFLAGS would forbid the change.
	tidy := process.Command(ctx, folder, tool, "mod", "tidy")
	tidy.Stdout, tidy.Stderr = log, log
	tidy.Env = slices.Concat(tidy.Environ(), []string{"GOWORK=off", "GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod")})
	switch err := tidy.Run(); {
	case err == nil:
		return nil
	case ended(ctx):
		return fmt.Errorf("canceled: %s", byHand)
	}
	return fmt.Errorf("go mod tidy fails, for the reason above; %s", byHand)
}

// Workspace returns the path of the go.work that applies to the app in a folder and doesn't list
// it, so that no command of Go works there. It returns "" if there is none.
func Workspace(ctx context.Context, tool, folder string) string {
	path, err := process.Command(ctx, folder, tool, "env", "GOWORK").Output()
	name := strings.TrimSpace(string(path))
	if err != nil || name == "" || name == "off" {
		return ""
	}
	listed, err := process.Command(ctx, folder, tool, "list", "-m", "-f", "{{.Dir}}").Output()
	app, statErr := os.Stat(folder)
	if err != nil || statErr != nil {
		return ""
	}
	for line := range strings.Lines(string(listed)) {
		if module, err := os.Stat(strings.TrimSpace(line)); err == nil && os.SameFile(module, app) {
			return ""
		}
	}
	return name
}

// ended reports whether a command that failed was interrupted with the context. Ctrl-C reaches
// the command too, which may have ended before the context does.
func ended(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-time.After(200 * time.Millisecond):
		return false
	}
}

// errNoGit is the error of a git command without git.
var errNoGit = errors.New("git is not on the PATH")

// Repository makes a Git repository of the folder, without a commit, unless the folder is in
// one already or there is no git. It reports whether it made one. If the context ends, it
// leaves none, and the error says how to go on.
func Repository(ctx context.Context, folder string) (made bool, err error) {
	if _, err := git(ctx, folder, "rev-parse", "--is-inside-work-tree"); err == nil || errors.Is(err, errNoGit) {
		return false, nil
	}
	out, err := git(ctx, folder, "init", "--quiet")
	switch {
	case err == nil:
		return true, nil
	case ended(ctx):
		_ = os.RemoveAll(filepath.Join(folder, ".git")) // of the git that was interrupted
		return false, fmt.Errorf("canceled: the files are in %s, without a Git repository; run git init and go mod tidy there", naming.Printable(folder))
	}
	return false, fmt.Errorf("git init fails in %s: %s", naming.Printable(folder), strings.Join(strings.Fields(out), " "))
}

// git runs a git command in a folder and returns its output.
func git(ctx context.Context, folder string, args ...string) (string, error) {
	tool, err := exec.LookPath("git")
	if err != nil {
		return "", errNoGit
	}
	out, err := process.Command(ctx, folder, tool, args...).CombinedOutput()
	return string(out), err
}
