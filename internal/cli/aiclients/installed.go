package aiclients

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/atomicfile"
	"github.com/bowline-mcp/bowline/internal/cli/aiclients/document"
)

// An Entry is a server in a file of a client.
type Entry struct {
	Client Client
	Scope  Scope
	// File is the path of the file.
	File string
	// Name is the name of the server.
	Name string
	Server

	// Handle and Folder are those of the app that the entry starts with mcp start or mcp
	// dev. Handle is empty if the entry doesn't run mcp, Folder if it has no --dir.
	Handle string
	Folder string

	// ProgramExists and FolderExists say whether the program and the folder are there.
	// They are true for a program that is looked up on the PATH, and without a folder.
	ProgramExists bool
	FolderExists  bool
}

// Installed returns the entries that run the command mcp, in the files of all clients for
// the user, and of a project unless that is empty. The problems are those of files
// that can't be read.
func Installed(system System, project string) (all []Entry, problems []error) {
	for _, client := range All() {
		for _, scope := range []Scope{User, Project} {
			if client.Printed || scope == Project && (project == "" || client.project == "") {
				continue
			}
			entries, err := client.entries(system, scope, project)
			if err != nil {
				problems = append(problems, err)
				continue
			}
			all = append(all, slices.DeleteFunc(entries, func(e Entry) bool { return e.Handle == "" })...)
		}
	}
	return all, problems
}

// entries returns all entries of a client's file.
func (c Client) entries(system System, scope Scope, project string) ([]Entry, error) {
	file, err := c.File(system, scope, project)
	if err != nil {
		return nil, err
	}
	content, err := system.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries []Entry
	if err == nil {
		entries, err = c.entriesIn(system, scope, file, content)
	}
	if err == nil {
		err = c.checkStrict(content)
	}
	if err != nil {
		return nil, fmt.Errorf("%s can't read its file %s: %w", c.Name, file, atomicfile.Reason(err))
	}
	return entries, nil
}

// entriesIn returns the entries in the content of a client's file.
func (c Client) entriesIn(system System, scope Scope, file string, content []byte) ([]Entry, error) {
	found, err := c.format.Entries(content, c.key)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(found))
	for i, one := range found {
		entry := Entry{Client: c, Scope: scope, File: file, Name: one.Name, Server: serverOf(one.Members), ProgramExists: true, FolderExists: true}
		entry.Handle, entry.Folder = entry.started()
		if strings.ContainsAny(entry.Command, `/\`) {
			entry.ProgramExists = system.Exists(entry.Command)
		}
		if entry.Folder != "" {
			entry.FolderExists = system.Exists(entry.Folder)
		}
		entries[i] = entry
	}
	return entries, nil
}

// checkStrict returns an error if the client refuses the content of its file, which parses.
func (c Client) checkStrict(content []byte) error {
	if !c.StrictJSON {
		return nil
	}
	return document.CheckStrict(content)
}

// serverOf returns the server of an entry, whatever the client.
func serverOf(members map[string]any) Server {
	var server Server
	for _, name := range []string{"url", "serverUrl", "httpUrl"} {
		if text, ok := members[name].(string); ok {
			server.URL = cmp.Or(server.URL, text)
		}
	}
	args := members["args"]
	switch command := members["command"].(type) {
	case string:
		server.Command = command
	case []any: // opencode
		if len(command) > 0 {
			server.Command, _ = command[0].(string)
			args = command[1:]
		}
	}
	list, _ := args.([]any)
	for _, arg := range list {
		text, _ := arg.(string)
		server.Args = append(server.Args, text)
	}
	return server
}

// String returns the URL, or the command line.
func (s Server) String() string {
	return cmp.Or(s.URL, strings.Join(append([]string{s.Command}, s.Args...), " "))
}

// started returns the handle and the folder of a server that mcp start or mcp dev runs.
func (s Server) started() (handle, folder string) {
	if len(s.Args) == 0 || s.Args[0] != "start" && s.Args[0] != "dev" {
		return "", ""
	}
	for i := 1; i < len(s.Args); i++ {
		arg := s.Args[i]
		switch value, joined := strings.CutPrefix(arg, "--dir="); {
		case joined:
			folder = value
		case arg == "--dir" && i+1 < len(s.Args):
			i++
			folder = s.Args[i]
		case !strings.HasPrefix(arg, "-"):
			handle = cmp.Or(handle, arg)
		}
	}
	// People rename the command, since Python's SDK has one of its name. Then the folder that
	// mcp install writes shows that it is ours.
	program := strings.ToLower(s.Command[strings.LastIndexAny(s.Command, `/\`)+1:])
	if program != "mcp" && program != "mcp.exe" && !filepath.IsAbs(folder) {
		return "", ""
	}
	return handle, folder
}

// An App is the server of an app by its handle: what an entry of ours starts.
type App struct {
	Handle string
	Folder string // with an absolute path, or empty for a server elsewhere
}

// Starts reports whether the entry starts the app's server.
func (e Entry) Starts(app App) bool {
	return e.Handle != "" && e.Handle == app.Handle && app.Folder != "" && sameFolder(e.Folder, app.Folder)
}

func sameFolder(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	first, err := filepath.EvalSymlinks(a)
	if err != nil {
		return false
	}
	second, err := filepath.EvalSymlinks(b)
	return err == nil && first == second
}
