package aiclients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrCanceled is the error of Write if the context ends before the last edit.
var ErrCanceled = errors.New("canceled: the files of the clients are as they were")

// Write makes all edits or none, also if the context ends. A file that has changed since it was
// read is read and edited once more; if it changes again, Write gives up.
func Write(ctx context.Context, edits []*Edit) (err error) {
	var made []*Edit
	defer func() {
		for _, edit := range slices.Backward(made) {
			if err == nil {
				break
			}
			if failed := edit.undo(); failed != nil {
				err = fmt.Errorf("%w; %w", err, failed)
			}
		}
		for _, edit := range slices.Backward(edits) {
			edit.clean(err != nil)
		}
	}()
	for _, edit := range edits {
		if edit.Action == Unchanged || edit.Command != nil {
			continue
		}
		if err := edit.stage(); err != nil {
			return err
		}
	}
	for _, edit := range edits {
		if edit.Command == nil {
			continue
		}
		if ctx.Err() != nil {
			return ErrCanceled
		}
		err := edit.run()
		if err == nil || edit.isThere() { // Ctrl-C on a terminal reaches the client's command too
			made = append(made, edit)
		}
		switch {
		case ctx.Err() != nil:
			return ErrCanceled
		case err != nil:
			return err
		}
	}
	for _, edit := range edits {
		if edit.staged == "" {
			continue
		}
		if ctx.Err() != nil {
			return ErrCanceled
		}
		if err := edit.commit(); err != nil {
			return err
		}
		made = append(made, edit)
	}
	for _, edit := range made {
		if err := edit.keepBackup(); err != nil {
			return err
		}
	}
	return nil
}

// stage writes the new content, and a copy of the old one, to new files beside the file.
func (e *Edit) stage() error {
	folder := filepath.Dir(e.file.path)
	if err := e.makeFolders(folder); err != nil {
		return e.fail("written", err)
	}
	var err error
	if e.staged, err = e.stageFile(folder, e.After); err != nil {
		return e.fail("written in the folder "+folder, err)
	}
	if e.file.exists {
		if e.saved, err = e.stageFile(folder, e.Before); err != nil {
			return e.fail("backed up", err)
		}
	}
	return nil
}

// makeFolders makes a folder and those above it, and notes which ones it made.
func (e *Edit) makeFolders(folder string) error {
	for missing := folder; ; missing = filepath.Dir(missing) {
		if _, err := os.Lstat(missing); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		e.folders = append(e.folders, missing)
	}
	mode := fs.FileMode(0o700)
	if e.scope == Project {
		mode = 0o755
	}
	return os.MkdirAll(folder, mode)
}

// stageFile writes content to a new file with the mode and the owner of the edit's file.
func (e *Edit) stageFile(folder string, content []byte) (string, error) {
	file, err := os.CreateTemp(folder, ".mcp-*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	// The mode comes last, since a change of the owner can take bits from it.
	err = errors.Join(err, file.Sync(), e.file.giveOwner(file), file.Chmod(e.file.mode), file.Close())
	if err != nil {
		_ = os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// commit replaces the file by the staged one.
func (e *Edit) commit() error {
	changed, err := e.changed()
	if err == nil && changed {
		e.unstage()
		if err = e.compute(); err != nil || e.Action == Unchanged {
			return err
		}
		if err = e.stage(); err != nil {
			return err
		}
		changed, err = e.changed()
	}
	switch {
	case err != nil:
		return err
	case changed:
		return fmt.Errorf("%s keeps changing, probably by %s; quit that, and run the command again", e.File, e.Client.Name)
	}
	if err := os.Rename(e.staged, e.file.path); err != nil {
		return e.fail("written", err)
	}
	e.staged, e.written = "", true
	return nil
}

// changed reports whether the file isn't what it was when the edit was computed.
func (e *Edit) changed() (bool, error) {
	now, err := e.look()
	return !now.equal(e.file), err
}

// keepBackup gives the copy of the old file its name. It replaces the backup of an earlier edit.
func (e *Edit) keepBackup() error {
	if e.saved == "" || len(e.Before) == 0 {
		return nil
	}
	backup := e.file.path + ".mcp.bak"
	if err := os.Rename(e.saved, backup); err != nil {
		return e.fail("backed up", err)
	}
	e.saved, e.Backup = backup, backup
	return nil
}

// undo restores the file as it was before, unless somebody else has changed it since.
func (e *Edit) undo() error {
	if e.Command != nil {
		return e.runUndo()
	}
	if !e.written {
		return nil
	}
	switch now, err := e.look(); {
	case err != nil:
		return err
	case !bytes.Equal(now.content, e.After):
		return fmt.Errorf("%s, the file of %s, changed after its edit, so that the edit stays", e.File, e.Client.Name)
	}
	if e.saved == "" {
		if err := os.Remove(e.file.path); err != nil {
			return fmt.Errorf("the new file of %s stays: %w", e.Client.Name, err)
		}
		return nil
	}
	if err := os.Rename(e.saved, e.file.path); err != nil {
		e.Backup = e.saved // which clean leaves there
		return fmt.Errorf("%s, the file of %s, can't be restored: %w; as it was, it is in %s", e.File, e.Client.Name, err, e.saved)
	}
	e.saved, e.Backup = "", ""
	return nil
}

// clean removes what isn't needed any more: the staged files, and after a failure the
// folders that were made.
func (e *Edit) clean(failed bool) {
	if e.Backup == "" {
		e.unstage()
	}
	if failed {
		for _, folder := range e.folders {
			_ = os.Remove(folder) // fails if something else is in it by now
		}
	}
}

func (e *Edit) unstage() {
	for _, path := range []string{e.staged, e.saved} {
		if path != "" {
			_ = os.Remove(path)
		}
	}
	e.staged, e.saved = "", ""
}
