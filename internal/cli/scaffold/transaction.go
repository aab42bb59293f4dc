package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A transaction writes files, and can undo that.
type transaction struct {
	app     *App
	staged  []string // temporary files that may be left
	folders []string // the folders that it made, the outer first
	undoing []func() // restores the files, in the order of the changes
}

// write writes the files. Most failures, such as missing permission or space, happen
// before the first file changes.
func (t *transaction) write(targets []target) error {
	contents, backups := make([]string, len(targets)), make([]string, len(targets))
	for i, target := range targets {
		var err error
		if contents[i], err = t.stage(target, ".mcp-", target.file.Content); err == nil && target.before != nil {
			backups[i], err = t.stage(target, ".mcp-before-", target.before)
		}
		if err != nil {
			return t.app.writeFailure(target.file.Path, target.path, err)
		}
	}
	for i, target := range targets {
		if err := t.commit(target, contents[i], backups[i]); err != nil {
			return err
		}
	}
	return nil
}

// stage writes a temporary file in the folder of the target, which it makes. The leading
// dot hides the file from the go command.
func (t *transaction) stage(target target, prefix string, content []byte) (string, error) {
	folder := filepath.Dir(target.path)
	if err := t.makeFolder(folder); err != nil {
		return "", err
	}
	staged := filepath.Join(folder, fmt.Sprintf("%s%d-%s", prefix, os.Getpid(), filepath.Base(target.path)))
	out, err := os.OpenFile(staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, target.mode|0o200)
	if err != nil {
		return "", err
	}
	t.staged = append(t.staged, staged)
	_, err = out.Write(content)
	if err = errors.Join(err, out.Close()); err == nil && target.before != nil {
		err = os.Chmod(staged, target.mode) // the mode of OpenFile is masked
	}
	return staged, err
}

// makeFolder makes a folder with its parents, and remembers those that it made.
func (t *transaction) makeFolder(folder string) error {
	var missing []string
	for ; ; folder = filepath.Dir(folder) {
		_, err := os.Stat(folder)
		if !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return err
			}
			break
		}
		missing = append(missing, folder)
	}
	for _, folder := range slices.Backward(missing) {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
		t.folders = append(t.folders, folder)
	}
	return nil
}

// commit moves a temporary file to its target.
func (t *transaction) commit(target target, staged, backup string) error {
	if target.before == nil {
		// O_EXCL fails if the file was created after the check.
		place, err := os.OpenFile(target.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return &ExistsError{Path: target.file.Path}
		}
		if err != nil {
			return t.app.writeFailure(target.file.Path, target.path, err)
		}
		_ = place.Close()
		t.undoing = append(t.undoing, func() { _ = os.Remove(target.path) })
	} else {
		now, err := target.read()
		if err == nil && !bytes.Equal(now, target.before) {
			err = errChanged
		}
		if err != nil {
			return t.app.writeFailure(target.file.Path, target.path, err)
		}
		t.undoing = append(t.undoing, func() { _ = os.Rename(backup, target.path) })
	}
	if err := os.Rename(staged, target.path); err != nil {
		return t.app.writeFailure(target.file.Path, target.path, err)
	}
	return nil
}

// undo restores the files as they were.
func (t *transaction) undo() {
	for _, undo := range slices.Backward(t.undoing) {
		undo()
	}
	t.clean()
	for _, folder := range slices.Backward(t.folders) {
		_ = os.Remove(folder) // fails if another program wrote into it
	}
}

// clean removes temporary files.
func (t *transaction) clean() {
	for _, path := range t.staged {
		_ = os.Remove(path)
	}
	t.staged = nil
}
