package paths

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

const (
	// coldStarts is the minimum number of starts for a median.
	coldStarts = 40
	greeting   = "Hello from a cold start."
	openApp    = "bowline, without an authorization server"
)

// coldStart measures the time from the start of a process to its first answer on stdio. It compares
// the reference app, with its authorization server and without, with a program that links net/http
// and answers one line.
func coldStart(settings measure.Settings) ([]*report.Report, error) {
	dir, err := os.MkdirTemp("", "bowline-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the programs: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system removes temporary folders
	app, err := build(dir, "github.com/bowline-mcp/bowline", ".")
	if err != nil {
		return nil, err
	}
	unguarded, err := build(dir, "github.com/bowline-mcp/bowline/peers/bench", "./coldopen")
	if err != nil {
		return nil, err
	}
	bare, err := build(dir, "github.com/bowline-mcp/bowline/peers/bench", "./coldfloor")
	if err != nil {
		return nil, err
	}
	settings.Rounds = max(settings.Rounds, coldStarts)
	r := &report.Report{
		Title: "cold start, process start to first answer",
		Note: fmt.Sprintf("Median of %d starts in turn. The app runs `start demo`. It links an authorization server with SQLite, which `start` doesn't open. "+
			"The floor is a program that links net/http and answers one line. All answer a tools/call on stdio.", settings.Rounds),
		Floor: floor,
	}
	r.Results, err = measure.RoundRobin(settings, []measure.Variant{
		{Name: floor, Once: start(bare), Elsewhere: true},
		{Name: bowline, Once: start(app, "start", "demo"), Elsewhere: true},
		{Name: openApp, Once: start(unguarded, "start", "demo"), Elsewhere: true},
	})
	if err != nil {
		return nil, err
	}
	r.Budgets = []report.Budget{
		{What: "app to floor", Measured: r.Ratio(bowline, floor), Limit: 1.8, Unit: "×"},
		{What: "app without an authorization server to floor", Measured: r.Ratio(openApp, floor), Limit: 1.6, Unit: "×"},
	}
	return []*report.Report{r}, nil
}

// build compiles a package of a module into the folder. It runs in the module's own folder, so that
// the app is built with the versions in its own go.mod.
func build(dir, module, pkg string) (program string, err error) {
	folder, err := moduleFolder(module)
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, filepath.Base(module)+filepath.Base(pkg))
	command := exec.Command("go", "build", "-o", program, pkg)
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s of %s: %w\n%s", pkg, module, err, output)
	}
	return program, nil
}

func moduleFolder(module string) (string, error) {
	found, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("find the folder of %s (run the benchmark in peers/bench): %w", module, err)
	}
	return strings.TrimSpace(string(found)), nil
}

// start returns a function that starts the program, calls it once, and returns the time until the
// answer.
func start(program string, arguments ...string) func() (time.Duration, error) {
	line := wire.ModernArguments(1, "echo", map[string]string{"message": greeting}).Body
	return func() (time.Duration, error) {
		begin := time.Now()
		child, err := measure.StartChild(program, arguments...)
		if err != nil {
			return 0, err
		}
		defer child.Stop()
		if err := child.Send(line); err != nil {
			return 0, err
		}
		reply, err := child.Receive()
		took := time.Since(begin)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", filepath.Base(program), err)
		}
		if !bytes.Contains(reply, []byte(greeting)) {
			return 0, fmt.Errorf("%s: the first answer is not the greeting: %s", filepath.Base(program), reply)
		}
		return took, nil
	}
}
