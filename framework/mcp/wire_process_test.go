package mcp_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// TestTheReferenceAppAsAProcess runs the reference app as a process, to test signals, the
// exit code and stdin.
func TestTheReferenceAppAsAProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM; this runs elsewhere with: go test ./framework/mcp")
	}
	path := filepath.Join(t.TempDir(), "app")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", path, "github.com/bowline-mcp/bowline")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the reference app doesn't build: %v\n%s", err, out)
	}
	for name, test := range map[string]func(*testing.T, string){
		"the first signal lets calls end": firstSignalLetsCallsEnd,
		"the second signal ends at once":  secondSignalEndsAtOnce,
		"a signal ends the drain delay":   signalEndsDrainDelay,
		"a signal ends stdio":             signalEndsStdio,
		"the end of stdin ends the app":   endOfStdinEndsTheApp,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, path)
		})
	}
}

// startApp starts the reference app.
func startApp(t *testing.T, path string, args ...string) (app *exec.Cmd, stdin io.WriteCloser, stdout io.ReadCloser, log *logBuffer) {
	t.Helper()
	return startAppWith(t, nil, path, args...)
}

// startAppWith starts the reference app with more variables of the environment.
func startAppWith(t *testing.T, env []string, path string, args ...string) (app *exec.Cmd, stdin io.WriteCloser, stdout io.ReadCloser, log *logBuffer) {
	t.Helper()
	var err error
	app, log = exec.Command(path, args...), &logBuffer{} //nolint:noctx // it gets signals
	app.Dir, app.Stderr = t.TempDir(), log
	app.Env = append(append(os.Environ(), "APP_ADDR=127.0.0.1:0"), env...)
	if stdin, err = app.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if stdout, err = app.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Process.Kill() })
	return app, stdin, stdout, log
}

// streamOf calls the chat tool of the reference app at an address, and returns its stream
// after it has begun.
func streamOf(t *testing.T, addr string, words int) *bufio.Reader {
	t.Helper()
	message := modernCall(`1`, "chat-streaming", `{"message":"`+strings.Repeat("word ", words)+`"}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp/demo", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"chat-streaming"},
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Body.Close() })
	stream := bufio.NewReader(w.Body)
	if line, err := stream.ReadString('\n'); err != nil || !strings.Contains(line, "chat/token") {
		t.Fatalf("the stream begins with %q, %v", line, err)
	}
	return stream
}

// addrOf waits until the app logs its address.
func addrOf(t *testing.T, log *logBuffer) (addr string) {
	t.Helper()
	eventually(t, "the app serves", func() bool {
		if match := regexp.MustCompile(`url=http://([^/]+)/`).FindStringSubmatch(log.String()); match != nil {
			addr = match[1]
		}
		return addr != ""
	})
	return addr
}

func firstSignalLetsCallsEnd(t *testing.T, path string) {
	t.Helper()
	app, _, stdout, log := startApp(t, path, "serve")
	addr := addrOf(t, log)
	stream := streamOf(t, addr, 8) // runs for 700 ms
	if err := app.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "/readyz gets 503", func() bool {
		w, err := http.Get("http://" + addr + "/readyz") //nolint:noctx // a test's own server
		if err != nil {
			return false
		}
		_ = w.Body.Close()
		return w.StatusCode == http.StatusServiceUnavailable
	})
	rest, err := io.ReadAll(stream)
	if err != nil || !strings.Contains(string(rest), "Message streamed successfully.") {
		t.Errorf("the running call gets %q, %v, want its result", rest, err)
	}
	if printed, _ := io.ReadAll(stdout); len(printed) > 0 {
		t.Errorf("the app prints %q to stdout", printed)
	}
	if err := app.Wait(); err != nil {
		t.Errorf("the app ends with %v, want the exit code 0", err)
	}
}

func secondSignalEndsAtOnce(t *testing.T, path string) {
	t.Helper()
	app, _, _, log := startApp(t, path, "serve")
	streamOf(t, addrOf(t, log), 300) // runs for 30 s
	for range 2 {
		if err := app.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the app heeds the signal", func() bool { return log.count("stopping") == 1 })
	}
	start := time.Now()
	var exit *exec.ExitError
	if err := app.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("the app ends with %v, want the exit code 1", err)
	}
	if took := time.Since(start); took >= limits.Drain {
		t.Errorf("that takes %v", took)
	}
}

// The second signal ends the delay and lets calls end. The next one ends the process.
func signalEndsDrainDelay(t *testing.T, path string) {
	t.Helper()
	signals := func(t *testing.T, app *exec.Cmd, log *logBuffer, steps ...string) {
		t.Helper()
		for _, step := range steps {
			must(t, app.Process.Signal(syscall.SIGTERM))
			eventually(t, "the log has "+step, func() bool { return log.count(step) == 1 })
		}
	}
	app, _, _, log := startAppWith(t, []string{"APP_DRAIN_DELAY=1h"}, path, "serve")
	stream := streamOf(t, addrOf(t, log), 8) // runs for 700 ms
	signals(t, app, log, "still serving", "msg=stopping")
	rest, err := io.ReadAll(stream)
	if err != nil || !strings.Contains(string(rest), "Message streamed successfully.") {
		t.Errorf("the running call gets %q, %v, want its result", rest, err)
	}
	if err := app.Wait(); err != nil {
		t.Errorf("the app ends with %v, want the exit code 0", err)
	}

	for delay, steps := range map[string][]string{"1h": {"still serving", "msg=stopping"}, "1ms": {"msg=stopping"}} {
		app, _, _, log := startAppWith(t, []string{"APP_DRAIN_DELAY=" + delay}, path, "serve")
		streamOf(t, addrOf(t, log), 300) // runs for 30 s
		signals(t, app, log, steps...)
		must(t, app.Process.Signal(syscall.SIGTERM))
		start := time.Now()
		var exit *exec.ExitError
		if err := app.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("after the delay of %s and another signal, the app ends with %v, want the exit code 1", delay, err)
		}
		if took := time.Since(start); took >= limits.Drain {
			t.Errorf("after the delay of %s, that takes %v", delay, took)
		}
	}
}

func signalEndsStdio(t *testing.T, path string) {
	t.Helper()
	app, stdin, stdout, _ := startApp(t, path, "start", "demo")
	lines := bufio.NewReader(stdout)
	if _, err := io.WriteString(stdin, modernCall(`1`, "chat-streaming", `{"message":"a b c d"}`)+"\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "chat/token") {
		t.Fatalf("the stream begins with %q, %v", line, err)
	}
	if err := app.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(lines)
	if !strings.Contains(string(rest), "Message streamed successfully.") {
		t.Errorf("the running call gets %q, want its result", rest)
	}
	if err := app.Wait(); err != nil {
		t.Errorf("the app ends with %v, want the exit code 0", err)
	}
}

func endOfStdinEndsTheApp(t *testing.T, path string) {
	t.Helper()
	app, stdin, stdout, _ := startApp(t, path, "start", "demo")
	if _, err := io.WriteString(stdin, modernCall(`1`, "echo", `{"message":"hello"}`)); err != nil {
		t.Fatal(err)
	}
	_ = stdin.Close()
	start := time.Now()
	if line, err := io.ReadAll(stdout); err != nil || readAnswer(t, string(line)).text() != "hello" {
		t.Errorf("the app writes %q, %v", line, err)
	}
	if err := app.Wait(); err != nil {
		t.Errorf("the app ends with %v, want the exit code 0", err)
	}
	if took := time.Since(start); took >= limits.Drain {
		t.Errorf("that takes %v", took)
	}
}
