// Package project creates the folder of a new app: its files, its dependencies and its
// repository.
package project

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/bowline-mcp/bowline/internal/atomicfile"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Project is an app that doesn't exist yet.
type Project struct {
	Name    string // of the folder
	Module  string // the path of the module
	Release Release
	Auth    bool // whether the app has an authorization server
	Deploy  bool // whether the app has files for containers and systemd
}

// A File is a file of an app.
type File struct {
	Path    string // relative to the app's folder, with slashes
	Content []byte
	Mode    fs.FileMode
}

// Files returns the files of the app. The stubs are those of package stubs.
func (p Project) Files(stubs fs.FS) ([]File, error) {
	requirements, sums, err := p.Release.dependencies()
	if err != nil {
		return nil, err
	}
	server := p.Server()
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	values := map[string]any{
		"Title": naming.Headline(p.Name), "Module": p.Module, "Program": program(p.Module),
		"Version": p.Release.Version, "Replace": p.Release.replacement(), "Requirements": requirements,
		"Key": hex.EncodeToString(key), "Auth": p.Auth, "Deploy": p.Deploy, "Image": strings.ToLower(program(p.Module)), "User": user(program(p.Module)),
		"Server": server.Type, "ServerFile": server.File, "Handle": server.Handle, "Variable": server.Variable,
	}
	var files []File
	err = fs.WalkDir(stubs, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || p.lacks(strings.TrimSuffix(name, ".stub")) {
			return err
		}
		text, err := fs.ReadFile(stubs, name)
		if err != nil {
			return err
		}
		parsed, err := template.New(name).Option("missingkey=error").Parse(string(text))
		if err != nil {
			return err
		}
		var content bytes.Buffer
		if err := parsed.Execute(&content, values); err != nil {
			return err
		}
		file := File{Path: strings.Replace(strings.TrimSuffix(name, ".stub"), "app_server", server.File, 1), Content: content.Bytes(), Mode: 0o644}
		if path.Ext(file.Path) == ".go" { // names have any length, and gofmt aligns comments behind them
			if file.Content, err = format.Source(file.Content); err != nil {
				return fmt.Errorf("%s: %w", file.Path, err)
			}
		}
		switch file.Path {
		case ".env":
			file.Mode = 0o600 // it has the app's secret
		case unit:
			file.Path = path.Join(path.Dir(unit), program(p.Module)+".service")
		}
		files = append(files, file)
		return nil
	})
	if sums != nil {
		files = append(files, File{Path: "go.sum", Content: sums, Mode: 0o644})
	}
	return files, err
}

// unit is the unit of systemd among the stubs. Its file gets the name of the program.
const unit = "deploy/app.service"

// lacks reports whether the app doesn't have the file of a stub.
func (p Project) lacks(path string) bool {
	switch path {
	case "config/oauth.go":
		return !p.Auth
	case "Dockerfile", ".dockerignore", unit:
		return !p.Deploy
	}
	return false
}

// user returns the name of the user that systemd makes for a program. A user of the system with the
// name would be used instead, such as news or backup, so the name has a prefix.
func user(program string) string {
	name := "mcp-" + strings.ReplaceAll(program, ".", "-")
	return name[:min(len(name), 31)] // as long as Linux allows
}

// program returns the name that go build gives the program of a module: the last element of
// its path that isn't a major version, such as v2.
func program(module string) string {
	if regexp.MustCompile(`/v[0-9]+$`).MatchString(module) {
		module = path.Dir(module)
	}
	return path.Base(module)
}

// Write writes the files into a new folder below parent, and returns its path. It writes all
// files or none: they get their place when all are written. The folder may exist if it is
// empty.
func (p Project) Write(parent string, files []File) (folder string, problem error) {
	folder = filepath.Join(parent, p.Name)
	if err := check(parent, folder); err != nil {
		return "", err
	}
	staged := filepath.Join(parent, fmt.Sprintf(".mcp-new-%d", os.Getpid()))
	if err := os.Mkdir(staged, 0o755); err != nil {
		fix := "name another one with --dir"
		if errors.Is(err, fs.ErrPermission) {
			fix = "make it writable, or " + fix
		}
		return "", fmt.Errorf("can't create a folder in %s: %w; %s", naming.Printable(parent), atomicfile.Reason(err), fix)
	}
	defer func() {
		if problem != nil {
			problem = errors.Join(problem, os.RemoveAll(staged))
		}
	}()
	for _, file := range files {
		name := filepath.Join(staged, filepath.FromSlash(file.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return "", fmt.Errorf("can't write %s: %w", file.Path, atomicfile.Reason(err))
		}
		if err := os.WriteFile(name, file.Content, file.Mode); err != nil {
			return "", fmt.Errorf("can't write %s: %w", file.Path, atomicfile.Reason(err))
		}
	}
	// A folder can't be renamed to one that exists on every system. Remove fails if it is not
	// empty any more.
	if err := os.Remove(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("can't create the folder %s: %w; choose another name", naming.Printable(folder), atomicfile.Reason(err))
	}
	if err := os.Rename(staged, folder); err != nil {
		return "", fmt.Errorf("can't create the folder %s: %w; choose another name", naming.Printable(folder), atomicfile.Reason(err))
	}
	return folder, nil
}

// check returns an error if the new folder can't be there.
func check(parent, folder string) error {
	shown := naming.Printable(folder)
	if info, err := os.Stat(parent); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder; name one with --dir", naming.Printable(parent))
	}
	info, err := os.Lstat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("can't create the folder %s: %w; choose another name", shown, atomicfile.Reason(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link; choose another name, or remove it", shown)
	case !info.IsDir():
		return fmt.Errorf("%s already exists and is not a folder; choose another name, or remove it", shown)
	}
	switch entries, err := os.ReadDir(folder); {
	case err != nil:
		return fmt.Errorf("can't read the folder %s: %w; choose another name, or make it readable", shown, atomicfile.Reason(err))
	case len(entries) > 0:
		return fmt.Errorf("%s already exists and is not empty; choose another name, or remove it", shown)
	}
	return nil
}
