package launcher

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// build compiles the program in the folder root into the cache and returns its path.
func build(root string, c *cache, log io.Writer) (string, error) {
	tool, err := c.findGo(root, usualTools())
	if err != nil {
		return "", err
	}
	_, _ = fmt.Fprintf(log, "mcp: building %s\n", naming.Printable(root))

	listing := strings.Builder{}
	// With -e, go list ignores broken packages. The build reports them in the compiler's words.
	list := goCommand(tool, root, "list", "-e", "-deps", "-json=ImportPath,Dir,Standard,Module,EmbedPatterns,EmbedFiles", ".")
	list.Stdout, list.Stderr = &listing, log
	if err := list.Run(); err != nil {
		return "", fmt.Errorf("%w: see the messages above", ErrBuild)
	}
	packages, err := readPackages([]byte(listing.String()))
	if err != nil {
		return "", err
	}
	inputs := findInputs(root, packages)
	// The stamp is taken before the build: a file saved while the compiler runs makes the
	// next start build again.
	state := stamp(inputs)

	temporary, err := c.temporary()
	if err != nil {
		return "", err
	}
	defer remove(temporary)
	compile := goCommand(tool, root, "build", "-buildvcs=false", "-o", temporary, ".")
	compile.Stdout, compile.Stderr = log, log
	if err := compile.Run(); err != nil {
		return "", fmt.Errorf("%w: see the messages above", ErrBuild)
	}
	// This check follows the build, since go list doesn't know the imports of a file that
	// doesn't parse.
	if !slices.ContainsFunc(packages, func(pkg listedPackage) bool { return pkg.ImportPath == framework }) {
		return "", fmt.Errorf("%w: the main package in %s does not import %s; "+
			"https://github.com/bowline-mcp/bowline#your-own-app shows one that does", ErrNoApp, root, framework)
	}
	return c.add(temporary, inputs, state)
}

// framework is the package that every app imports.
const framework = "github.com/bowline-mcp/bowline/framework/mcp"

// goCommand returns a go command that runs in root, without input, and builds for this machine.
func goCommand(tool, root string, args ...string) *exec.Cmd {
	command := exec.Command(tool, args...)
	command.Dir = root
	command.Env = append(command.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	if _, err := os.UserHomeDir(); err != nil {
		// Services often run without HOME, where the go command keeps its caches.
		if me, err := user.Current(); err == nil {
			command.Env = append(command.Env, "HOME="+me.HomeDir)
		}
	}
	return command
}
