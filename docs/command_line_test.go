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
	page := read(t, "docs/guide/command-line.md")
	for _, command := range regexp.MustCompile(`(?m)^  ([a-z]+(?::[a-z]+)?) +[A-Z]`).FindAllStringSubmatch(help(t), -1) {
		name := command[1]
		if !strings.Contains(page, "mcp "+name) {
			t.Errorf("the page lacks mcp %s", name)
		}
		if _, authorization, _ := strings.Cut(help(t), "\nAuthorization:"); strings.Contains(authorization, "\n  "+name+" ") {
			continue
		}
		for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(help(t, name), -1) {
			if !strings.Contains(page, "`"+flag) && !strings.Contains(page, flag+"`") && !strings.Contains(page, flag+" ") {
				t.Errorf("the page lacks %s of mcp %s", flag, name)
			}
		}
	}
}

func TestTheHelpOfEachCommandHasAnExampleAndTheExitCodes(t *testing.T) {
	t.Parallel()
	for _, command := range regexp.MustCompile(`(?m)^  ([a-z]+(?::[a-z]+)?) +[A-Z]`).FindAllStringSubmatch(help(t), -1) {
		text := help(t, command[1])
		if !strings.Contains(text, "\nExamples:\n  mcp "+command[1]) && !strings.Contains(text, "mcp "+command[1]+" bash") {
			t.Errorf("the help of mcp %s has no example", command[1])
		}
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), "exit code is ") {
			t.Errorf("the help of mcp %s has no exit codes", command[1])
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
