package launcher

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// Release builds the program of the app in the folder root for other people: without
// symbols and without paths of this machine. It writes the program to path.
func Release(ctx context.Context, root, path string, log io.Writer) error {
	return ReleaseFor(ctx, root, path, log, runtime.GOOS, runtime.GOARCH)
}

// ReleaseFor is Release for another operating system and processor, as Go names them.
func ReleaseFor(ctx context.Context, root, path string, log io.Writer, goos, goarch string) error {
	c, err := openCache(root)
	if err != nil {
		return err
	}
	tool, err := c.findGo(root, usualTools())
	if err != nil {
		return err
	}
	where := ""
	if goos != runtime.GOOS || goarch != runtime.GOARCH {
		where = fmt.Sprintf(" for %s/%s", goos, goarch)
	}
	_, _ = fmt.Fprintf(log, "mcp: building %s%s\n", naming.Printable(root), where)
	compile := goCommand(ctx, tool, root, "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", path, ".")
	compile.Env = append(compile.Env, "GOOS="+goos, "GOARCH="+goarch)
	return run(compile, log)
}
