package dev_test

import (
	"regexp"
	"strings"
	"testing"
)

// The program logs each call, and mcp dev shows that.
func TestEachCallIsOneLineWithItsWholeReason(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	text(t, url, "", modern(1, "tools/call", toolCall("greet", "")))
	a.awaitLine("greet", "newer/2", "ok")
	text(t, url, "", modern(2, "tools/call", toolCall("fail", "")))
	a.awaitLine("fail", "newer/2", `refused: It has failed\.\n          On two lines\.`)
	text(t, url, "", modern(3, "tools/call", toolCall("break", "")))
	a.awaitLine("break", "newer/2", `failed \(request [0-9a-f]{8}\): open orders\.db: no such file\n          open backup\.db: no such file`)
	text(t, url, "", modern(4, "tools/call", toolCall("panic", "")))
	a.awaitLine("panic", "newer/2", `panicked \(request [0-9a-f]{8}\): runtime error: index out of range \[3\] with length 0 \(main\.go:\d+\)\n`+
		`          at main\.go:\d+  main\.item\n          at main\.go:\d+  main\.\(\*Panic\)\.Handle\n          \(\d+ more frames of Go, Bowline and other modules\)`)
	if logged := a.log.String(); strings.Count(logged, " ms  ") != 4 || strings.Contains(logged, "{") {
		t.Errorf("the log is\n%s", logged)
	}
}

func TestTheURLsAreToldOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	a.awaitMatch(regexp.MustCompile(`(?m)^mcp: serving ` + regexp.QuoteMeta(url) + `$`))
	a.greet("two")
	a.awaitMatch(regexp.MustCompile(`(?m)^mcp: reloaded: built in \d+\.\d\d s, started in \d+\.\d\d s$`))
	a.write(".env", "APP_DRAIN=1s\n")
	a.awaitMatch(regexp.MustCompile(`(?m)^mcp: reloaded: \.env has changed, started in \d+\.\d\d s$`))
	a.awaitFile("stopped")
	logged := a.log.String()
	for _, once := range []string{"serving", "mcp: building"} {
		if strings.Count(logged, once) != 1 {
			t.Errorf("the log doesn't have %q once:\n%s", once, logged)
		}
	}
	for _, never := range []string{"stopping", "stopped", strings.TrimSuffix(url, "/mcp/demo") + "\n"} {
		if strings.Contains(logged, never) {
			t.Errorf("the log has %q:\n%s", never, logged)
		}
	}
}

// mcp dev can't read the log of an app whose Logger has a format of its own, so it logs the calls.
func TestTheCallsOfAnAppWithALogOfItsOwnHaveLines(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.write(".env", "OWN_LOG=1\n")
	url := a.serve()
	a.awaitMatch(regexp.MustCompile(`(?m)^level=INFO msg=serving url=`))
	for n, outcome := range []string{"ok", "refused: It has failed\\.\n          On two lines\\."} {
		name := []string{"greet", "fail"}[n]
		text(t, url, "", modern(n+1, "tools/call", toolCall(name, "")))
		a.awaitLine(name, "newer/2", outcome)
		a.awaitMatch(regexp.MustCompile(`(?m)^level=INFO msg=call .*tool=` + name + ` `))
	}
}

// What Go prints when a panic ends a program is long, so the app's part of it is repeated below.
func TestAPanicThatEndsTheProgramIsShownWithTheAppsFrames(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	url := a.serve()
	outliveStart()
	contains(t, text(t, url, "", modern(1, "tools/call", toolCall("panic", `"alone":true`))), "the program ended before it answered")
	a.awaitMatch(regexp.MustCompile(`(?s)\npanic: runtime error: index out of range \[3\] with length 0\n.*goroutine \d+ \[running\]:\n.*` +
		`\nmcp: a panic ended the program; the app's own frames are\n          at main\.go:\d+  main\.item\n          at main\.go:\d+  main\.\(\*Panic\)\.Handle\.func1[^\n]*\n`))
	a.awaitMatch(regexp.MustCompile(`(?m) ms  failed: the program ended before it answered$`))
	a.awaitMatch(regexp.MustCompile(`(?m)^mcp: reloaded: the same program, started in `))
}

func TestTheLogOnStdioIsTheSame(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.relay()
	contains(t, p.ask(modern(1, "tools/call", toolCall("panic", ""))), `"id":1`)
	a.awaitLine("panic", "newer/2", `panicked \(request [0-9a-f]{8}\): .*\n          at main\.go:\d+  main\.item\n(?s:.*)`)
	contains(t, p.ask(modern(2, "tools/call", toolCall("greet", ""))), `"id":2`)
	a.awaitLine("greet", "newer/2", "ok")
	p.end()
	if logged := a.log.String(); strings.Count(logged, " ms  ") != 2 {
		t.Errorf("the log is\n%s", logged)
	}
}
