// Package atomicfile replaces files. Neither a reader nor a crash finds a part of one: new content is written
// to a new file beside the old one, and takes its place when it is on the disk.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Prefix begins the names of new files until they take their place. The dot hides them from the go
// command.
const Prefix = ".mcp-"

// Write writes a file, or replaces it. The file then has the mode, as far as the umask allows it.
func Write(path string, content []byte, mode fs.FileMode) error {
	r := Replacement{Path: path}
	staged, err := r.write(content, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(staged, path); err != nil {
		return errors.Join(err, os.Remove(staged))
	}
	return nil
}

// A Replacement puts new content in the place of a file, and can undo that.
type Replacement struct {
	// Path is the path of the file, without links.
	Path string
	// FolderMode is the mode of folders that have to be made.
	FolderMode fs.FileMode
	// Saved is the path of a copy of the old content, or "". Whoever keeps the copy clears the field.
	Saved string

	exists  bool     // whether there is an old file
	staged  string   // the path of the new content, until it is in its place
	done    bool     // whether the new content is in its place
	folders []string // the folders that were made for the file, the innermost first
}

// Stage writes the new content, and a copy of the old one, to new files, and makes the folder. The
// old content is nil if there is no file, and then the new one gets the mode, as far as the umask
// allows it. An old file has the mode, and passes it on with its owner.
func (r *Replacement) Stage(before, after []byte, mode fs.FileMode) (err error) {
	r.unstage()
	folder := filepath.Dir(r.Path)
	for missing := folder; ; missing = filepath.Dir(missing) {
		if _, err := os.Lstat(missing); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		r.folders = append(r.folders, missing)
	}
	if err := os.MkdirAll(folder, r.FolderMode); err != nil {
		return err
	}
	r.exists = before != nil
	if r.staged, err = r.write(after, mode); err == nil && r.exists {
		r.Saved, err = r.write(before, mode)
	}
	return err
}

// write writes content to a new file beside the file, and returns its path.
func (r *Replacement) write(content []byte, mode fs.FileMode) (string, error) {
	path := filepath.Join(filepath.Dir(r.Path), Prefix+rand.Text())
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if r.exists {
		// The mode comes last, since a change of the owner can take bits from it.
		err = errors.Join(err, giveOwner(r.Path, file), file.Chmod(mode))
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(path)
		return "", err
	}
	return path, nil
}

// Commit puts the new content in its place. The error is [fs.ErrExist] if there was no file, and
// there is one by now.
func (r *Replacement) Commit() error {
	if !r.exists {
		place, err := os.OpenFile(r.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_ = place.Close()
	}
	if err := os.Rename(r.staged, r.Path); err != nil {
		if !r.exists {
			_ = os.Remove(r.Path)
		}
		return err
	}
	r.staged, r.done = "", true
	return nil
}

// Done reports whether the new content is in its place.
func (r *Replacement) Done() bool { return r.done }

// Undo puts the old content in its place again, or removes a new file. Before a commit it does
// nothing.
func (r *Replacement) Undo() error {
	switch {
	case !r.done:
		return nil
	case !r.exists:
		return os.Remove(r.Path)
	}
	if err := os.Rename(r.Saved, r.Path); err != nil {
		return err
	}
	r.Saved, r.done = "", false
	return nil
}

// Clean removes what isn't needed any more: the new files that have not taken their place, and after
// a failure the folders that were made.
func (r *Replacement) Clean(failed bool) {
	r.unstage()
	if failed {
		for _, folder := range r.folders {
			_ = os.Remove(folder) // fails if something else is in it by now
		}
	}
}

func (r *Replacement) unstage() {
	for _, path := range []string{r.staged, r.Saved} {
		if path != "" {
			_ = os.Remove(path)
		}
	}
	r.staged, r.Saved = "", ""
}

// Reason returns an error without its path, which may lead to a new file that means nothing to a
// person.
func Reason(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	if of, ok := errors.AsType[*os.LinkError](err); ok {
		return of.Err
	}
	return err
}
