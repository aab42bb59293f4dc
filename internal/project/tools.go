package project

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// Tidy completes the go.mod of the app in a folder, and writes its go.sum. It downloads the
// modules that are not in the module cache. The messages of the go command go to log. The
// error says how to do it by hand.
func Tidy(folder string, log io.Writer) error {
	byHand := fmt.Sprintf("the files are in %s, and go mod tidy has to run there before the app builds", naming.Printable(folder))
	tool, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("the go command is not on the PATH: install Go from https://go.dev/dl; %s", byHand)
	}
	// The new module is in no workspace, and -mod=readonly in GOFLAGS would forbid the change.
	tidy := exec.Command(tool, "mod", "tidy")
	tidy.Dir, tidy.Stdout, tidy.Stderr = folder, log, log
	tidy.Env = slices.Concat(tidy.Environ(), []string{"GOWORK=off", "GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod")})
	if err := tidy.Run(); err != nil {
		return fmt.Errorf("go mod tidy fails, for the reason above; %s", byHand)
	}
	return nil
}

// errNoGit is the error of a git command without git.
var errNoGit = errors.New("git is not on the PATH")

// Repository makes a Git repository of the folder, without a commit, unless the folder is in
// one already or there is no git. It reports whether it made one.
func Repository(folder string) (made bool, err error) {
	if _, err := git(folder, "rev-parse", "--is-inside-work-tree"); err == nil || errors.Is(err, errNoGit) {
		return false, nil
	}
	if out, err := git(folder, "init", "--quiet"); err != nil {
		return false, fmt.Errorf("git init fails in %s: %s", naming.Printable(folder), strings.Join(strings.Fields(out), " "))
	}
	return true, nil
}

// git runs a git command in a folder and returns its output.
func git(folder string, args ...string) (string, error) {
	tool, err := exec.LookPath("git")
	if err != nil {
		return "", errNoGit
	}
	command := exec.Command(tool, args...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	return string(out), err
}
