package aiclients_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
)

var update = flag.Bool("update", false, "write the golden files anew")

// emptySystem is a computer without any file of a client.
func emptySystem(system string) aiclients.System {
	home := map[string]string{"linux": "/home/ana", "darwin": "/Users/ana", "windows": `C:\Users\Ana Lima`}[system]
	return aiclients.System{
		OS: system, Home: home,
		Getenv: func(string) string { return "" },
		Read:   func(string) ([]byte, error) { return nil, fs.ErrNotExist },
		Exists: func(string) bool { return false },
		List:   func(string) ([]string, error) { return nil, fs.ErrNotExist },
		Find:   func(string) (string, error) { return "", fs.ErrNotExist },
	}
}

func TestEveryClientOnEverySystem(t *testing.T) {
	t.Parallel()
	for system, server := range map[string]aiclients.Server{
		"linux":   {Command: "/usr/local/bin/mcp", Args: []string{"start", "demo", "--dir", "/home/ana/my demo"}},
		"darwin":  {Command: "/opt/homebrew/bin/mcp", Args: []string{"start", "demo", "--dir", "/Users/ana/my demo"}},
		"windows": {Command: `C:\Users\Ana Lima\go\bin\mcp.exe`, Args: []string{"start", "demo", "--dir", `C:\Users\Ana Lima\demo`}},
	} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			project := map[string]string{"windows": `C:\Users\Ana Lima\demo`}[system]
			if project == "" {
				project = server.Args[3]
			}
			for _, client := range aiclients.All() {
				fmt.Fprintf(&text, "== %s (%s)\n", client.ID, client.Name)
				for _, scope := range []aiclients.Scope{aiclients.User, aiclients.Project} {
					if client.Supports(server, scope) != nil {
						continue
					}
					where, err := client.Where(emptySystem(system), scope, project)
					if err != nil {
						t.Error(err)
					}
					fmt.Fprintf(&text, "%s: %s\n", scope, where)
				}
				for _, one := range []aiclients.Server{server, {URL: "https://demo.example.com/mcp/demo"}} {
					if client.Supports(one, aiclients.User) != nil {
						continue
					}
					block, err := client.Block("demo", one)
					if err != nil {
						t.Error(err)
					}
					text.WriteString("\n" + block)
				}
				text.WriteString("\n")
			}
			golden(t, system+".golden", text.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("it differs from %s (-update writes it anew):\n%s", path, got)
	}
}

func TestVariablesMoveTheFilesOfClients(t *testing.T) {
	t.Parallel()
	system := emptySystem("linux")
	system.Getenv = func(name string) string { return "/moved/" + name }
	for id, want := range map[string]string{
		"claude-desktop": "/moved/XDG_CONFIG_HOME/Claude/claude_desktop_config.json",
		"claude-code":    "/moved/CLAUDE_CONFIG_DIR/.claude.json",
		"vscode":         "/moved/XDG_CONFIG_HOME/Code/User/mcp.json",
		"copilot":        "/moved/COPILOT_HOME/mcp-config.json",
		"codex":          "/moved/CODEX_HOME/config.toml",
		"zed":            "/moved/XDG_CONFIG_HOME/zed/settings.json",
		"opencode":       "/moved/XDG_CONFIG_HOME/opencode/opencode.jsonc",
		"cursor":         "/home/ana/.cursor/mcp.json",
	} {
		if file, err := find(t, id).File(system, aiclients.User, ""); file != want || err != nil {
			t.Errorf("the file of %s is %q, %v, want %q", id, file, err, want)
		}
	}
	system.OS = "windows"
	system.Getenv = func(name string) string { return `D:\` + name }
	if file, err := find(t, "claude-desktop").File(system, aiclients.User, ""); file != `D:\APPDATA\Claude\claude_desktop_config.json` || err != nil {
		t.Errorf("the file of Claude Desktop is %q, %v", file, err)
	}
}

func TestAnOlderNameOfAFileIsUsedWhereItExists(t *testing.T) {
	t.Parallel()
	system := emptySystem("linux")
	system.Exists = func(path string) bool { return filepath.Base(path) == "opencode.json" }
	for scope, want := range map[aiclients.Scope]string{aiclients.User: "/home/ana/.config/opencode/opencode.json", aiclients.Project: "/p/opencode.json"} {
		if file, err := find(t, "opencode").File(system, scope, "/p"); file != want || err != nil {
			t.Errorf("the file is %q, %v, want %q", file, err, want)
		}
	}
}

func TestTheFolderOfAPackagedClaudeDesktopWins(t *testing.T) {
	t.Parallel()
	system := emptySystem("windows")
	packages := `C:\Users\Ana Lima\AppData\Local\Packages`
	names := []string{"Claude_pzs8sxrjxfjjc", "Claude.Other", "Microsoft.Paint_8wekyb3d8bbwe"}
	system.List = func(folder string) ([]string, error) {
		if folder != packages {
			return nil, fs.ErrNotExist
		}
		return names, nil
	}
	system.Exists = func(path string) bool { return strings.HasSuffix(path, `\LocalCache\Roaming\Claude`) }
	want := packages + `\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json`
	if file, err := find(t, "claude-desktop").File(system, aiclients.User, ""); file != want || err != nil {
		t.Errorf("the file is %q, %v, want %q", file, err, want)
	}

	names = append(names, "Claude_other")
	file, err := find(t, "claude-desktop").File(system, aiclients.User, "")
	if !errors.Is(err, aiclients.ErrByHand) || !strings.Contains(err.Error(), "Claude_other") || file != "" {
		t.Errorf("with two folders: %q, %v, want ErrByHand with both", file, err)
	}

	system.OS = "darwin"
	if _, err := find(t, "claude-desktop").File(system, aiclients.User, ""); err != nil {
		t.Errorf("on another system: %v", err)
	}
}

func TestAClientIsFoundByItsFolder(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][]string{
		"/home/ana/.claude":                  {"claude-code"},
		"/home/ana/.claude.json":             {"claude-code"},
		"/home/ana/.config/Claude":           {"claude-desktop"},
		"/home/ana/.config/Code":             {"vscode"},
		"/home/ana/.config/JetBrains":        {"jetbrains"},
		"/home/ana/.codeium/windsurf":        {"windsurf"},
		"/home/ana/.codex":                   {"codex"},
		"/home/ana/.config/goose":            {"goose"},
		"/home/ana":                          nil,
		"/home/ana/.config/zed":              {"zed"},
		"/home/ana/.cursor":                  {"cursor"},
		"/home/ana/.lmstudio":                {"lmstudio"},
		"/home/ana/.config/opencode":         {"opencode"},
		"/home/ana/.copilot/mcp-config.json": {"copilot"},
	} {
		system := emptySystem("linux")
		system.Exists = func(one string) bool { return one == path }
		var found []string
		for _, client := range aiclients.All() {
			if client.Found(system) {
				found = append(found, client.ID)
			}
		}
		if !slices.Equal(found, want) {
			t.Errorf("with %s the clients %v are found, want %v", path, found, want)
		}
	}
}

// A client that was never started has no folder yet.
func TestAClientIsFoundByItsProgram(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]string{
		"claude": "claude-code", "code": "vscode", "copilot": "copilot", "cursor": "cursor", "codex": "codex", "gemini": "gemini", "opencode": "opencode", "zed": "zed",
	} {
		system := emptySystem("linux")
		system.Find = func(name string) (string, error) {
			if name != program {
				return "", fs.ErrNotExist
			}
			return "/usr/bin/" + name, nil
		}
		for _, client := range aiclients.All() {
			if client.Found(system) != (client.ID == want) {
				t.Errorf("with %s on the PATH, %s is found: %v", program, client.ID, client.Found(system))
			}
		}
	}
}

func find(t *testing.T, id string) aiclients.Client {
	t.Helper()
	client, ok := aiclients.Find(id)
	if !ok {
		t.Fatalf("there is no client %s", id)
	}
	return client
}
