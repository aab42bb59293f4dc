package aiclients_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
)

// A computer is a system with a home folder of the test, and an app.
type computer struct {
	aiclients.System

	app    aiclients.App
	server aiclients.Server
}

func newComputer(t *testing.T) *computer {
	t.Helper()
	home := t.TempDir()
	system, err := aiclients.ThisSystem()
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
		System: system, app: aiclients.App{Handle: "demo", Folder: folder},
		server: aiclients.Server{Command: "/usr/local/bin/mcp", Args: []string{"start", "demo", "--dir", folder}},
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
func (c *computer) install(t *testing.T, id string) *aiclients.Edit {
	t.Helper()
	edit, err := find(t, id).Install(c.System, aiclients.User, "", "demo", c.server, c.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := aiclients.Write(t.Context(), []*aiclients.Edit{edit}); err != nil {
		t.Fatal(err)
	}
	return edit
}

func (c *computer) uninstall(t *testing.T, id string) *aiclients.Edit {
	t.Helper()
	edit, err := find(t, id).Uninstall(c.System, aiclients.User, "", "", c.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := aiclients.Write(t.Context(), []*aiclients.Edit{edit}); err != nil {
		t.Fatal(err)
	}
	return edit
}

func TestEveryClientTakesAnEntryInAndOut(t *testing.T) {
	t.Parallel()
	for _, client := range aiclients.All() {
		if client.Printed {
			continue
		}
		t.Run(client.ID, func(t *testing.T) {
			t.Parallel()
			c := newComputer(t)
			if edit := c.install(t, client.ID); edit.Action != aiclients.Added || edit.Backup != "" {
				t.Errorf("the first time the entry is %s, backup %q", edit.Action, edit.Backup)
			}
			if edit := c.install(t, client.ID); edit.Action != aiclients.Unchanged {
				t.Errorf("the second time the entry is %s", edit.Action)
			}
			all, problems := aiclients.Installed(c.System, "")
			if len(problems) > 0 {
				t.Errorf("the problems are %v", problems)
			}
			if len(all) != 1 || all[0].Handle != "demo" || all[0].Folder != c.app.Folder || all[0].ProgramExists || !all[0].FolderExists {
				t.Errorf("installed are %+v, want the handle and the folder of the app, and a program that is missing", all)
			}
			if edit := c.uninstall(t, client.ID); edit.Action != aiclients.Removed || !slices.Equal(edit.Names, []string{"demo"}) {
				t.Errorf("the entry is %s: %v", edit.Action, edit.Names)
			}
			if edit := c.uninstall(t, client.ID); edit.Action != aiclients.Unchanged || len(edit.Names) > 0 {
				t.Errorf("without an entry, %s: %v", edit.Action, edit.Names)
			}
			if all, problems := aiclients.Installed(c.System, ""); len(all)+len(problems) > 0 {
				t.Errorf("installed are %+v after it, %v", all, problems)
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
		t.Skip("Windows has other links and modes; run on Linux: go test ./internal/cli/aiclients")
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
		t.Skip("Windows has other links; run on Linux: go test ./internal/cli/aiclients")
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
	_, err := find(t, "lmstudio").Install(c.System, aiclients.User, "", "demo", c.server, c.app)
	if err == nil || err.Error() != loop+" leads from link to link; remove it" {
		t.Errorf("a link to itself: %v", err)
	}
}

func TestANewFileOfTheUserIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other modes; run on Linux: go test ./internal/cli/aiclients")
	}
	c := newComputer(t)
	edit := c.install(t, "claude-code")
	if info, err := os.Stat(edit.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s has %v, %v, want the mode 0600", edit.File, info.Mode(), err)
	}
	shared, err := find(t, "claude-code").Install(c.System, aiclients.Project, c.app.Folder, "demo", c.server, c.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := aiclients.Write(t.Context(), []*aiclients.Edit{shared}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(c.app.Folder, ".mcp.json")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf(".mcp.json has %v, %v, want the mode 0644", info, err)
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
		"codex":       inline + `, the file of Codex, is left as it is; edit the file yourself: form that can't be edited: "mcp_servers" is an inline table or has a dotted key`,
		"lmstudio":    taken + ` has an entry "demo" of another server (npx -y demo); choose another name with --name, or remove that entry`,
		"claude-code": web + ` has an entry "demo" of another server (https://x.example); choose another name with --name, or remove that entry`,
		"copilot":     folder + ", the file of GitHub Copilot CLI, is not a regular file; remove it",
		"windsurf":    locked + ", the file of Windsurf, is read-only; change its mode, or add the entry where the file comes from (--print shows it)",
	} {
		edit, err := find(t, id).Install(c.System, aiclients.User, "", "demo", c.server, c.app)
		if edit != nil || err == nil || err.Error() != want {
			t.Errorf("the error is\n%v, want\n%s", err, want)
		}
	}
}

// The entry would be correct, and the client would not read it.
func TestAFileThatItsClientRefusesIsNotEdited(t *testing.T) {
	t.Parallel()
	for _, client := range aiclients.All() {
		if client.Printed || client.ID == "codex" {
			continue
		}
		t.Run(client.ID, func(t *testing.T) {
			t.Parallel()
			strict := slices.Contains([]string{"claude-desktop", "claude-code", "copilot", "cline"}, client.ID)
			for content, part := range map[string]string{
				"{\n  \"theme\": \"dark\" // keep\n}\n":         "comment in line 2",
				"{\n  /* none yet */\n  \"theme\": \"dark\"}\n": "comment in line 2",
				"{\n  \"a\": 1,\n  \"theme\": \"dark\",\n}":     "trailing comma in line 3",
			} {
				c := newComputer(t)
				path, err := client.File(c.System, aiclients.User, "")
				if err != nil {
					t.Fatal(err)
				}
				relative, err := filepath.Rel(c.Home, path)
				if err != nil {
					t.Fatal(err)
				}
				c.write(t, relative, content)
				edit, err := client.Install(c.System, aiclients.User, "", "demo", c.server, c.app)
				if !strict {
					if err != nil || edit.Action != aiclients.Added {
						t.Errorf("%q: %v", content, err)
					}
					continue
				}
				want := path + ", the file of " + client.Name + ", is left as it is: " + client.Name +
					" reads strict JSON, so it refuses the whole file; remove the " + part + ", and run this again"
				if edit != nil || err == nil || err.Error() != want {
					t.Errorf("%q: the error is\n%v, want\n%s", content, err, want)
				}
				if after := read(t, path); after != content {
					t.Errorf("%q becomes %q", content, after)
				}
			}
		})
	}
}

func TestAnEntryOfOursIsNotReportedAsInstalledIfItsClientRefusesTheFile(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	c.install(t, "copilot")
	path := filepath.Join(c.Home, ".copilot", "mcp-config.json")
	c.write(t, ".copilot/mcp-config.json", read(t, path)+"// mine\n")
	want := path + ", the file of GitHub Copilot CLI, is left as it is: GitHub Copilot CLI reads strict JSON, so it refuses the whole file; remove the comment in line "
	if _, err := find(t, "copilot").Install(c.System, aiclients.User, "", "demo", c.server, c.app); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("installing it again: %v, want %s", err, want)
	}
	installed, problems := aiclients.Installed(c.System, "")
	if len(installed) != 0 || len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), "GitHub Copilot CLI can't read its file "+path+": the comment in line ") {
		t.Errorf("installed are %+v, the problems %v", installed, problems)
	}
	if edit := c.uninstall(t, "copilot"); edit.Action != aiclients.Removed || !strings.HasSuffix(read(t, path), "// mine\n") {
		t.Errorf("the entry is %s, and the file\n%s", edit.Action, read(t, path))
	}
}

// There is nothing to print for a person who removes an entry.
func TestAFileFromWhichNothingIsRemovedIsNamed(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	entry := `"demo": {"command": "mcp", "args": ["start", "demo", "--dir", "` + filepath.ToSlash(c.app.Folder) + `"]}`
	broken := c.write(t, ".cursor/mcp.json", `{"mcpServers": {`+entry+`}`)
	list := c.write(t, ".gemini/settings.json", `{"mcpServers": []}`)
	inline := c.write(t, ".codex/config.toml", `mcp_servers = {demo = {command = "mcp", args = ["start", "demo", "--dir", "`+filepath.ToSlash(c.app.Folder)+`"]}}`)
	locked := c.write(t, ".lmstudio/mcp.json", `{"mcpServers": {`+entry+`}}`)
	if err := os.Chmod(locked, 0o444); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"cursor":   broken + ", the file of Cursor, is not JSON; correct it, or remove the entry yourself: syntax error: ",
		"gemini":   list + `, the file of Gemini CLI, is left as it is; correct it, or remove the entry yourself: unexpected value: "mcpServers" is a list, not an object`,
		"codex":    inline + `, the file of Codex, is left as it is; edit the file yourself: form that can't be edited: `,
		"lmstudio": locked + ", the file of LM Studio, is read-only; change its mode, or remove the entry where the file comes from",
	} {
		edit, err := find(t, id).Uninstall(c.System, aiclients.User, "", "", c.app)
		if edit != nil || err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "--print") {
			t.Errorf("the error is\n%v, want\n%s", err, want)
		}
	}
}

func TestAnEntryOfAnAppThatMovedIsUpdated(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", `{"mcpServers": {"demo": {"command": "/old/mcp.exe", "args": ["dev", "--dir=/gone", "demo"], "env": {"A": "1"}}}}`)
	if edit := c.install(t, "cursor"); edit.Action != aiclients.Updated {
		t.Errorf("the entry is %s", edit.Action)
	}
	if after := read(t, path); !strings.Contains(after, c.app.Folder) || !strings.Contains(after, `"env": {"A": "1"}`) || strings.Contains(after, "/old/") {
		t.Errorf("the file is\n%s", after)
	}
}

// Python's SDK has a command mcp too, so people give ours another name.
func TestAnEntryOfACommandWithAnotherNameIsOurs(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	c.server.Command = "/usr/local/bin/bowline"
	path := c.write(t, ".cursor/mcp.json", "{}")
	c.install(t, "cursor")
	if edit := c.install(t, "cursor"); edit.Action != aiclients.Unchanged {
		t.Errorf("the second time the entry is %s", edit.Action)
	}
	if edit := c.uninstall(t, "cursor"); edit.Action != aiclients.Removed {
		t.Errorf("without the entry, the file is %s:\n%s", edit.Action, read(t, path))
	}

	// Without the folder of an app, an entry of another program is somebody else's.
	c.write(t, ".cursor/mcp.json", `{"mcpServers": {"a": {"command": "other", "args": ["start", "demo"]}, "b": {"command": "other", "args": ["start", "demo", "--dir", "."]}}}`)
	if all, problems := aiclients.Installed(c.System, ""); len(all)+len(problems) > 0 {
		t.Errorf("installed are %+v, %v", all, problems)
	}
}

func TestAFileThatCannotBeReadIsAProblem(t *testing.T) {
	t.Parallel()
	c := newComputer(t)
	c.install(t, "codex")
	path := c.write(t, ".cursor/mcp.json", "{ oops")
	all, problems := aiclients.Installed(c.System, "")
	if len(all) != 1 || all[0].Client.ID != "codex" {
		t.Errorf("installed are %+v, want that of Codex", all)
	}
	if want := "Cursor can't read its file " + path + ": "; len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), want) {
		t.Errorf("the problems are %v, want %s …", problems, want)
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
	if _, err := find(t, "cursor").Install(c.System, aiclients.User, "", "demo", c.server, c.app); err == nil {
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
	web := aiclients.Server{URL: "http://127.0.0.1:8080/mcp/demo"}
	edit, err := find(t, "vscode").Install(c.System, aiclients.User, "", "demo", web, c.app)
	if err != nil {
		t.Fatal(err)
	}
	if err := aiclients.Write(t.Context(), []*aiclients.Edit{edit}); err != nil {
		t.Fatal(err)
	}
	if after := read(t, first.File); strings.Contains(after, "command") || !strings.Contains(after, web.URL) {
		t.Errorf("the file is\n%s", after)
	}
	if edit, err = find(t, "vscode").Uninstall(c.System, aiclients.User, "", web.URL, aiclients.App{}); err != nil || edit.Action != aiclients.Removed {
		t.Errorf("uninstall by URL: %+v, %v", edit, err)
	}
}
