package console_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp/internal/console"
)

func TestAStackHasItsOwnLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logger := slog.New(console.New(&out, nil)).With("server", "demo").WithGroup("g")
	logger.Error("a handler panicked", "tool", "echo", "stack", "goroutine 1 [running]:\nmain.main()\n\t/a\x1b[2J.go:3 +0x1\n", "panic", "a\nb")
	logger.Debug("hidden")
	logger.Info("call", "tool", "echo")
	lines := strings.Split(out.String(), "\n")
	want := []string{
		`level=ERROR msg="a handler panicked" server=demo g.tool=echo g.panic="a\nb"`, "    goroutine 1 [running]:", "    main.main()", "    \t/a[2J.go:3 +0x1",
		`level=INFO msg=call server=demo g.tool=echo`, "",
	}
	if len(lines) != len(want) {
		t.Fatalf("it writes\n%s", out.String())
	}
	for i, line := range lines {
		if !strings.HasSuffix(line, want[i]) {
			t.Errorf("line %d is %q, want %q", i+1, line, want[i])
		}
	}
}

func TestAFileIsNoTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	if console.IsTerminal(null) {
		t.Errorf("%s counts as a terminal", os.DevNull)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if console.IsTerminal(file) {
		t.Error("a file counts as a terminal")
	}
}
