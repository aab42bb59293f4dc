package docs_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli"
)

// The page has each command, and each of its flags except those of the commands on
// authorization, which the page on authorization describes.
func TestThePageOfTheCommandLineHasEachCommandAndFlag(t *testing.T) {
	t.Parallel()
	page, flags := read(t, "docs/guide/command-line.md"), 0
	for _, name := range commands(t) {
		if !strings.Contains(page, "mcp "+name) {
			t.Errorf("the page lacks mcp %s", name)
		}
		if _, authorization, _ := strings.Cut(help(t), "\nAuthorization:"); strings.Contains(authorization, "\n  "+name+" ") {
			continue
		}
		for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(help(t, name), -1) {
			flags++
			if !strings.Contains(page, "`"+flag) && !strings.Contains(page, flag+"`") && !strings.Contains(page, flag+" ") {
				t.Errorf("the page lacks %s of mcp %s", flag, name)
			}
		}
	}
	if flags < 40 {
		t.Errorf("the helps have only %d flags", flags)
	}
}

// commands returns the names that mcp help lists.
func commands(t *testing.T) (names []string) {
	t.Helper()
	for _, command := range regexp.MustCompile(`(?m)^  ([a-z]+(?::[a-z]+)?) +[A-Z]`).FindAllStringSubmatch(help(t), -1) {
		names = append(names, command[1])
	}
	if len(names) < 20 {
		t.Fatalf("mcp help lists only %q", names)
	}
	return names
}

func TestTheHelpOfEachCommandHasAnExampleAndTheExitCodes(t *testing.T) {
	t.Parallel()
	for _, name := range commands(t) {
		text := help(t, name)
		if !strings.Contains(text, "\nExamples:\n  mcp "+name) && !strings.Contains(text, "mcp "+name+" bash") {
			t.Errorf("the help of mcp %s has no example", name)
		}
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), "exit code is ") {
			t.Errorf("the help of mcp %s has no exit codes", name)
		}
	}
}

func help(t *testing.T, command ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := cli.Run(append([]string{"help"}, command...), &stdout, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	return stdout.String()
}
