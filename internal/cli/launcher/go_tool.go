package launcher

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// FindGo returns the path of the go command that builds the app in the folder root, or
// [ErrNoGo]. Outside an app, root is "".
func FindGo(root string) (string, error) {
	c := &cache{}
	if root != "" {
		if opened, err := openCache(root); err == nil { // a build reports the error
			c = opened
		}
	}
	if tool := c.lookForGo(usualTools()); tool != "" {
		return tool, nil
	}
	return "", ErrNoGo
}

// findGo returns the path of the go command, and keeps it for the next manifest.
func (c *cache) findGo(root string, usual []string) (string, error) {
	tool := c.lookForGo(usual)
	if tool == "" {
		return "", fmt.Errorf("%w, and the app in %s has to be built: install Go from https://go.dev/dl, or add its bin folder to "+
			"the PATH of whatever starts mcp, or build the app once (go build -o NAME .) and start that program instead of mcp", ErrNoGo, naming.Printable(root))
	}
	c.tool = permanent(tool, root)
	return tool, nil
}

// lookForGo returns the path of the go command: the one on the PATH, or else the one of the
// last build. AI clients often start servers with a PATH that has only the folders of the
// system. Without either, it looks at the usual paths, and returns "" if there is none.
func (c *cache) lookForGo(usual []string) string {
	if tool, err := exec.LookPath("go"); err == nil {
		return tool
	}
	var last manifest
	if c.folder != "" {
		last, _ = c.manifest()
	}
	return firstFile(append([]string{last.Tool}, usual...))
}

// permanent returns the go command in GOROOT. The one on the PATH may be the script of a
// version manager, which needs a PATH itself. Asking for GOROOT takes 3 to 7 ms, and a build
// at least a second.
func permanent(tool, root string) string {
	out, err := process.Command(context.Background(), root, tool, "env", "GOROOT").Output()
	if err != nil {
		return tool
	}
	return cmp.Or(firstFile([]string{inRoot(strings.TrimSpace(string(out)))}), tool)
}

// usualTools returns the paths at which the go command usually is.
func usualTools() []string {
	return []string{
		inRoot(os.Getenv("GOROOT")),
		inRoot("/usr/local/go"),
		"/opt/homebrew/bin/go",
		inRoot(filepath.Join(os.Getenv("ProgramFiles"), "Go")), // Windows
	}
}

func inRoot(goroot string) string {
	if !filepath.IsAbs(goroot) {
		return ""
	}
	return filepath.Join(goroot, "bin", "go"+executableSuffix())
}

// firstFile returns the first path that is a file, or "".
func firstFile(paths []string) string {
	for _, path := range paths {
		if info, err := os.Stat(path); path != "" && err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
