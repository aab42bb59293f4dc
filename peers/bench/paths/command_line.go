package paths

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
)

const (
	// generations is the minimum number of runs of a command for a median.
	generations = 20
	version     = "mcp version"
	appStart    = "app start, to the first answer"
	mcpStart    = "mcp start, to the first answer"
)

// commandLine measures commands of mcp as whole processes in a new app, with a copy of the app for
// each run of a generator.
func commandLine(settings measure.Settings) ([]*report.Report, error) {
	w, err := newWorkshop()
	if err != nil {
		return nil, err
	}
	defer w.close()
	program := filepath.Join(w.folder, "program")
	if err := w.run(w.app, "go", "build", "-o", program, "."); err != nil {
		return nil, err
	}
	if err := w.run(w.app, w.mcp, "list"); err != nil { // builds the app into the cache of mcp
		return nil, err
	}
	settings.Rounds = max(settings.Rounds, generations)
	variants := []measure.Variant{
		{Name: version, Once: w.command(w.app, "version"), Elsewhere: true},
		{Name: appStart, Once: start(program, "start", "demo"), Elsewhere: true},
		{Name: mcpStart, Once: start(w.mcp, "start", "demo", "--dir", w.app), Elsewhere: true},
	}
	var generators []string
	for _, arguments := range []string{
		"make:tool Price", "make:resource Handbook", "make:resource Page --template", "make:prompt Summary", "make:guardrail Office",
		"make:server Shop", "make:crud Post",
	} {
		name := "mcp " + arguments
		generators = append(generators, name)
		variants = append(variants, measure.Variant{Name: name, Once: w.generator(strings.Fields(arguments)), Elsewhere: true})
	}
	r := &report.Report{
		Title: "commands of mcp, whole processes",
		Note: fmt.Sprintf("Median of %d runs in turn, in an app of `mcp new`. A generator runs in a fresh copy of the app. The two starts answer a tools/call on stdio; "+
			"`mcp start` finds the app built.", settings.Rounds),
		Floor: version,
	}
	if r.Results, err = measure.RoundRobin(settings, variants); err != nil {
		return nil, err
	}
	r.Budgets = append(r.Budgets, report.Budget{What: "mcp start less app start", Measured: r.Difference(mcpStart, appStart) / 1000, Limit: 15, Unit: " ms"})
	for _, name := range generators {
		result, err := measure.Find(r.Results, name)
		if err != nil {
			return nil, err
		}
		r.Budgets = append(r.Budgets, report.Budget{What: name, Measured: result.Wall.Seconds() * 1000, Limit: 50, Unit: " ms"})
	}
	return []*report.Report{r}, nil
}

// A workshop is a folder with the command mcp and a new app.
type workshop struct {
	folder, mcp, app string
	environment      []string
	copies           int
}

// newWorkshop builds the command and makes the app.
func newWorkshop() (*workshop, error) {
	folder, err := os.MkdirTemp("", "bowline-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the app: %w", err)
	}
	w := &workshop{folder: folder, app: filepath.Join(folder, "demo"), environment: append(os.Environ(), "APP_ADDR=")}
	framework, err := moduleFolder("github.com/bowline-mcp/bowline")
	if err != nil {
		return nil, err
	}
	if w.mcp, err = build(folder, "github.com/bowline-mcp/bowline", "./cmd/mcp"); err != nil {
		return nil, err
	}
	return w, w.run(folder, w.mcp, "new", "demo", "--framework", framework)
}

// close removes the folder.
func (w *workshop) close() { os.RemoveAll(w.folder) } //nolint:errcheck // the system removes temporary folders

// run runs a command in a folder.
func (w *workshop) run(folder, name string, arguments ...string) error {
	command := exec.Command(name, arguments...)
	command.Dir, command.Env = folder, w.environment
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(arguments, " "), err, output)
	}
	return nil
}

// command returns a function that runs mcp in a folder and returns the time.
func (w *workshop) command(folder string, arguments ...string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		begin := time.Now()
		err := w.run(folder, w.mcp, arguments...)
		return time.Since(begin), err
	}
}

// generator returns a function that runs a generator in a copy of the app and returns the time.
func (w *workshop) generator(arguments []string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		w.copies++
		folder := filepath.Join(w.folder, fmt.Sprint("copy", w.copies))
		if err := os.CopyFS(folder, os.DirFS(w.app)); err != nil {
			return 0, fmt.Errorf("copy the app: %w", err)
		}
		defer os.RemoveAll(folder) //nolint:errcheck // close removes the rest
		return w.command(folder, append(arguments, "--no-input")...)()
	}
}
