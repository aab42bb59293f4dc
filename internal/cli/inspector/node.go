package inspector

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// The version of Node.js that the Inspector requires, and the time that node has to print
// its own.
const (
	nodeMajor = 22
	nodeMinor = 19
	patience  = 10 * time.Second
)

// CheckNode returns the version of the node command. The error says what to do if there is
// none that can run the Inspector, or no npx beside it.
func CheckNode(ctx context.Context) (string, error) {
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
	if _, err := exec.LookPath("npx"); err != nil {
		return "", fmt.Errorf("node is %s, but there is no npx on the PATH; install npm, which has it", version)
	}
	return version, nil
}
