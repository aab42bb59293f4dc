package launcher

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/clientrules"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// listLimit is the time that an app has to boot and to print its list.
const listLimit = 30 * time.Second

// A Listing is what the program of an app prints for list --json, as far as the mcp command
// needs it.
type Listing struct {
	Address  string         `json:"address"`  // where serve listens
	Loopback bool           `json:"loopback"` // whether only programs on the same machine can reach it
	Web      []ListedRoute  `json:"web"`
	Local    []ListedHandle `json:"local"`
}

// A ListedRoute is a path of a listing.
type ListedRoute struct {
	Path     string               `json:"path"`
	URL      string               `json:"url"`
	Guarded  bool                 `json:"guarded"`  // whether clients need an access token
	Access   string               `json:"access"`   // guarded, public or open
	Refusals []clientrules.Report `json:"refusals"` // what AI clients refuse in its tools
}

// A ListedHandle is a handle of a listing, with the names and URIs that its server has.
type ListedHandle struct {
	Handle    string   `json:"handle"`
	Tools     []string `json:"tools"`
	Resources []string `json:"resources"`
	Templates []string `json:"templates"`
	Prompts   []string `json:"prompts"`

	Refusals []clientrules.Report `json:"refusals"` // what AI clients refuse in its tools
}

// Items returns the names and URIs of all that the server has.
func (h ListedHandle) Items() []string {
	return slices.Concat(h.Tools, h.Prompts, h.Resources, h.Templates)
}

// Handles returns the handles of the app.
func (l Listing) Handles() (all []string) {
	for _, local := range l.Local {
		all = append(all, local.Handle)
	}
	return all
}

// Server returns the server with a handle, which is empty if there is none.
func (l Listing) Server(handle string) ListedHandle {
	for _, local := range l.Local {
		if local.Handle == handle {
			return local
		}
	}
	return ListedHandle{}
}

// Servers returns the handles and then the paths of the app.
func (l Listing) Servers() []string {
	all := l.Handles()
	for _, web := range l.Web {
		all = append(all, web.Path)
	}
	return all
}

// mainFix is what to do about a program that doesn't behave like an app.
const mainFix = "its main must return App.Main's exit code, and print nothing to stdout"

// List asks the program of the app in the folder root what it serves. The app warns about
// each declaration that it doesn't serve. A program that doesn't end by itself is ended when
// the context ends, or after half a minute. The error is a [finding.Problem], or that
// of a context that was canceled.
func List(ctx context.Context, root, program string, declarations ...string) (listed Listing, warnings []string, err error) {
	var stdout, stderr bytes.Buffer
	err = runList(ctx, root, program, append([]string{"list", "--json"}, declarations...), &stdout, &stderr)
	failed := new(finding.Problem)
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled), errors.As(err, &failed):
		return listed, nil, err
	default:
		return listed, nil, finding.NewProblem("mcp list shows all mistakes", "the app doesn't start: %s", Reason(stderr.String(), err))
	}
	if err := codec.Unmarshal(stdout.Bytes(), &listed); err != nil {
		return listed, nil, finding.NewProblem(mainFix, "the app prints no list: %w", err)
	}
	for line := range strings.Lines(stderr.String()) {
		if warning, found := strings.CutPrefix(strings.TrimSpace(line), "mcp: "); found {
			warnings = append(warnings, warning)
		}
	}
	return listed, warnings, nil
}

// ShowList runs the list command of the program of the app in the folder root, whose output is
// that of this process, and returns its exit code. A program that doesn't end by itself is ended
// as by [List].
func ShowList(ctx context.Context, root, program string, args []string, stdout, stderr io.Writer) (exitCode int, err error) {
	err = runList(ctx, root, program, args, stdout, stderr)
	if exited := new(exec.ExitError); errors.As(err, &exited) {
		return max(exited.ExitCode(), 1), nil // a signal has none
	}
	return 0, err
}

func runList(ctx context.Context, root, program string, args []string, stdout, stderr io.Writer) error {
	limited, stop := context.WithTimeout(ctx, listLimit)
	defer stop()
	command := process.App(limited, root, program, args...)
	command.Stdout, command.Stderr = stdout, stderr
	err := process.Run(command)
	switch { // a program may end without an error when it is interrupted
	case errors.Is(limited.Err(), context.Canceled):
		return context.Canceled
	case limited.Err() != nil:
		return finding.NewProblem(mainFix, "the app doesn't print its list in time")
	}
	return err
}
