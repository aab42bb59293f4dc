package naming_test

import (
	"runtime"
	"testing"

	"github.com/bowline-mcp/bowline/internal/naming"
)

func TestAShellReadsTheArgumentsOfACommandLine(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("these are the words of a shell of Unix; run on Linux: go test ./internal/naming")
	}
	for want, arguments := range map[string][]string{
		"mcp start demo --dir /home/ana/demo":         {"mcp", "start", "demo", "--dir", "/home/ana/demo"},
		`mcp --dir '/home/my demo' --name é`:          {"mcp", "--dir", "/home/my demo", "--name", "é"},
		`'it'\''s "x"' '$HOME' '' 'a;b' '[a]' '~' ''`: {`it's "x"`, "$HOME", "", "a;b", "[a]", "~", ""},
		`"a\x1b[31m"`: {"a\x1b[31m"},
	} {
		if got := naming.CommandLine(arguments...); got != want {
			t.Errorf("the command line is %s, want %s", got, want)
		}
	}
}
