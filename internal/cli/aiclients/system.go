package aiclients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// A System tells where clients keep their files on a computer.
type System struct {
	OS     string // linux, darwin or windows
	Home   string
	Getenv func(name string) string
	// Read reads a file.
	Read func(path string) ([]byte, error)
	// Exists reports whether there is a file or a folder.
	Exists func(path string) bool
	// List returns the names in a folder.
	List func(folder string) ([]string, error)
	// Find returns the path of a program on the PATH.
	Find func(program string) (string, error)
}

var errNotRegular = errors.New("it is not a regular file")

// ThisSystem returns the computer that the program runs on.
func ThisSystem() (System, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return System{}, fmt.Errorf("find the files of AI clients: %w; set it to the home folder", err)
	}
	return System{OS: runtime.GOOS, Home: home, Getenv: os.Getenv, Read: read, Exists: exists, List: list, Find: exec.LookPath}, nil
}

// read reads a file. Opening a pipe would wait for its writer.
func read(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	return os.ReadFile(path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func list(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, nil
}

// join joins the parts of a path with the separator of the system.
func (s System) join(parts ...string) string {
	if s.OS == "windows" {
		return strings.ReplaceAll(strings.Join(parts, `\`), "/", `\`)
	}
	return strings.Join(parts, "/")
}

// split splits a path before its last element.
func (s System) split(path string) (folder, name string) {
	i := strings.LastIndexByte(path, '/')
	if s.OS == "windows" {
		i = strings.LastIndexAny(path, `/\`)
	}
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// settings returns the folder in which applications keep their settings.
func (s System) settings() string {
	switch s.OS {
	case "darwin":
		return s.join(s.Home, "Library/Application Support")
	case "windows":
		return s.variable("APPDATA", "AppData/Roaming")
	default:
		return s.config()
	}
}

// config returns the folder in which programs of Unix keep their settings on every system.
func (s System) config() string { return s.variable("XDG_CONFIG_HOME", ".config") }

// variable returns the folder that an environment variable names, or a path in the home
// folder.
func (s System) variable(name, path string) string {
	if folder := s.Getenv(name); folder != "" {
		return folder
	}
	return s.join(s.Home, path)
}

// expand replaces the first element of a path of the table: ~ is the home folder, @settings
// and @config are those folders.
func (s System) expand(path string) string {
	first, rest, _ := strings.Cut(path, "/")
	switch first {
	case "~":
		first = s.Home
	case "@settings":
		first = s.settings()
	case "@config":
		first = s.config()
	}
	if rest == "" {
		return first
	}
	return s.join(first, rest)
}
