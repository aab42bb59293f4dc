package naming_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/naming"
)

func TestCaseAndSeparatorsDoNotCount(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"pageId": "page_id", "PAGE-ID": "page_id", "page id": "page_id", "pageID2": "page_id", "ag": "age", "a": "", "xy": "", "__": "",
	} {
		if got := naming.Nearest(name, []string{"page_id", "age"}); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNamesOfAMessageAreQuoted(t *testing.T) {
	t.Parallel()
	if got := naming.Quoted([]string{"a", "b"}); got != `"a", "b"` {
		t.Errorf("Quoted() = %s", got)
	}
}

func TestNearestFindsTheSimilarName(t *testing.T) {
	t.Parallel()
	tools := []string{"echo-tool", "calculate-tool", "delete-page-tool"}
	for name, want := range map[string]string{
		"echo-tol":        "echo-tool",
		"Echo-Tool":       "echo-tool",
		"ehco-tool":       "echo-tool",
		"calculatetool":   "calculate-tool",
		"delete-page":     "",
		"weather-tool":    "",
		"x":               "",
		"":                "",
		"calculate_tool":  "calculate-tool",
		"delete-pages-to": "delete-page-tool",
	} {
		if got := naming.Nearest(name, tools); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNamesInMessagesAreQuotedIfATerminalMightObeyThem(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"docs://handbook": "docs://handbook", "Überblick 1": "Überblick 1", "": "", "a\x1b[31m": `"a\x1b[31m"`, "a\nb": `"a\nb"`, "\xff": `"\xff"`,
		"\u009b": `"\u009b"`, "\u202e": `"\u202e"`,
	} {
		if got := naming.Printable(name); got != want {
			t.Errorf("%q is shown as %s, want %s", name, got, want)
		}
	}
	if got, want := naming.Quoted([]string{"a", "é\x1b"}), `"a", "é\x1b"`; got != want {
		t.Errorf("a list is %s, want %s", got, want)
	}
}
