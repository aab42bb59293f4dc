package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// bound returns a command that may not write where the modes of files forbid it, as root may.
func bound(t *testing.T, command *exec.Cmd) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		return command
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		gatetest.Missing(t, "root may write everywhere; install setpriv (apt-get install util-linux), or run as another user")
	}
	command.Args = append([]string{setpriv, "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search", "--", command.Path}, command.Args[1:]...)
	command.Path = setpriv
	return command
}

// contents returns the files and folders of a folder, with what is in them.
func contents(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all.WriteString(path + "\n")
		if entry.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestAGeneratorThatMayNotWriteSaysWhatToDo(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const tool, page, prompt, record, server = "app/mcp/tools", "app/mcp/resources", "app/mcp/prompts", "app", "app/mcp/servers"
	app := os.DirFS(appWithServers(t, "Shop"))
	for _, test := range []struct {
		command string
		path    string // a file or a folder
		mode    fs.FileMode
		want    string
	}{
		{"make:tool Weather", tool, 0o555, "write app/mcp/tools/weather_tool.go: permission denied; make the folder app/mcp/tools writable"},
		{"make:tool Weather", tool, 0, "read app/mcp/tools: permission denied; make it readable"},
		{"make:tool Weather", server, 0o555, "write app/mcp/servers/shop_server.go: permission denied; make the folder app/mcp/servers writable"},
		{"make:tool Weather", server + "/shop_server.go", 0, "read app/mcp/servers/shop_server.go: permission denied; make it readable"},
		{"make:tool Weather", "stubs/tool.stub", 0, "read stubs/tool.stub: permission denied; make it readable"},
		{"make:tool Weather", "go.mod", 0, "read the module path: open go.mod: permission denied; make it readable"},
		{"make:resource Page", page, 0o555, "write app/mcp/resources/page_resource.go: permission denied; make the folder app/mcp/resources writable"},
		{"make:resource Page --template", page, 0o555, "write app/mcp/resources/page_resource.go: permission denied; make the folder app/mcp/resources writable"},
		{"make:prompt Review", prompt, 0o555, "write app/mcp/prompts/review_prompt.go: permission denied; make the folder app/mcp/prompts writable"},
		{"make:guardrail Office", "app/mcp", 0o555, "write app/mcp/guardrails/office_guardrail.go: permission denied; make the folder app/mcp writable"},
		{"make:server Blog", server, 0o555, "write app/mcp/servers/blog_server.go: permission denied; make the folder app/mcp/servers writable"},
		{"make:server Blog", "routes", 0o555, "write routes/ai.go: permission denied; make the folder routes writable"},
		{"make:server Blog", "routes/ai.go", 0, "read routes/ai.go: permission denied; make it readable"},
		{"make:crud Post", record, 0o555, "write app/posts/store.go: permission denied; make the folder app writable"},
		{"make:crud Post", prompt, 0o555, "write app/mcp/prompts/write_post_prompt.go: permission denied; make the folder app/mcp/prompts writable"},
		{"make:crud Post", "routes", 0o555, "write routes/ai.go: permission denied; make the folder routes writable"},
		{"stubs:publish --force", "stubs", 0o555, "write stubs/crud/create_tool.stub: permission denied; make the folder stubs writable"},
		{"new shop --framework " + module, ".", 0o555, "can't create a folder in .: permission denied; make it writable, or name another one with --dir"},
		{"new shop --framework " + module, "shop", 0, "can't read the folder shop: permission denied; choose another name, or make it readable"},
	} {
		t.Run(test.command+" with "+test.path, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.CopyFS(folder, app); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{tool, page, prompt, "stubs", "shop"} {
				if err := os.Mkdir(filepath.Join(folder, filepath.FromSlash(name)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			stub := filepath.Join(folder, "stubs", "tool.stub")
			if err := os.WriteFile(stub, []byte("package tools\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			before := contents(t, folder)
			closed := filepath.Join(folder, filepath.FromSlash(test.path))
			if err := os.Chmod(closed, test.mode); err != nil {
				t.Fatal(err)
			}
			command := bound(t, inFolder(t, folder, "dumb", strings.Fields(test.command)...))
			var out, messages bytes.Buffer
			command.Stdout, command.Stderr = &out, &messages
			_ = command.Run() // the exit code says it
			if err := os.Chmod(closed, 0o700); err != nil {
				t.Fatal(err)
			}
			if code := command.ProcessState.ExitCode(); code != 1 || out.Len() > 0 || strings.ReplaceAll(messages.String(), folder+"/", "") != "mcp: "+test.want+"\n" {
				t.Errorf("the exit code is %d:\n%s%s\nwant\nmcp: %s", code, out.String(), messages.String(), test.want)
			}
			if after := contents(t, folder); after != before {
				t.Errorf("the app is\n%s\nand was\n%s", after, before)
			}
		})
	}
}
