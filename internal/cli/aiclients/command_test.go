package aiclients_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

// claude puts a shell script in the place of Claude Code's program. In it, $log is a file.
func (c *computer) claude(t *testing.T, script string) (log string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for claude is a shell script; run on Linux: go test ./internal/cli/aiclients")
	}
	claude, log := filepath.Join(c.Home, "claude"), filepath.Join(c.Home, "log")
	script = "#!/bin/sh\nlog='" + log + "' file='" + filepath.Join(c.Home, ".claude.json") + "'\n" + script
	machinetest.WriteProgram(t, claude, script)
	c.Find = func(string) (string, error) { return claude, nil }
	return log
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestClaudeCodeAddsTheEntryItself(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	log := c.claude(t, "for arg; do echo \"$arg\"; done >\"$log\"\nprintf '{\"mcpServers\": {\"%s\": %s}}' \"$3\" \"$4\" >\"$file\"\n")
	edit := c.install(t, "claude-code")
	want := "mcp\nadd-json\ndemo\n" + `{"type": "stdio", "command": "/usr/local/bin/mcp", "args": ["start", "demo", "--dir", "` + c.app.Folder + `"]}` + "\n--scope\nuser\n"
	if got := read(t, log); got != want || edit.Action != aiclients.Added {
		t.Errorf("claude was called with\n%s, want\n%s", got, want)
	}

	// An entry that is there is updated in the file, since add-json refuses it.
	c.server.Args[0] = "dev"
	if edit := c.install(t, "claude-code"); edit.Action != aiclients.Updated || edit.Command != nil {
		t.Errorf("the entry is %s, by %q", edit.Action, edit.Command)
	}
	if edit := c.uninstall(t, "claude-code"); edit.Action != aiclients.Removed || edit.Command != nil {
		t.Errorf("the entry is %s, by %q", edit.Action, edit.Command)
	}
	if got := read(t, log); got != want {
		t.Errorf("claude was called for an update or a removal: %s", got)
	}
}

func TestAFailureOfClaudeCodeLeavesAllFilesAlone(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"echo 'not allowed' >&2\nexit 3\n": "claude mcp add-json failed: exit status 3: not allowed",
		"":                                 "claude mcp add-json succeeded, but ",
	} {
		c := newComputer(t)
		c.claude(t, script)
		path := c.write(t, ".cursor/mcp.json", "{}")
		if err := aiclients.Write(t.Context(), c.edits(t, "cursor", "claude-code")); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
		if after := read(t, path); after != "{}" {
			t.Errorf("the other file is\n%s", after)
		}
	}
}

// Ctrl-C ends claude too, which may have added the entry already.
func TestAnInstallationThatIsCanceledLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"claude ends well": "", "claude is interrupted": "[ $2 = remove ] || exit 130\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newComputer(t)
			log := c.claude(t, "echo '{\"mcpServers\": {\"demo\": {}}}' >\"$file\"\necho \"$2 $3\" >>\"$log\"\nuntil [ -e \"$log.seen\" ]; do sleep 0.01; done\n"+script)
			path := c.write(t, ".cursor/mcp.json", "{}")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				for !exists(log) {
					time.Sleep(time.Millisecond)
				}
				cancel()
				if err := os.WriteFile(log+".seen", nil, 0o600); err != nil { // claude goes on
					t.Error(err)
				}
			}()
			if err := aiclients.Write(ctx, c.edits(t, "cursor", "claude-code")); !errors.Is(err, aiclients.ErrCanceled) {
				t.Errorf("the error is %v", err)
			}
			if got := read(t, log); got != "add-json demo\nremove demo\n" {
				t.Errorf("claude was called with\n%s", got)
			}
			left, err := os.ReadDir(filepath.Dir(path))
			if after := read(t, path); err != nil || len(left) != 1 || after != "{}" {
				t.Errorf("the other file is %s, beside %v", after, left)
			}
		})
	}
}

func TestAnEntryOfClaudeCodeIsTakenOutIfAnotherFileFails(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"": "/.cursor/mcp.json keeps changing, probably by Cursor; quit that, and run the command again",
		"[ $2 != remove ] || { echo 'no such entry'; exit 1; }\n": "run the command again; claude mcp remove failed: exit status 1: no such entry",
	} {
		c := newComputer(t)
		log := c.claude(t, "echo \"$2 $3\" >>\"$log\"\necho '{\"mcpServers\": {\"demo\": {}}}' >\"$file\"\n"+script)
		c.keepsChanging(t, c.write(t, ".cursor/mcp.json", "{}"))
		if err := aiclients.Write(t.Context(), c.edits(t, "cursor", "claude-code")); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("the error is %v, want … %s", err, want)
		}
		if got := read(t, log); got != "add-json demo\nremove demo\n" {
			t.Errorf("claude was called with\n%s", got)
		}
	}
}
