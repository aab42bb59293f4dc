package scaffold

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"

	"github.com/bowline-mcp/bowline/internal/atomicfile"
)

// A transaction writes files, and can undo that.
type transaction struct {
	app          *App
	replacements []*atomicfile.Replacement
}

// write writes the files. Most failures, such as missing permission or space, happen
// before the first file changes.
func (t *transaction) write(targets []target) error {
	for _, target := range targets {
		replacement := &atomicfile.Replacement{Path: target.path, FolderMode: 0o755}
		t.replacements = append(t.replacements, replacement)
		if err := replacement.Stage(target.before, target.file.Content, target.mode); err != nil {
			return t.app.writeFailure(target.file.Path, target.path, err)
		}
	}
	for i, target := range targets {
		err := target.check()
		if err == nil {
			err = t.replacements[i].Commit()
		}
		switch {
		case target.before == nil && errors.Is(err, fs.ErrExist):
			return &ExistsError{Path: target.file.Path}
		case err != nil:
			return t.app.writeFailure(target.file.Path, target.path, err)
		}
	}
	return nil
}

// check returns an error if the file has changed since it was read.
func (t target) check() error {
	if t.before == nil {
		return nil
	}
	now, err := t.read()
	if err == nil && !bytes.Equal(now, t.before) {
		err = errChanged
	}
	return err
}

// end removes temporary files. After a failure it restores the files as they were.
func (t *transaction) end(failed bool) {
	for _, replacement := range slices.Backward(t.replacements) {
		if failed && replacement.Undo() != nil {
			replacement.Saved = "" // the copy of a file that can't be restored stays
		}
		replacement.Clean(failed)
	}
}
