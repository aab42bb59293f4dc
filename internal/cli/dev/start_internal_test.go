package dev

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// The test binary is a program that never answers. The one before serves on.
func TestAProgramThatNeverAnswersIsExplained(t *testing.T) {
	t.Setenv("DEV_TEST_PROGRAM", "silent")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := log{io.Discard}
	overHTTP := newProxy(t.TempDir(), "127.0.0.1:1", io.Discard, out)
	overHTTP.startLimit, overHTTP.current = 50*time.Millisecond, &program{}
	onStdio := newRelay(t.TempDir(), "demo", &bytes.Buffer{}, io.Discard, out)
	onStdio.startLimit, onStdio.current = 50*time.Millisecond, &stdioProgram{}
	for _, c := range []struct {
		over   string
		server server
		want   []string
	}{
		{"HTTP", overHTTP, []string{"the program did not answer http://127.0.0.1:", "/readyz within 50ms: nothing in func main may wait before app.Main(), and config/app.go must take the address from APP_ADDR"}},
		{"stdio", onStdio, []string{"the program did not answer on stdio within 50ms: func main must call os.Exit(app.Main())"}},
	} {
		var logged bytes.Buffer
		l := &loop{root: t.TempDir(), builder: newPrograms(""), server: c.server, log: log{&logged}}
		if err := l.start(context.Background(), path); err != nil {
			t.Errorf("over %s the loop ends with %v", c.over, err)
		}
		for _, want := range append(c.want, "; the program before serves on\n") {
			if !strings.Contains(logged.String(), want) || strings.Count(logged.String(), "\n") != 1 {
				t.Errorf("over %s the log has %q, want one line with %q", c.over, logged.String(), want)
			}
		}
	}
	onStdio.close()
}
