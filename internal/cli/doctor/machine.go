package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/inspector"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/cli/project"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// golang finds the go command. In the folder of an app, the command itself says if it is too
// old for go.mod.
func (d *Doctor) golang(ctx context.Context) []finding.Finding {
	const subject = "Go"
	tool, err := launcher.FindGo(d.root())
	if err != nil {
		return []finding.Finding{finding.Broken(subject, "the go command is neither on the PATH nor where it usually is", "install Go from https://go.dev/dl, or add its bin folder to the PATH")}
	}
	printed, err := d.run(ctx, tool, "env", "GOVERSION")
	if err != nil {
		return []finding.Finding{finding.Broken(subject, fmt.Sprintf("%s doesn't run: %s", tool, firstLine(printed, err)), "install Go from https://go.dev/dl")}
	}
	version := strings.TrimSpace(string(printed))
	if d.App != nil {
		if printed, err := d.run(ctx, tool, "list", "-m"); err != nil {
			if outdated := launcher.FindModuleError(d.root(), string(printed)); outdated != nil {
				return []finding.Finding{outOfDate(subject, outdated)}
			}
			return []finding.Finding{unreadable(subject, strings.TrimSpace(string(printed)), err)}
		}
		if workspace := project.Workspace(ctx, tool, d.root()); workspace != "" {
			return []finding.Finding{finding.Broken(subject, naming.Printable(workspace)+" applies to the app and doesn't list it", "run: go work use .")}
		}
	}
	if _, err := exec.LookPath("go"); err != nil {
		return []finding.Finding{finding.Hint(subject, fmt.Sprintf("%s at %s, which mcp uses, is not on the PATH", version, tool), "add "+filepath.Dir(tool)+" to it")}
	}
	return []finding.Finding{finding.OK(subject, version+" at "+tool)}
}

// outOfDate returns the finding of modules that are out of date.
func outOfDate(subject string, outdated *launcher.ModuleError) finding.Finding {
	return finding.Broken(subject, outdated.What, "run: "+outdated.Fix)
}

// unreadable returns the finding of a go.mod or go.work that the go command refuses, with what
// the command printed.
func unreadable(subject, printed string, err error) finding.Finding {
	what := strings.ReplaceAll(strings.TrimPrefix(cmp.Or(printed, err.Error()), "go: "), ":\n", ": ")
	fix := "correct that file"
	if strings.Contains(what, "requires go >=") || strings.Contains(what, "toolchain") {
		fix = "install a newer Go from https://go.dev/dl"
	}
	return finding.Broken(subject, what, fix)
}

// run runs a command in the folder of the app, and returns what it printed. If it failed,
// that is what it printed to stderr.
func (d *Doctor) run(ctx context.Context, tool string, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	printed, err := process.Command(ctx, d.root(), tool, args...).Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		printed = exit.Stderr
	}
	return printed, err
}

// node finds Node.js, which only the Inspector needs.
func (*Doctor) node(ctx context.Context) []finding.Finding {
	const subject = "Node.js"
	version, err := inspector.CheckNode(ctx)
	if err != nil {
		found := broken(subject, err)
		return []finding.Finding{finding.Hint(subject, "mcp inspector can't run; "+found.What, found.Fix)}
	}
	return []finding.Finding{finding.OK(subject, version)}
}

// path finds the command that a shell runs for mcp, which is also the name of one in
// Python's SDK.
func (*Doctor) path(context.Context) []finding.Finding {
	const subject = "PATH"
	self, err := os.Executable()
	if err != nil {
		return []finding.Finding{finding.Hint(subject, "the path of this program is unknown: "+err.Error(), "start it with its whole path")}
	}
	if err := launcher.CheckPermanent(self); err != nil {
		return []finding.Finding{finding.Hint(subject, err.Error(), "install it: "+launcher.InstallCommand)}
	}
	name := "mcp"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	own, _ := os.Stat(self)
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		candidate := filepath.Join(folder, name)
		info, err := os.Stat(candidate)
		if err != nil || info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0 {
			continue
		}
		if own != nil && os.SameFile(info, own) {
			return []finding.Finding{finding.OK(subject, "mcp is "+candidate)}
		}
		return []finding.Finding{finding.Hint(subject, fmt.Sprintf("mcp is %s, not this program; Python's SDK has a command mcp too", candidate),
			fmt.Sprintf("put %s earlier on the PATH", filepath.Dir(self)))}
	}
	return []finding.Finding{finding.Hint(subject, "mcp is not on it", fmt.Sprintf("add %s to the PATH", filepath.Dir(self)))}
}
