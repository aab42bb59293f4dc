package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
)

// A File is one file to be written into an app.
type File struct {
	// Path is relative to the app's root, with slashes.
	Path string
	// Content is the whole file.
	Content []byte
	// Before is the content of a file that is edited. It is nil for a file that is new or
	// replaced as a whole.
	Before []byte
	// Replaced is set by Write and Diff when the file existed before and isn't edited.
	Replaced bool
}

// Verb says what happens to the file: created, replaced or edited.
func (f File) Verb() string {
	switch {
	case f.Before != nil:
		return "edited"
	case f.Replaced:
		return "replaced"
	}
	return "created"
}

// An ExistsError reports that a file exists already. It wraps fs.ErrExist.
type ExistsError struct {
	// Path is relative to the app's root, with slashes.
	Path string
}

// Error returns the path of the file and the flag that replaces it.
func (e *ExistsError) Error() string { return e.Path + " already exists; --force replaces it" }

// Unwrap returns fs.ErrExist.
func (e *ExistsError) Unwrap() error { return fs.ErrExist }

// Write writes all files or none. If a new file exists, it is replaced if force is set, and
// otherwise Write returns an *ExistsError. A file that is edited must be as it was read.
func (a *App) Write(files []File, force bool) error {
	targets, err := a.targets(files, force)
	if err != nil {
		return err
	}
	t := transaction{app: a}
	err = t.write(targets)
	t.end(err != nil)
	return err
}

// CheckTargets fails where Write would fail before it writes.
func (a *App) CheckTargets(files []File, force bool) error {
	_, err := a.targets(files, force)
	return err
}

// Diff returns what Write would change, in the unified format. It fails where Write would
// fail before it writes.
func (a *App) Diff(files []File, force bool) ([]byte, error) {
	targets, err := a.targets(files, force)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, target := range targets {
		before := "a/" + target.file.Path
		if target.before == nil {
			before = "/dev/null"
		}
		out = append(out, diff.Diff(before, target.before, "b/"+target.file.Path, target.file.Content)...)
	}
	return out, nil
}

// A target is where a file is written.
type target struct {
	file   File
	path   string      // absolute, without links
	mode   fs.FileMode // of the file
	before []byte      // what the file holds; nil if there is none
}

// targets checks the files before any is written, and sets Replaced.
func (a *App) targets(files []File, force bool) ([]target, error) {
	var targets []target
	for i := range files {
		file := &files[i]
		target, err := a.target(*file)
		if err != nil {
			return nil, a.writeFailure(file.Path, target.path, err)
		}
		file.Replaced = target.before != nil && file.Before == nil
		switch {
		case file.Replaced && !force:
			return nil, &ExistsError{Path: file.Path}
		case target.before != nil && target.mode&0o200 == 0:
			return nil, fmt.Errorf("write %s: it is read-only; make it writable", file.Path)
		case file.Before != nil && !bytes.Equal(target.before, file.Before):
			return nil, fmt.Errorf("write %s: %w", file.Path, errChanged)
		}
		targets = append(targets, target)
	}
	return targets, nil
}

var errChanged = errors.New("another program has changed it meanwhile; try again")

// target finds out where a file is written, and what is there.
func (a *App) target(file File) (target, error) {
	t := target{file: file, path: filepath.Join(a.Root, filepath.FromSlash(file.Path)), mode: 0o644}
	if file.Before != nil {
		followed, err := filepath.EvalSymlinks(t.path)
		if err != nil {
			return t, err
		}
		t.path = followed
	}
	info, err := os.Lstat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && file.Before == nil:
		return t, nil
	case err != nil:
		return t, err
	case !info.Mode().IsRegular():
		return t, errNoFile
	}
	t.mode = info.Mode().Perm()
	t.before, err = t.read()
	return t, err
}

// read returns the content of the file, which is not nil.
func (t target) read() ([]byte, error) {
	content, err := os.ReadFile(t.path)
	return append([]byte{}, content...), err
}
