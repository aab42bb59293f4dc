package aiclients

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/atomicfile"
	"github.com/bowline-mcp/bowline/internal/cli/aiclients/document"
)

// An Action is what an edit does to a file.
type Action string

// The actions.
const (
	Added     Action = "added"
	Updated   Action = "updated"
	Removed   Action = "removed"
	Unchanged Action = "unchanged"
)

// An Edit is a change of one client's file that isn't written yet.
type Edit struct {
	Client Client
	// File is the path of the file, which may be a link.
	File   string
	Action Action
	// Names are the names of the entries that are added, changed or removed.
	Names []string
	// Before and After are the contents of the file.
	Before, After []byte
	// Backup is the path of the copy of the file that Write leaves, or "".
	Backup string
	// Command is the client's own command that makes the change instead, or nil.
	Command []string

	system  System
	scope   Scope
	removes bool // entries are taken out, and none is added
	file    file // as it was when the edit was computed

	replacement atomicfile.Replacement

	// change returns the new content, what that does, and the names of the entries.
	change func(before []byte) (after []byte, action Action, names []string, err error)
}

// Install returns the edit that adds a server with a name to the client's file. The server
// is the app's, or one with a URL. If the name belongs to another server, that is an error.
func (c Client) Install(system System, scope Scope, project, name string, server Server, app App) (*Edit, error) {
	edit, err := c.open(system, scope, project)
	if err != nil {
		return nil, err
	}
	at, members := document.Address{Key: c.key, Name: name}, c.members(name, server)
	edit.change = func(before []byte) ([]byte, Action, []string, error) {
		entries, err := c.entriesIn(system, scope, edit.File, before)
		if err != nil {
			return nil, "", nil, edit.explain(err)
		}
		if err := c.checkStrict(before); err != nil { // the client would not read the new entry
			return nil, "", nil, edit.explain(err)
		}
		action := Added
		for _, entry := range entries {
			if entry.Name != name {
				continue
			}
			action = Updated
			moved := entry.Handle != "" && entry.Handle == app.Handle && !entry.FolderExists
			switch {
			case !entry.Starts(app) && !moved && (entry.URL == "" || entry.URL != server.URL):
				return nil, "", nil, fmt.Errorf("%s has an entry %q of another server (%s); choose another name with --name, or remove that entry", edit.File, name, entry)
			case (entry.URL == "") != (server.URL == ""):
				if before, err = c.format.Remove(before, at); err != nil {
					return nil, "", nil, edit.explain(err)
				}
			}
		}
		after, err := c.format.Set(before, at, members)
		if err != nil {
			return nil, "", nil, edit.explain(err)
		}
		return after, action, []string{name}, nil
	}
	if err := edit.compute(); err != nil {
		return nil, err
	}
	if program, err := system.Find(c.command); c.ID == "claude-code" && scope == User && edit.Action == Added && err == nil {
		// The running client rewrites the file often, so that it should add the entry itself.
		edit.Command = []string{program, "mcp", "add-json", name, document.Line(members), "--scope", "user"}
	}
	return edit, nil
}

// Uninstall returns the edit that takes the entries of the app's server, or those with the
// URL, out of the client's file.
func (c Client) Uninstall(system System, scope Scope, project, url string, app App) (*Edit, error) {
	edit, err := c.open(system, scope, project)
	if err != nil {
		return nil, err
	}
	edit.removes = true
	edit.change = func(before []byte) (after []byte, action Action, names []string, err error) {
		entries, err := c.entriesIn(system, scope, edit.File, before)
		if err != nil {
			return nil, "", nil, edit.explain(err)
		}
		after = before
		for _, entry := range entries {
			if url == "" && !entry.Starts(app) || url != "" && entry.URL != url {
				continue
			}
			if after, err = c.format.Remove(after, document.Address{Key: c.key, Name: entry.Name}); err != nil {
				return nil, "", nil, edit.explain(err)
			}
			names = append(names, entry.Name)
		}
		return after, Removed, names, nil
	}
	if err := edit.compute(); err != nil {
		return nil, err
	}
	return edit, nil
}

// open finds the client's file.
func (c Client) open(system System, scope Scope, project string) (*Edit, error) {
	file, err := c.File(system, scope, project)
	if err != nil {
		return nil, err
	}
	return &Edit{Client: c, File: file, system: system, scope: scope}, nil
}

// compute reads the file and makes the change.
func (e *Edit) compute() error {
	found, err := e.look()
	if err != nil {
		return err
	}
	before := found.content
	after, action, names, err := e.change(before)
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		action = Unchanged
	}
	if action != Unchanged && found.exists && found.mode&0o200 == 0 {
		return fmt.Errorf("%s, the file of %s, is read-only; change its mode, or %s", e.File, e.Client.Name, e.byHand("where the file comes from"))
	}
	e.file, e.Before, e.After, e.Action, e.Names = found, before, after, action, names
	return nil
}

// Block returns the text that a user adds for the server, for a file that has nothing else.
func (c Client) Block(name string, server Server) (string, error) {
	members := c.members(name, server)
	if c.ID == "goose" {
		return document.YAML(document.Address{Key: c.key, Name: name}, members), nil
	}
	block, err := c.format.Set(nil, document.Address{Key: c.key, Name: name}, members)
	return string(block), err
}

// Where returns where the user adds an entry: the client's file, or a dialog.
func (c Client) Where(system System, scope Scope, project string) (string, error) {
	if c.dialog != "" && scope == User {
		return c.dialog, nil
	}
	return c.File(system, scope, project)
}

// IDs returns the IDs of all clients, separated by commas.
func IDs() string {
	var ids []string
	for _, client := range All() {
		ids = append(ids, client.ID)
	}
	return strings.Join(ids, ", ")
}
