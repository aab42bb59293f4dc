package launcher

import (
	"context"
	"fmt"
	"io"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// Release builds the program of the app in the folder root for other people: without
// symbols and without paths of this machine. It writes the program to path.
func Release(ctx context.Context, root, path string, log io.Writer) error {
	c, err := openCache(root)
	if err != nil {
		return err
	}
	tool, err := c.findGo(root, usualTools())
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(log, "mcp: building %s\n", naming.Printable(root))
	compile := goCommand(ctx, tool, root, "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", path, ".")
	return run(compile, log)
}
