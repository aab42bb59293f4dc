package aiclients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A file is what is on the disk where an edit writes.
type file struct {
	path    string // without links
	exists  bool
	mode    fs.FileMode // for a missing file, the one that it gets
	content []byte
}

// look reads the file of the edit, which may be missing.
func (e *Edit) look() (file, error) {
	path, err := resolve(e.File)
	if err != nil {
		return file{}, err
	}
	missing := file{path: path, mode: 0o600}
	if e.scope == Project {
		missing.mode = 0o644
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing, nil
	case err != nil:
		return file{}, e.fail("read", err)
	case !info.Mode().IsRegular():
		return file{}, fmt.Errorf("%s, the file of %s, is not a regular file; remove it", e.File, e.Client.Name)
	}
	content, err := e.system.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // by now
		return missing, nil
	case err != nil:
		return file{}, e.fail("read", err)
	}
	return file{path: path, exists: true, mode: info.Mode().Perm(), content: content}, nil
}

func (f file) equal(other file) bool {
	return f.path == other.path && f.exists == other.exists && f.mode == other.mode && bytes.Equal(f.content, other.content)
}

// resolve returns the file that a path leads to over links. The file may be missing.
func resolve(path string) (string, error) {
	const most = 40
	target := path
	for range most {
		info, err := os.Lstat(target)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return target, nil // whoever uses it next reports the error
		}
		next, err := os.Readlink(target)
		if err != nil {
			return "", fmt.Errorf("follow the link %s: %w", target, err)
		}
		if !filepath.IsAbs(next) {
			folder, err := filepath.EvalSymlinks(filepath.Dir(target))
			if err != nil {
				return "", fmt.Errorf("follow the link %s: %w", target, err)
			}
			next = filepath.Join(folder, next)
		}
		target = next
	}
	return "", fmt.Errorf("%s leads from link to link; remove it", path)
}
