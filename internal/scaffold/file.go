package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A File is one file to be written into an app.
type File struct {
	// Path is relative to the app's root, with slashes.
	Path string
	// Content is the whole file.
	Content []byte
	// Replaced is set by Write when the file existed before.
	Replaced bool
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

// Write writes all files or none. If a file exists, it is replaced if force is set, and
// otherwise Write returns an *ExistsError.
func (a *App) Write(files []File, force bool) error {
	for i, file := range files {
		info, err := os.Lstat(a.path(file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("write %s: %w", file.Path, err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("write %s: it exists and is not a file", file.Path)
		case !force:
			return &ExistsError{Path: file.Path}
		}
		files[i].Replaced = true
	}
	var staged, created []string
	defer func() {
		for _, path := range staged {
			_ = os.Remove(path)
		}
	}()
	for _, file := range files {
		path, err := a.stage(file)
		if err != nil {
			return fmt.Errorf("write %s: %w", file.Path, err)
		}
		staged = append(staged, path)
	}
	for i, file := range files {
		if err := a.commit(staged[i], file); err != nil {
			for _, path := range created {
				_ = os.Remove(path)
			}
			return err
		}
		if !file.Replaced {
			created = append(created, a.path(file))
		}
	}
	return nil
}

func (a *App) path(file File) string { return filepath.Join(a.Root, filepath.FromSlash(file.Path)) }

// stage writes the content to a temporary file in the target folder. Most failures, such
// as missing permission or space, happen here, before any file has changed. The leading
// dot hides the temporary file from the go command.
func (a *App) stage(file File) (string, error) {
	folder := filepath.Dir(a.path(file))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	staged := filepath.Join(folder, fmt.Sprintf(".mcp-%d-%s", os.Getpid(), filepath.Base(file.Path)))
	out, err := os.OpenFile(staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	_, err = out.Write(file.Content)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(staged)
		return "", err
	}
	return staged, nil
}

// commit renames a staged file to its path. For a new file it first creates the path with
// O_EXCL, so that it doesn't overwrite a file that was created after the check.
func (a *App) commit(staged string, file File) error {
	path := a.path(file)
	if !file.Replaced {
		place, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return &ExistsError{Path: file.Path}
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", file.Path, err)
		}
		_ = place.Close()
	}
	if err := os.Rename(staged, path); err != nil {
		if !file.Replaced {
			_ = os.Remove(path)
		}
		return fmt.Errorf("write %s: %w", file.Path, err)
	}
	return nil
}
