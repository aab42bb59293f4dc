package launcher

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// findGo returns the path of the go command: the one on the PATH, or else the one of the
// last build. AI clients often start servers with a PATH that has only the folders of the
// system. Without either, findGo looks at the usual paths.
func (c *cache) findGo(root string, usual []string) (string, error) {
	if tool, err := exec.LookPath("go"); err == nil {
		c.tool = permanent(tool, root)
		return tool, nil
	}
	last, _ := c.manifest()
	if tool := firstFile(append([]string{last.Tool}, usual...)); tool != "" {
		c.tool = tool
		return tool, nil
	}
	return "", fmt.Errorf("%w, and the app in %s has to be built: install Go from https://go.dev/dl, or add its bin folder to "+
		"the PATH of whatever starts mcp, or build the app once (go build -o NAME .) and start that program instead of mcp", ErrNoGo, naming.Printable(root))
}

// permanent returns the go command in GOROOT. The one on the PATH may be the script of a
// version manager, which needs a PATH itself.
func permanent(tool, root string) string {
	command := exec.Command(tool, "env", "GOROOT")
	command.Dir = root
	out, err := command.Output()
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
