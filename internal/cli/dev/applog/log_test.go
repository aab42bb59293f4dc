package applog_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// moment is when programs write the lines of the tests, and clock how the log shows that.
var moment = time.Date(2026, 11, 27, 12, 31, 4, 0, time.Local)

const clock = "12:31:04"

// newLog returns a log of an app, and what it shows.
func newLog(t *testing.T) (*applog.Log, *buffertest.Buffer) {
	t.Helper()
	root, shown := t.TempDir(), &buffertest.Buffer{}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/shop // the shop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return applog.New(shown, root), shown
}

// writes writes a line as a program does.
func writes(to io.Writer, level slog.Level, message string, attrs ...any) {
	write(slog.NewTextHandler(to, &slog.HandlerOptions{Level: level}), level, message, attrs...)
}

func write(handler slog.Handler, level slog.Level, message string, attrs ...any) {
	r := slog.NewRecord(moment, level, message, 0)
	r.Add(attrs...)
	_ = handler.Handle(nil, r) //nolint:staticcheck // the handler ignores the context
}

func expect(t *testing.T, shown fmt.Stringer, want ...string) {
	t.Helper()
	if got := strings.TrimSuffix(shown.String(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the log shows\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// stack is what Go prints for a panic in a file of the app.
const stack = `goroutine 9 [running]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:26 +0x5e
panic({0x1, 0x2})
	/usr/local/go/src/runtime/panic.go:783 +0x132
example.com/shop/app/tools.item(...)
	example.com/shop/app/tools/show.go:31
example.com/shop/app/tools.(*Show).Handle(0xc0, {0x1, 0x2})
	example.com/shop/app/tools/show.go:12 +0x4b
example.com/shop/vendor/other.Run(0x1)
	example.com/shop/vendor/other/run.go:2 +0x1
github.com/bowline-mcp/bowline/framework/mcp.run()
	github.com/bowline-mcp/bowline@v1.0.0/framework/mcp/run.go:1 +0x1
created by net/http.(*Server).Serve in goroutine 1
	/usr/local/go/src/net/http/server.go:3454 +0x485
`

func TestALineOfACallHasItsNameClientDurationOutcomeAndReason(t *testing.T) {
	t.Parallel()
	request := []any{"version", "2026-07-28", "server", "shop", "request", "8f3a12c7", "principal", "anonymous", "client", "claude/2.1"}
	for _, c := range []struct {
		level slog.Level
		attrs []any
		want  []string
	}{
		{slog.LevelInfo, []any{"tool", "show", "outcome", "ok", "took", 3 * time.Millisecond}, []string{"  show                      claude/2.1                 3 ms  ok"}},
		{slog.LevelInfo, []any{"method", "tools/call", "outcome", "refused", "took", time.Second, "reason", "Unknown tool"}, []string{"  tools/call                claude/2.1              1000 ms  refused: Unknown tool"}},
		{slog.LevelInfo, []any{"method", "resources/read", "of", "shop://a", "outcome", "refused", "reason", "gone"}, []string{"  shop://a                  claude/2.1                 0 ms  refused: gone"}},
		{slog.LevelDebug, []any{"method", "completion/complete", "of", "shop://a", "outcome", "ok"}, []string{"  completion/complete shop://a  claude/2.1                 0 ms  ok"}},
		{slog.LevelError, []any{"tool", "show", "outcome", "failed", "reason", "one\r\n\ttwo\x1b[2J\nthree\n"}, []string{
			"  show                      claude/2.1                 0 ms  failed (request 8f3a12c7): one", "          \"    two\\x1b[2J\"", "          three",
		}},
		{slog.LevelWarn, []any{"tool", "show", "outcome", "timed out", "reason", "timed out after 1s: the handler hasn't returned", "extra", "a b"}, []string{
			"  show                      claude/2.1                 0 ms  timed out (request 8f3a12c7): after 1s: the handler hasn't returned extra=\"a b\"",
		}},
		{slog.LevelError, []any{"tool", "show", "outcome", "panicked", "reason", "the handler panicked: boom (show.go:31)", "stack", stack}, []string{
			"  show                      claude/2.1                 0 ms  panicked (request 8f3a12c7): boom (show.go:31)",
			"          at app/tools/show.go:31  tools.item", "          at app/tools/show.go:12  tools.(*Show).Handle", "          (4 more frames of Go, Bowline and other modules)",
		}},
	} {
		c.want[0] = clock + c.want[0]
		for _, format := range []func(io.Writer) slog.Handler{
			func(to io.Writer) slog.Handler { return slog.NewTextHandler(to, nil) },
			func(to io.Writer) slog.Handler { return slog.NewJSONHandler(to, nil) },
		} {
			log, shown := newLog(t)
			write(format(log.Stderr()), c.level, "call", append(c.attrs, request...)...)
			expect(t, shown, c.want...)
		}
	}
}

func TestALineOfACallNamesItsPrincipalAndItsServerIfThereAreSeveral(t *testing.T) {
	t.Parallel()
	log, shown := newLog(t)
	for _, server := range []string{"shop", "desk"} {
		writes(log.Stderr(), slog.LevelInfo, "call", "tool", "show", "outcome", "ok", "server", server, "principal", "ada", "client", "c/1")
	}
	expect(t, shown, clock+"  show                      c/1 for ada                0 ms  ok", clock+"  show                      c/1 for ada                0 ms  ok server=desk")
}

func TestOtherLinesHaveTheirLevelMessageAndAttributes(t *testing.T) {
	t.Parallel()
	log, shown := newLog(t)
	program := log.Stderr()
	writes(program, slog.LevelWarn, "stock is low", "item", "sail cloth", "left", 2, "empty", "", slog.Group("at", "x", 1), "request", "8f3a12c7", "principal", "anonymous", "client", "c/1")
	writes(program, slog.LevelInfo, "a client registered", "client", "c1", "name", "\u009b2J")
	writes(program, slog.LevelWarn, "a handler hangs", "timeout", time.Minute)
	write(slog.NewJSONHandler(program, nil), slog.LevelInfo, "as JSON", slog.Group("at", "x", 1, "name", "\u009b"), "n", 7, "text", "a b")
	writes(program, slog.LevelError, "a listener panicked", "stack", "goroutine 1 [running]:\nx.y()\n\t/z.go:1 +0x1\n")
	expect(t, shown,
		clock+`  WARN   stock is low item="sail cloth" left=2 empty="" at.x=1 request=8f3a12c7`,
		clock+`  INFO   a client registered client=c1 name="\u009b2J"`,
		clock+`  WARN   a handler hangs timeout=1m0s`,
		clock+`  INFO   as JSON at="{\"x\":1,\"name\":\"\u009b\"}" n=7 text="a b"`,
		clock+`  ERROR  a listener panicked`, "          goroutine 1 [running]:", "          x.y()", "              /z.go:1 +0x1")
}

// The person sees which lines a call has, even if others run at the same time.
func TestALineOfACallHasItsRequestIfAnotherLineHasIt(t *testing.T) {
	t.Parallel()
	log, shown := newLog(t)
	program := log.Stderr()
	for _, request := range []string{"8f3a12c7", "11111111"} {
		if request == "8f3a12c7" {
			writes(program, slog.LevelInfo, "loaded", "request", request, "client", "c/1")
		}
		writes(program, slog.LevelInfo, "call", "tool", "show", "outcome", "ok", "took", "2ms", "request", request, "client", "c/1")
	}
	expect(t, shown, clock+"  INFO   loaded request=8f3a12c7", clock+"  show                      c/1                        2 ms  ok (request 8f3a12c7)",
		clock+"  show                      c/1                        2 ms  ok")
}

// An app may print, and its Logger may write lines of its own.
func TestWhatIsNotALineOfTheLogIsShownAsItIs(t *testing.T) {
	t.Parallel()
	log, shown := newLog(t)
	program := log.Stderr()
	for _, written := range []string{"\x1b[31mred\x1b[0m\r\n", "\n", "[1,", "2]\n", `{"time":"today","level":"INFO","msg":"m"}` + "\n", `{"msg":"m"}` + "\n", "time=now level=INFO msg=m\n", "level=INFO msg=m\n", "time=2026-11-27T12:00:00Z level=INFO msg=\"cut\n", "time=2026-11-27T12:00:00Z level=INFO msg\n", "time=2026-11-27T12:00:00Z level=INFO msg=\"m\"x\n", `{"time":"2026-11-27T12:00:00Z","level":"INFO","msg":"cut` + "\u009b\n", "the end"} {
		_, _ = io.WriteString(program, written)
	}
	if strings.Contains(shown.String(), "the end") {
		t.Error("a line is shown before its end")
	}
	program.Close()
	expect(t, shown, "\x1b[31mred\x1b[0m\r", "", "[1,2]", `{"time":"today","level":"INFO","msg":"m"}`, `{"msg":"m"}`, "time=now level=INFO msg=m", "level=INFO msg=m", `time=2026-11-27T12:00:00Z level=INFO msg="cut`,
		"time=2026-11-27T12:00:00Z level=INFO msg", `time=2026-11-27T12:00:00Z level=INFO msg="m"x`, `{"time":"2026-11-27T12:00:00Z","level":"INFO","msg":"cut\u009b`, "the end")
}

func TestALongLineIsShownInParts(t *testing.T) {
	t.Parallel()
	log, shown := newLog(t)
	program := log.Stderr()
	long := strings.Repeat("x", 300<<10)
	_, _ = io.WriteString(program, long)
	if shown.String() == "" {
		t.Error("a line without an end is kept")
	}
	_, _ = io.WriteString(program, long+"\n")
	write(slog.NewJSONHandler(program, nil), slog.LevelInfo, "long", "text", long)
	writes(program, slog.LevelInfo, "short")
	got := strings.Split(shown.String(), "\n")
	if len(got) != 4 || got[0] != long+long || !strings.HasPrefix(got[1], `{"time":`) || !strings.HasSuffix(got[1], `x"}`) || got[2] != clock+"  INFO   short" {
		t.Errorf("%d lines are shown, the last one is %q", len(got), got[len(got)-2])
	}
}

func TestWhatEachProgramSaysIsShownOnce(t *testing.T) {
	t.Parallel()
	log, shown := newLog(t)
	begins := func(program *applog.Stderr) {
		writes(program, slog.LevelInfo, "serving", "url", "http://127.0.0.1/mcp/shop")
		writes(program, slog.LevelWarn, "a route is open", "path", "/mcp/shop")
		writes(program, slog.LevelInfo, "connected")
	}
	first, second := log.Stderr(), log.Stderr()
	begins(first)
	begins(first)
	log.Announce("https://shop.example", []string{"/mcp/shop"}, " (note)", "next\n")
	writes(first, slog.LevelInfo, "stopping", "limit", time.Second)
	writes(first, slog.LevelInfo, "stopped")
	begins(second)
	writes(second, slog.LevelInfo, "serving", "url", "http://127.0.0.1/mcp/desk")
	writes(second, slog.LevelWarn, "another warning")
	second.Serves()
	expect(t, shown, clock+"  WARN   a route is open path=/mcp/shop", clock+"  INFO   connected", clock+"  WARN   a route is open path=/mcp/shop", clock+"  INFO   connected",
		"mcp: serving https://shop.example/mcp/shop (note)", "next", clock+"  INFO   connected", "mcp: serving https://shop.example/mcp/desk (note)", clock+"  WARN   another warning")
}

// A warning may be as before, but about something that has happened again.
func TestAWarningOfAProgramThatServesIsShownAgain(t *testing.T) {
	t.Parallel()
	log, shown := newLog(t)
	for range 2 {
		program := log.Stderr()
		program.Serves()
		_, _ = fmt.Fprintf(program, `{"time":%q,"level":"WARN","msg":"the stock is low"}`+"\n", time.Now().Add(time.Minute).Format(time.RFC3339Nano))
	}
	if strings.Count(shown.String(), "the stock is low") != 2 {
		t.Errorf("the log shows %s", shown)
	}
}

func TestACallHasOneLineWhetherOrNotProgramsLogIt(t *testing.T) {
	t.Parallel()
	call := func(name, outcome string, reported bool) applog.Call {
		return applog.Call{Name: name, Client: "c/1", Ended: moment, Took: time.Millisecond, Outcome: outcome, Reported: reported}
	}
	line := func(name, outcome string) string {
		return fmt.Sprintf("%s  %-24s  c/1                        1 ms  %s", clock, name, outcome)
	}
	synctest.Test(t, func(t *testing.T) {
		log, shown := newLog(t)
		program := log.Stderr()
		program.Ended(call("one", "ok", true))
		program.Ended(call("lost", "failed", false))
		writes(program, slog.LevelInfo, "call", "tool", "one", "outcome", "ok", "took", time.Millisecond, "client", "c/1")
		program.Ended(call("two", "ok", true))
		writes(program, slog.LevelDebug, "call", "method", "resources/read", "of", "a://b", "outcome", "ok", "client", "c/1") // mcp dev logs it
		program.Ended(call("a://b", "ok", false))
		time.Sleep(time.Hour)
		expect(t, shown, line("lost", "failed"), line("one", "ok"), line("a://b", "ok"))
	})
	synctest.Test(t, func(t *testing.T) {
		log, shown := newLog(t)
		writes(log.Stderr(), slog.LevelInfo, "call", "tool", "zero", "outcome", "ok", "took", time.Millisecond, "client", "c/1")
		program := log.Stderr() // another program, which may log otherwise
		_, _ = io.WriteString(program, "INFO call tool=one\n")
		program.Ended(call("one", "ok", true))
		expect(t, shown, line("zero", "ok"), "INFO call tool=one")
		time.Sleep(2 * time.Second)
		program.Ended(call("two", "ok", true))
		expect(t, shown, line("zero", "ok"), "INFO call tool=one", line("one", "ok"), line("two", "ok"))
	})
	for by, end := range map[string]func(*applog.Log, *applog.Stderr){
		"the program": func(_ *applog.Log, program *applog.Stderr) { program.Close() },
		"mcp dev":     func(log *applog.Log, _ *applog.Stderr) { log.Close() },
	} {
		log, shown := newLog(t)
		program := log.Stderr()
		program.Ended(call("one", "ok", true))
		t.Log("ended by " + by)
		end(log, program)
		log.Ended(call("two", "failed", false))
		expect(t, shown, line("one", "ok"), line("two", "failed"))
	}
}

func TestAPanicThatEndsAProgramIsRepeatedIfItHasOtherFrames(t *testing.T) {
	t.Parallel()
	const own = "\tgoroutine 7 [running]:\nexample.com/shop/app.f()\n\texample.com/shop/app/f.go:3 +0x1\n"
	for crash, want := range map[string]string{
		"panic: boom\n\n" + stack:                          "mcp: a panic ended the program; the app's own frames are\n          at app/tools/show.go:31  tools.item\n          at app/tools/show.go:12  tools.(*Show).Handle\n",
		"fatal error: all goroutines are asleep\n" + stack: "mcp: a panic ended the program; the app's own frames are\n          at app/tools/show.go:31  tools.item\n          at app/tools/show.go:12  tools.(*Show).Handle\n",
		"panic: boom\n\n" + own:                            "",
		"a stack of the app's own\n" + stack:               "",
	} {
		log, shown := newLog(t)
		program := log.Stderr()
		_, _ = io.WriteString(program, crash)
		program.Close()
		if shown.String() != crash+want {
			t.Errorf("the log shows\n%s\nwant\n%s", shown, crash+want)
		}
	}
}

// A program that prints much waits for the terminal, so that nothing is dropped.
func TestMuchOutputIsFlushed(t *testing.T) {
	t.Parallel()
	out := &flushed{}
	program := applog.New(out, t.TempDir()).Stderr()
	for range 1 << 20 / 64 {
		_, _ = io.WriteString(program, strings.Repeat("x", 63)+"\n")
	}
	if out.Len() != 1<<20 || out.flushes < 3 {
		t.Errorf("%d bytes are shown, flushed %d times", out.Len(), out.flushes)
	}
}

type flushed struct {
	bytes.Buffer
	flushes int
}

func (f *flushed) Flush(time.Duration) bool {
	f.flushes++
	return true
}
