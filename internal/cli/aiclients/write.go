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
			if edit.Backup != "" {
				edit.replacement.Saved = "" // the copy stays
			}
			edit.replacement.Clean(err != nil)
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
		if edit.Action == Unchanged || edit.Command != nil {
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

// stage writes the new content beside the file, and a copy of the old one.
func (e *Edit) stage() error {
	e.replacement.Path, e.replacement.FolderMode = e.file.path, 0o700
	if e.scope == Project {
		e.replacement.FolderMode = 0o755
	}
	err := e.replacement.Stage(e.file.content, e.After, e.file.mode)
	switch of, ok := errors.AsType[*fs.PathError](err); {
	case err == nil:
		return nil
	case ok && of.Op == "mkdir":
		return e.fail("written", err)
	}
	return e.fail("written in the folder "+filepath.Dir(e.file.path), err)
}

// commit replaces the file by the staged one.
func (e *Edit) commit() error {
	changed, err := e.changed()
	if err == nil && changed {
		e.replacement.Clean(false)
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
	if err := e.replacement.Commit(); err != nil {
		return e.fail("written", err)
	}
	return nil
}

// changed reports whether the file isn't what it was when the edit was computed.
func (e *Edit) changed() (bool, error) {
	now, err := e.look()
	return !now.equal(e.file), err
}

// keepBackup gives the copy of the old file its name. It replaces the backup of an earlier edit.
func (e *Edit) keepBackup() error {
	if e.replacement.Saved == "" || len(e.Before) == 0 {
		return nil
	}
	backup := e.file.path + ".mcp.bak"
	if err := os.Rename(e.replacement.Saved, backup); err != nil {
		return e.fail("backed up", err)
	}
	e.replacement.Saved, e.Backup = backup, backup
	return nil
}

// undo restores the file as it was before, unless somebody else has changed it since.
func (e *Edit) undo() error {
	if e.Command != nil {
		return e.runUndo()
	}
	if !e.replacement.Done() {
		return nil
	}
	switch now, err := e.look(); {
	case err != nil:
		return err
	case !bytes.Equal(now.content, e.After):
		return fmt.Errorf("%s, the file of %s, changed after its edit, so that the edit stays", e.File, e.Client.Name)
	}
	saved := e.replacement.Saved
	switch err := e.replacement.Undo(); {
	case err != nil && saved == "":
		return fmt.Errorf("the new file of %s stays: %w", e.Client.Name, err)
	case err != nil:
		e.Backup = saved
		return fmt.Errorf("%s, the file of %s, can't be restored: %w; as it was, it is in %s", e.File, e.Client.Name, err, saved)
	}
	e.Backup = ""
	return nil
}
