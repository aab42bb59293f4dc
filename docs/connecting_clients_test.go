package docs_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients"
)

var update = flag.Bool("update", false, "write the generated parts of documents anew")

// The page has the entry that mcp install writes for each client.
func TestThePageOfClientsHasTheirEntries(t *testing.T) {
	t.Parallel()
	const page, mark = "docs/guide/connecting-clients.md", "<!-- The rest of this page is generated: go test ./docs -run Clients -update -->\n"
	above, got, ok := strings.Cut(read(t, page), mark)
	if !ok {
		t.Fatalf("%s has no line %s", page, mark)
	}
	var want strings.Builder
	for _, client := range aiclients.All() {
		want.WriteString(clientSection(t, client))
	}
	if *update {
		write(t, filepath.Join(root, page), above+mark+want.String())
	} else if got != want.String() {
		t.Errorf("%s is out of date; write it anew: go test ./docs -run Clients -update\n%s", page, want.String())
	}
}

// clientSection returns the section on a client: the entry of a program, that of a URL, and
// the files they belong in.
func clientSection(t *testing.T, client aiclients.Client) string {
	t.Helper()
	var section strings.Builder
	fmt.Fprintf(&section, "\n## %s\n\n", client.Name)
	program := aiclients.Server{Command: "/home/ana/go/bin/mcp", Args: []string{"start", "demo", "--dir", "/home/ana/shop"}}
	if client.Printed {
		fmt.Fprintf(&section, "`mcp install demo --client %s` prints the entry, and you add it:\n\n", client.ID)
	} else {
		fmt.Fprintf(&section, "`mcp install demo --client %s` writes the entry into:\n\n", client.ID)
	}
	section.WriteString("| | |\n| --- | --- |\n")
	for _, system := range []struct{ os, name, home string }{
		{"linux", "Linux", "~"}, {"darwin", "macOS", "~"}, {"windows", "Windows", `%USERPROFILE%`},
	} {
		fmt.Fprintf(&section, "| %s | %s |\n", system.name, places(t, client, program, system.os, system.home))
	}
	fmt.Fprintf(&section, "\nThen %s.\n", client.Reload)
	if client.StrictJSON {
		fmt.Fprintf(&section, "\n%s reads strict JSON: `mcp install` refuses a file with comments or trailing commas, and names the line.\n", client.Name)
	}
	for _, server := range []aiclients.Server{program, {URL: "https://mcp.example.com/mcp/demo"}} {
		if err := client.Supports(server, aiclients.User); err != nil {
			section.WriteString("\nOver HTTP: " + err.Error() + ".\n")
			continue
		}
		block, err := client.Block("demo", server)
		if err != nil {
			t.Fatal(err)
		}
		transport := "Over stdio:"
		if server.URL != "" {
			transport = "Over HTTP:"
		}
		fmt.Fprintf(&section, "\n%s\n\n```%s\n%s```\n", transport, language(block), block)
		if server.URL != "" {
			fmt.Fprintf(&section, "\nIf the server asks for a login: %s.\n", client.Login("demo"))
		}
	}
	return section.String()
}

// places returns where the entry belongs, for a user and for a project.
func places(t *testing.T, client aiclients.Client, server aiclients.Server, os, home string) string {
	t.Helper()
	system, asked := emptySystem(os, home)
	where := func(system aiclients.System, scope aiclients.Scope) string {
		path, err := client.Where(system, scope, "shop")
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := "`" + where(system, aiclients.User) + "`"
	if strings.Contains(text, " | ") { // a dialog, and no path
		text = strings.ReplaceAll(strings.Trim(text, "`"), " | ", " → ")
	}
	for _, name := range *asked {
		moved, to := system, "$"+name
		if os == "windows" {
			to = "%" + name + "%"
		}
		moved.Getenv = func(one string) string {
			if one == name {
				return to
			}
			return system.Getenv(one)
		}
		if path := where(moved, aiclients.User); strings.HasPrefix(path, to) {
			text += ", or `" + path + "` if that is set"
		}
	}
	packaged := system
	packaged.Exists = func(path string) bool { return strings.HasPrefix(path, `%LOCALAPPDATA%\Packages\`) }
	packaged.List = func(string) ([]string, error) { return []string{"Claude_*"}, nil }
	if path := where(packaged, aiclients.User); strings.Contains(path, `\Packages\`) {
		text += ", or `" + path + "` if it was installed as a package (MSIX)"
	}
	if client.Supports(server, aiclients.Project) == nil {
		text += "; with `--scope project`, `" + where(system, aiclients.Project) + "`"
	}
	return text
}

// emptySystem returns a computer without any file of a client, and the names of the
// environment variables that it is asked for and that aren't set.
func emptySystem(os, home string) (aiclients.System, *[]string) {
	var asked []string
	return aiclients.System{
		OS: os, Home: home,
		Getenv: func(name string) string {
			if value := map[string]string{"APPDATA": "%APPDATA%", "LOCALAPPDATA": "%LOCALAPPDATA%"}[name]; value != "" {
				return value
			}
			if !slices.Contains(asked, name) {
				asked = append(asked, name)
			}
			return ""
		},
		Read:   func(string) ([]byte, error) { return nil, fs.ErrNotExist },
		Exists: func(string) bool { return false },
		List:   func(string) ([]string, error) { return nil, fs.ErrNotExist },
		Find:   func(string) (string, error) { return "", errors.New("none") },
	}, &asked
}

func language(block string) string {
	switch {
	case strings.HasPrefix(block, "{"):
		return "json"
	case strings.HasPrefix(block, "["):
		return "toml"
	}
	return "yaml"
}
