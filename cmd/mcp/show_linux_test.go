package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShowFitsTheTerminal(t *testing.T) {
	t.Parallel()
	s := describing()
	s["tools/list"] = always(`{"tools":[{"name":"search","description":"` + strings.Repeat("word ", 99) + `","inputSchema":{}}]}`)
	for _, kind := range []string{"xterm", "dumb"} {
		r := start(t, inFolder(t, t.TempDir(), kind, "show", serve(t, s)), 50, 24)
		r.sees(t, "arguments of the tools.")
		code := r.ends(t)
		description, _, _ := strings.Cut(r.screen.String(), "Parameters")
		for line := range strings.SplitSeq(description[strings.Index(description, "## Tools"):], "\r\n") {
			if utf8.RuneCountInString(line) > 50 {
				t.Errorf("the line %q doesn't fit", line)
			}
		}
		if bold := strings.Contains(description, "\x1b[1m## Tools\x1b[0m"); code != 0 || bold != (kind == "xterm") {
			t.Errorf("on a terminal of the kind %s, the exit code is %d, and the screen shows\n%q", kind, code, description)
		}
	}
}
