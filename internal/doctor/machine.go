package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// The version of Node.js that the Inspector requires.
const (
	nodeMajor = 22
	nodeMinor = 19
)

// golang finds the go command. In the folder of an app, the command itself says if it is too
// old for go.mod.
func (d *Doctor) golang(ctx context.Context) []Finding {
	const subject = "Go"
	tool, err := exec.LookPath("go")
	if err != nil {
		return []Finding{{Broken, subject, "the go command is not on the PATH", "install Go from https://go.dev/dl, or add its bin folder to the PATH"}}
	}
	printed, err := d.run(ctx, tool, "env", "GOVERSION")
	if err != nil {
		return []Finding{{Broken, subject, fmt.Sprintf("%s doesn't run: %s", tool, firstLine(printed, err)), "install Go from https://go.dev/dl"}}
	}
	version := strings.TrimSpace(string(printed))
	if d.App != nil {
		if printed, err := d.run(ctx, tool, "list", "-m"); err != nil {
			return []Finding{{Broken, subject, strings.TrimPrefix(firstLine(printed, err), "go: "), "install a newer Go from https://go.dev/dl, or correct go.mod"}}
		}
	}
	return []Finding{{OK, subject, version + " at " + tool, ""}}
}

// run runs a command in the folder of the app, and returns what it printed. If it failed,
// that is what it printed to stderr.
func (d *Doctor) run(ctx context.Context, tool string, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	command := exec.CommandContext(ctx, tool, args...)
	if d.App != nil {
		command.Dir = d.App.Root
	}
	printed, err := command.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		printed = exit.Stderr
	}
	return printed, err
}

// node finds Node.js, which only the Inspector needs.
func (*Doctor) node(ctx context.Context) []Finding {
	const subject = "Node.js"
	if version, err := NodeVersion(ctx); err != nil {
		return []Finding{{Hint, subject, "mcp inspector can't run", err.Error()}}
	} else if _, err := exec.LookPath("npx"); err != nil {
		return []Finding{{Hint, subject, "node " + version + " is there, but mcp inspector needs npx too", "install npm, which has it"}}
	} else {
		return []Finding{{OK, subject, version, ""}}
	}
}

// NodeVersion returns the version of the node command. The error says what to do if there is
// none that can run the Inspector.
func NodeVersion(ctx context.Context) (string, error) {
	tool, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("there is no node on the PATH; install Node.js %d.%d or newer from https://nodejs.org", nodeMajor, nodeMinor)
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	printed, err := exec.CommandContext(ctx, tool, "--version").Output()
	version := strings.TrimSpace(string(printed))
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if err != nil || len(parts) < 2 {
		return "", fmt.Errorf("%s --version prints no version; install Node.js %d.%d or newer from https://nodejs.org", tool, nodeMajor, nodeMinor)
	}
	major, _ := strconv.Atoi(parts[0])
	minor, _ := strconv.Atoi(parts[1])
	if major < nodeMajor || major == nodeMajor && minor < nodeMinor {
		return "", fmt.Errorf("node is %s, and the Inspector needs %d.%d; install a newer Node.js from https://nodejs.org", version, nodeMajor, nodeMinor)
	}
	return version, nil
}

// path finds the command that a shell runs for mcp, which is also the name of one in
// Python's SDK.
func (*Doctor) path(context.Context) []Finding {
	const subject = "PATH"
	self, err := os.Executable()
	if err != nil {
		return []Finding{{Hint, subject, "the path of this program is unknown: " + err.Error(), ""}}
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
			return []Finding{{OK, subject, "mcp is " + candidate, ""}}
		}
		return []Finding{{Hint, subject, fmt.Sprintf("mcp is %s, not this program; Python's SDK has a command mcp too", candidate),
			fmt.Sprintf("put %s earlier on the PATH", filepath.Dir(self))}}
	}
	return []Finding{{Hint, subject, "mcp is not on it", fmt.Sprintf("add %s to the PATH", filepath.Dir(self))}}
}
