package launcher

import (
	"cmp"
	"context"
	"io"
	"strings"
)

// Program returns the path of the program of the app in the folder root, and builds it
// first if necessary. Build messages go to log. The end of the context stops the build.
func Program(ctx context.Context, root string, log io.Writer) (string, error) {
	builder, err := NewBuilder(root, log)
	if err != nil {
		return "", err
	}
	program, fresh := builder.Program()
	if fresh {
		return program, nil
	}
	return builder.Build(ctx)
}

// Built returns the path of the program of the app in the folder root, and whether its
// sources are unchanged since it was built. It never builds.
func Built(root string) (program string, fresh bool) {
	builder, err := NewBuilder(root, io.Discard)
	if err != nil {
		return "", false
	}
	return builder.Program()
}

// Reason returns in one line why a program of the app failed, from what it wrote to stderr: the
// app's error, a panic, or else the first line that isn't one of its log. Without any, it is the
// error.
func Reason(stderr string, err error) string {
	other := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if reason, ok := strings.CutPrefix(line, "mcp: "); ok {
			return reason
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
		if !strings.HasPrefix(line, "time=") && !strings.HasPrefix(line, `{"time":`) {
			other = cmp.Or(other, line)
		}
	}
	return cmp.Or(other, err.Error())
}
