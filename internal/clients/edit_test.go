package clients_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/clients"
)

// A computer is a system with a home folder of the test, and an app.
type computer struct {
	clients.System

	app    clients.App
	server clients.Server
}

func newComputer(t *testing.T) *computer {
	t.Helper()
	home := t.TempDir()
	system, err := clients.ThisSystem()
	if err != nil {
		t.Fatal(err)
	}
	system.OS, system.Home = "linux", home
	system.Getenv = func(string) string { return "" }
	system.Find = func(string) (string, error) { return "", fs.ErrNotExist }
	folder := filepath.Join(home, "my demo")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return &computer{
		System: system, app: clients.App{Handle: "demo", Folder: folder},
		server: clients.Server{Command: "/usr/local/bin/mcp", Args: []string{"start", "demo", "--dir", folder}},
	}
}

// write writes a file in the home folder.
func (c *computer) write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(c.Home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// install installs the app's server in a client.
func (c *computer) install(t *testing.T, id string) *clients.Edit {
	t.Helper()
	edit, err := find(t, id).Install(c.System, clients.User, "", "demo", c.server, c.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := clients.Write([]*clients.Edit{edit}); err != nil {
		t.Fatal(err)
	}
	return edit
}

func (c *computer) uninstall(t *testing.T, id string) *clients.Edit {
	t.Helper()
	edit, err := find(t, id).Uninstall(c.System, clients.User, "", "", c.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := clients.Write([]*clients.Edit{edit}); err != nil {
		t.Fatal(err)
	}
	return edit
}

func TestEveryClientTakesAnEntryInAndOut(t *testing.T) {
	t.Parallel()
	for _, client := range clients.All() {
		if client.Printed {
			continue
		}
		t.Run(client.ID, func(t *testing.T) {
			t.Parallel()
			c := newComputer(t)
			if edit := c.install(t, client.ID); edit.Action != clients.Added || edit.Backup != "" {
				t.Errorf("the first time the entry is %s, backup %q", edit.Action, edit.Backup)
			}
			if edit := c.install(t, client.ID); edit.Action != clients.Unchanged {
				t.Errorf("the second time the entry is %s", edit.Action)
			}
			all := clients.Installed(c.System, "")
			if len(all) != 1 || all[0].Handle != "demo" || all[0].Folder != c.app.Folder || all[0].ProgramExists || !all[0].FolderExists {
				t.Errorf("installed are %+v, want the handle and the folder of the app, and a program that is missing", all)
			}
			if edit := c.uninstall(t, client.ID); edit.Action != clients.Removed || !slices.Equal(edit.Names, []string{"demo"}) {
				t.Errorf("the entry is %s: %v", edit.Action, edit.Names)
			}
			if edit := c.uninstall(t, client.ID); edit.Action != clients.Unchanged || len(edit.Names) > 0 {
				t.Errorf("without an entry, %s: %v", edit.Action, edit.Names)
			}
			if all := clients.Installed(c.System, ""); len(all) > 0 {
				t.Errorf("installed are %+v after it", all)
			}
		})
	}
}

// Laravel Boost overwrote the whole file.
func TestOtherServersAndSettingsStay(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	before := "// my settings\n{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"other\": {\"command\": \"npx\", \"args\": [\"-y\", \"other\"]}\n  }\n}\n"
	path := c.write(t, ".cursor/mcp.json", before)
	edit := c.install(t, "cursor")
	if after := read(t, path); !strings.HasPrefix(after, strings.TrimSuffix(before, "\n  }\n}\n")) || !strings.HasSuffix(after, "\n  }\n}\n") {
		t.Errorf("the file is\n%s", after)
	}
	if backup := read(t, edit.Backup); backup != before {
		t.Errorf("the backup is\n%s", backup)
	}
	c.uninstall(t, "cursor")
	if after := read(t, path); after != before {
		t.Errorf("after both the file is\n%s", after)
	}
}

// Laravel Boost failed with a file of 0 bytes.
func TestAFileOf0BytesIsFilled(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".gemini/settings.json", "")
	c.install(t, "gemini")
	if after := read(t, path); !strings.Contains(after, `"mcpServers"`) {
		t.Errorf("the file is\n%s", after)
	}
}

func TestLinksAndModesStay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other links and modes; run on Linux: go test ./internal/clients")
	}
	c := newComputer(t)
	target := c.write(t, "dotfiles/cursor/mcp.json", "{}")
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(c.Home, ".cursor", "mcp.json")
	if err := os.Mkdir(filepath.Join(c.Home, "dotfiles", "links"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dotfiles/links", filepath.Join(c.Home, ".cursor")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../cursor/mcp.json", link); err != nil {
		t.Fatal(err)
	}
	edit := c.install(t, "cursor")
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o640 || !strings.Contains(read(t, target), "demo") {
		t.Errorf("the target of the links has %v, %v:\n%s", info, err, read(t, target))
	}
	if to, err := os.Readlink(link); to != "../cursor/mcp.json" || err != nil {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if backup, err := os.Stat(edit.Backup); err != nil || backup.Mode().Perm() != 0o640 || filepath.Dir(edit.Backup) != filepath.Dir(target) {
		t.Errorf("the backup %s has %v, %v", edit.Backup, backup, err)
	}
}

func TestALinkToNothingIsFollowed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other links; run on Linux: go test ./internal/clients")
	}
	c := newComputer(t)
	if err := os.MkdirAll(filepath.Join(c.Home, ".cursor"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(c.Home, "target.json"), filepath.Join(c.Home, ".cursor", "mcp.json")); err != nil {
		t.Fatal(err)
	}
	c.install(t, "cursor")
	if after := read(t, filepath.Join(c.Home, "target.json")); !strings.Contains(after, "demo") {
		t.Errorf("the target is\n%s", after)
	}

	c.write(t, ".lmstudio/x", "")
	loop := filepath.Join(c.Home, ".lmstudio", "mcp.json")
	if err := os.Symlink("mcp.json", loop); err != nil {
		t.Fatal(err)
	}
	_, err := find(t, "lmstudio").Install(c.System, clients.User, "", "demo", c.server, c.app)
	if err == nil || err.Error() != loop+" leads from link to link; remove it" {
		t.Errorf("a link to itself: %v", err)
	}
}

func TestANewFileOfTheUserIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other modes; run on Linux: go test ./internal/clients")
	}
	c := newComputer(t)
	edit := c.install(t, "claude-code")
	if info, err := os.Stat(edit.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s has %v, %v, want the mode 0600", edit.File, info.Mode(), err)
	}
	shared, err := find(t, "claude-code").Install(c.System, clients.Project, c.app.Folder, "demo", c.server, c.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := clients.Write([]*clients.Edit{shared}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(c.app.Folder, ".mcp.json")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf(".mcp.json has %v, %v, want the mode 0644", info, err)
	}
}

func TestAFileThatChangesMeanwhileIsReadOnceMore(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", "{}")
	edit, err := find(t, "cursor").Install(c.System, clients.User, "", "demo", c.server, c.app)
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, ".cursor/mcp.json", `{"theme": "dark"}`)
	if err := clients.Write([]*clients.Edit{edit}); err != nil {
		t.Fatal(err)
	}
	if after := read(t, path); !strings.Contains(after, `"theme": "dark"`) || !strings.Contains(after, "demo") {
		t.Errorf("the file is\n%s", after)
	}
}

func TestAFileThatKeepsChangingIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", "{}")
	other := c.write(t, ".gemini/settings.json", "{}")
	plain := c.Read
	c.Read = func(name string) ([]byte, error) {
		content, err := plain(name)
		if name == path {
			c.write(t, ".cursor/mcp.json", string(content)+" ")
		}
		return content, err
	}
	var edits []*clients.Edit
	for _, id := range []string{"gemini", "cursor"} {
		edit, err := find(t, id).Install(c.System, clients.User, "", "demo", c.server, c.app)
		if err != nil {
			t.Fatal(err)
		}
		edits = append(edits, edit)
	}
	err := clients.Write(edits)
	if err == nil || err.Error() != path+" keeps changing, probably by Cursor; quit that, and run the command again" {
		t.Errorf("the error is %v", err)
	}
	if after := strings.TrimSpace(read(t, path)); after != "{}" {
		t.Errorf("the file is\n%s", after)
	}
	if after := read(t, other); after != "{}" {
		t.Errorf("the file of another client, written before, is\n%s", after)
	}
	for _, folder := range []string{".cursor", ".gemini"} {
		if names, err := c.List(filepath.Join(c.Home, folder)); err != nil || len(names) != 1 {
			t.Errorf("%s has %v, %v, want the client's file only", folder, names, err)
		}
	}
}

func TestNothingIsWrittenIfOneFileCantBe(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".gemini/settings.json", "{}")
	c.write(t, ".cursor", "a file in the place of the folder")
	var edits []*clients.Edit
	for _, id := range []string{"gemini", "cursor"} {
		edit, err := find(t, id).Install(c.System, clients.User, "", "demo", c.server, c.app)
		if err != nil {
			t.Skipf("this system finds the mistake earlier (%v); run on Linux: go test ./internal/clients", err)
		}
		edits = append(edits, edit)
	}
	if err := clients.Write(edits); err == nil {
		t.Error("a folder that is a file is written to")
	}
	if after := read(t, path); after != "{}" {
		t.Errorf("the other file is\n%s", after)
	}
}

func TestAFileThatIsNotWrittenIsNamed(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	broken := c.write(t, ".cursor/mcp.json", "{")
	list := c.write(t, ".gemini/settings.json", `{"mcpServers": []}`)
	inline := c.write(t, ".codex/config.toml", "mcp_servers = {}\n")
	taken := c.write(t, ".lmstudio/mcp.json", `{"mcpServers": {"demo": {"command": "npx", "args": ["-y", "demo"]}}}`)
	web := c.write(t, ".claude.json", `{"mcpServers": {"demo": {"type": "http", "url": "https://x.example"}}}`)
	folder := filepath.Join(c.Home, ".copilot", "mcp-config.json")
	locked := c.write(t, ".codeium/windsurf/mcp_config.json", "{}")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(locked, 0o444); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"cursor": broken + ", the file of Cursor, is not JSON; correct it, or add the entry yourself (--print shows it): syntax error: line 1, column 2: " +
			"parsing value: unexpected EOF",
		"gemini":      list + `, the file of Gemini CLI, is left as it is; correct it, or add the entry yourself (--print shows it): unexpected value: "mcpServers" is a list, not an object`,
		"codex":       inline + `, the file of Codex, is left as it is; add the entry yourself: form that can't be edited: "mcp_servers" is an inline table or has a dotted key`,
		"lmstudio":    taken + ` has an entry "demo" of another server (npx -y demo); choose another name with --name, or remove that entry`,
		"claude-code": web + ` has an entry "demo" of another server (https://x.example); choose another name with --name, or remove that entry`,
		"copilot":     folder + ", the file of GitHub Copilot CLI, is not a regular file; remove it",
		"windsurf":    locked + ", the file of Windsurf, is read-only; change its mode, or add the entry where the file comes from (--print shows it)",
	} {
		edit, err := find(t, id).Install(c.System, clients.User, "", "demo", c.server, c.app)
		if edit != nil || err == nil || err.Error() != want {
			t.Errorf("the error is\n%v, want\n%s", err, want)
		}
	}
}

func TestAnEntryOfAnAppThatMovedIsUpdated(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", `{"mcpServers": {"demo": {"command": "/old/mcp.exe", "args": ["dev", "--dir=/gone", "demo"], "env": {"A": "1"}}}}`)
	if edit := c.install(t, "cursor"); edit.Action != clients.Updated {
		t.Errorf("the entry is %s", edit.Action)
	}
	if after := read(t, path); !strings.Contains(after, c.app.Folder) || !strings.Contains(after, `"env": {"A": "1"}`) || strings.Contains(after, "/old/") {
		t.Errorf("the file is\n%s", after)
	}
}

func TestAnEntryOfAnotherAppStays(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	other := filepath.Join(c.Home, "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	before := `{"mcpServers": {"demo": {"command": "mcp", "args": ["start", "demo", "--dir", "` + filepath.ToSlash(other) + `"]}}}`
	path := c.write(t, ".cursor/mcp.json", before)
	if _, err := find(t, "cursor").Install(c.System, clients.User, "", "demo", c.server, c.app); err == nil {
		t.Error("the name of another app's entry is taken")
	}
	c.uninstall(t, "cursor")
	if after := read(t, path); after != before {
		t.Errorf("the file is\n%s", after)
	}
}

func TestAnEntryChangesBetweenAProgramAndAURL(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	first := c.install(t, "vscode")
	web := clients.Server{URL: "http://127.0.0.1:8080/mcp/demo"}
	edit, err := find(t, "vscode").Install(c.System, clients.User, "", "demo", web, c.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := clients.Write([]*clients.Edit{edit}); err != nil {
		t.Fatal(err)
	}
	if after := read(t, first.File); strings.Contains(after, "command") || !strings.Contains(after, web.URL) {
		t.Errorf("the file is\n%s", after)
	}
	if edit, err = find(t, "vscode").Uninstall(c.System, clients.User, "", web.URL, clients.App{}); err != nil || edit.Action != clients.Removed {
		t.Errorf("uninstall by URL: %+v, %v", edit, err)
	}
}

func TestClaudeCodeAddsTheEntryItself(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for claude is a shell script; run on Linux: go test ./internal/clients")
	}
	c := newComputer(t)
	claude := filepath.Join(c.Home, "claude")
	log := filepath.Join(c.Home, "log")
	script := "#!/bin/sh\nfor arg; do echo \"$arg\"; done >" + log + "\n" +
		"printf '{\"mcpServers\": {\"%s\": %s}}' \"$3\" \"$4\" >" + filepath.Join(c.Home, ".claude.json") + "\n"
	if err := os.WriteFile(claude, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c.Find = func(program string) (string, error) { return claude, nil }
	edit := c.install(t, "claude-code")
	want := "mcp\nadd-json\ndemo\n" + `{"type": "stdio", "command": "/usr/local/bin/mcp", "args": ["start", "demo", "--dir", "` + c.app.Folder + `"]}` + "\n--scope\nuser\n"
	if got := read(t, log); got != want || edit.Action != clients.Added {
		t.Errorf("claude was called with\n%s, want\n%s", got, want)
	}

	// An entry that is there is updated in the file, since add-json refuses it.
	c.server.Args[0] = "dev"
	if edit := c.install(t, "claude-code"); edit.Action != clients.Updated || edit.Command != nil {
		t.Errorf("the entry is %s, by %q", edit.Action, edit.Command)
	}
}

func TestAFailureOfClaudeCodeLeavesAllFilesAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for claude is a shell script; run on Linux: go test ./internal/clients")
	}
	for script, want := range map[string]string{
		"#!/bin/sh\necho 'not allowed' >&2\nexit 3\n": "claude mcp add-json failed: exit status 3: not allowed",
		"#!/bin/sh\n": "claude mcp add-json succeeded, but ",
	} {
		c := newComputer(t)
		claude := filepath.Join(c.Home, "claude")
		if err := os.WriteFile(claude, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		c.Find = func(program string) (string, error) { return claude, nil }
		path := c.write(t, ".cursor/mcp.json", "{}")
		var edits []*clients.Edit
		for _, id := range []string{"cursor", "claude-code"} {
			edit, err := find(t, id).Install(c.System, clients.User, "", "demo", c.server, c.app)
			if err != nil {
				t.Fatal(err)
			}
			edits = append(edits, edit)
		}
		if err := clients.Write(edits); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
		if after := read(t, path); after != "{}" {
			t.Errorf("the other file is\n%s", after)
		}
	}
}

func TestAnEntryOfClaudeCodeIsTakenOutIfAnotherFileFails(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for claude is a shell script; run on Linux: go test ./internal/clients")
	}
	c := newComputer(t)
	claude, log := filepath.Join(c.Home, "claude"), filepath.Join(c.Home, "log")
	script := "#!/bin/sh\necho \"$2 $3\" >>" + log + "\necho '{\"mcpServers\": {\"demo\": {}}}' >" + filepath.Join(c.Home, ".claude.json") + "\n"
	if err := os.WriteFile(claude, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c.Find = func(program string) (string, error) { return claude, nil }
	path := c.write(t, ".cursor/mcp.json", "{}")
	plain := c.Read
	c.Read = func(name string) ([]byte, error) {
		content, err := plain(name)
		if name == path {
			c.write(t, ".cursor/mcp.json", string(content)+" ")
		}
		return content, err
	}
	var edits []*clients.Edit
	for _, id := range []string{"cursor", "claude-code"} {
		edit, err := find(t, id).Install(c.System, clients.User, "", "demo", c.server, c.app)
		if err != nil {
			t.Fatal(err)
		}
		edits = append(edits, edit)
	}
	if err := clients.Write(edits); err == nil {
		t.Error("a file that keeps changing is written")
	}
	if got := read(t, log); got != "add-json demo\nremove demo\n" {
		t.Errorf("claude was called with\n%s", got)
	}
}
