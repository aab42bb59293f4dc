package inspector

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/process"
)

// The version of Node.js that the Inspector requires, and the time that node has to print
// its own.
const (
	nodeMajor = 22
	nodeMinor = 19
	patience  = 10 * time.Second
)

// CheckNode returns the version of the node command. The error is a [finding.Problem] if there is
// none that can run the Inspector, or no npx beside it.
func CheckNode(ctx context.Context) (string, error) {
	install := fmt.Sprintf("install Node.js %d.%d or newer from https://nodejs.org", nodeMajor, nodeMinor)
	tool, err := exec.LookPath("node")
	if err != nil {
		return "", finding.NewProblem(install, "there is no node on the PATH")
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	printed, err := process.Command(ctx, "", tool, "--version").Output()
	version := strings.TrimSpace(string(printed))
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if err != nil || len(parts) < 2 {
		return "", finding.NewProblem(install, "%s --version prints no version", tool)
	}
	major, _ := strconv.Atoi(parts[0])
	minor, _ := strconv.Atoi(parts[1])
	if major < nodeMajor || major == nodeMajor && minor < nodeMinor {
		return "", finding.NewProblem("install a newer Node.js from https://nodejs.org", "node is %s, and the Inspector needs %d.%d", version, nodeMajor, nodeMinor)
	}
	if _, err := exec.LookPath("npx"); err != nil {
		return "", finding.NewProblem("install npm, which has it", "node is %s, but there is no npx on the PATH", version)
	}
	return version, nil
}
