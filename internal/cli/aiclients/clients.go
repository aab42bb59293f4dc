// Package aiclients knows the AI clients that start MCP servers: which file each of them reads
// on each system, and what an entry in it looks like. It adds entries to these files and
// takes them out, and changes nothing else in them.
package aiclients

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients/document"
)

// A Scope says for whom an entry is.
type Scope string

// The scopes.
const (
	// User is for all projects of the user.
	User Scope = "user"
	// Project is for everybody who works in the folder of a project.
	Project Scope = "project"
)

// ErrByHand is the error if only a person can edit a file.
var ErrByHand = errors.New("edit the file yourself")

// A Client is an AI client.
type Client struct {
	// ID is the client's name on the command line, such as claude-desktop.
	ID string
	// Name is the client's name, such as Claude Desktop.
	Name string
	// Printed says that the entry is shown to the user, who adds it.
	Printed bool
	// Reload is what the user does so that the client reads its file again.
	Reload string
	// StrictJSON says that the client refuses a file with comments or trailing commas.
	StrictJSON bool

	key     string // the object with the entries
	format  document.Format
	user    place
	project string // the path in a project, or ""
	older   string // another name of the files, which is used where it exists
	dialog  string // where the user adds the entry of a printed client, if it isn't in a file
	program shape
	address shape // nil if there are no entries with a URL; then withURL may say more
	withURL string
	login   string // how the user logs in at a server with the name %s; "" if the client begins that itself
	command string // the client's program, if people start it in a terminal
}

// A place is a path in the home folder of a user; see System.expand.
type place struct {
	path     string
	darwin   string // the path on macOS, if it differs
	windows  string // the path on Windows, if it differs
	variable string // an environment variable with the folder of the file
	trace    string // a folder that shows that the client is installed, if the folder of the file doesn't
}

// Find returns the client with an ID.
func Find(id string) (Client, bool) {
	all := All()
	if i := slices.IndexFunc(all, func(c Client) bool { return c.ID == id }); i >= 0 {
		return all[i], true
	}
	return Client{}, false
}

// File returns the path of the client's file, which may not exist. The folder of the project
// is used in the scope of a project only, which the client must support.
func (c Client) File(system System, scope Scope, project string) (string, error) {
	if scope == Project {
		return c.preferOlder(system, system.join(project, c.project)), nil
	}
	if c.ID == claudeDesktop && system.OS == "windows" {
		packaged, err := packagedFolder(system)
		if err != nil {
			return "", err
		}
		if packaged != "" {
			return system.join(packaged, "claude_desktop_config.json"), nil
		}
	}
	return c.preferOlder(system, c.user.on(system)), nil
}

// preferOlder returns the path, or the one beside it with the older name if only that exists.
func (c Client) preferOlder(system System, path string) string {
	if c.older == "" || system.Exists(path) {
		return path
	}
	folder, _ := system.split(path)
	if older := system.join(folder, c.older); system.Exists(older) {
		return older
	}
	return path
}

// on returns the path on a system.
func (p place) on(system System) string {
	path := p.path
	switch {
	case system.OS == "darwin" && p.darwin != "":
		path = p.darwin
	case system.OS == "windows" && p.windows != "":
		path = p.windows
	}
	if folder := p.variable; folder != "" && system.Getenv(folder) != "" {
		return system.join(system.Getenv(folder), path[strings.LastIndex(path, "/")+1:])
	}
	return system.expand(path)
}

// Found reports whether the client seems to be installed.
func (c Client) Found(system System) bool {
	if c.command != "" {
		if _, err := system.Find(c.command); err == nil {
			return true
		}
	}
	if c.user.trace != "" && system.Exists(system.expand(c.user.trace)) {
		return true
	}
	if c.user.path == "" {
		return false
	}
	file, err := c.File(system, User, "")
	if err != nil {
		return true // it has several folders
	}
	folder, _ := system.split(file)
	return system.Exists(file) || c.user.trace == "" && system.Exists(folder)
}

// Login returns what a user does to log in at a server with a URL, by the name of its entry.
func (c Client) Login(name string) string {
	if c.login == "" {
		return c.Name + " opens the login page when it connects"
	}
	return fmt.Sprintf(c.login, name)
}

// Supports returns an error unless the client has a place for the server in a scope.
func (c Client) Supports(server Server, scope Scope) error {
	switch {
	case scope == Project && c.project == "":
		return fmt.Errorf("%s has no file in a project; leave out --scope", c.Name)
	case server.URL != "" && c.address == nil:
		return fmt.Errorf("%s has no entries with a URL in its file; %s", c.Name, cmp.Or(c.withURL, "leave out --url"))
	}
	return nil
}

// packagedFolder returns the folder that Claude Desktop reads if it was installed as a
// package of Windows, or "". Then it doesn't read the folder of other installations.
func packagedFolder(system System) (string, error) {
	packages := system.join(system.variable("LOCALAPPDATA", "AppData/Local"), "Packages")
	names, err := system.List(packages)
	if err != nil {
		return "", nil
	}
	var found []string
	for _, name := range names {
		folder := system.join(packages, name, "LocalCache/Roaming/Claude")
		if strings.HasPrefix(name, "Claude_") && system.Exists(folder) {
			found = append(found, folder)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%w: Claude Desktop may read its claude_desktop_config.json in %s", ErrByHand, strings.Join(found, " or "))
}
