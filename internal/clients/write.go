package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Write makes all edits or none. A file that has changed since it was read is read and
// edited once more; if it changes again, Write gives up.
func Write(edits []*Edit) (err error) {
	var staged, written []*Edit
	files := map[*Edit]string{}
	defer func() {
		for _, edit := range staged {
			_ = os.Remove(files[edit]) // after a rename it is gone
		}
		if err == nil {
			return
		}
		for _, edit := range written {
			err = errors.Join(err, edit.undo())
		}
	}()
	for _, edit := range edits {
		if edit.Action == Unchanged || edit.Command != nil {
			continue
		}
		if files[edit], err = edit.stage(); err != nil {
			return err
		}
		staged = append(staged, edit)
	}
	for _, edit := range edits {
		if edit.Command != nil {
			if err := edit.run(); err != nil {
				return err
			}
			written = append(written, edit)
		}
	}
	for _, edit := range staged {
		if files[edit], err = edit.commit(files[edit]); err != nil {
			return err
		}
		written = append(written, edit)
	}
	return nil
}

// stage writes the new content to a new file beside the old one.
func (e *Edit) stage() (string, error) {
	folder := filepath.Dir(e.target)
	mode := fs.FileMode(0o700)
	if e.scope == Project {
		mode = 0o755
	}
	if err := os.MkdirAll(folder, mode); err != nil {
		return "", fmt.Errorf("write the file of %s: %w", e.Client.Name, err)
	}
	file, err := os.CreateTemp(folder, ".mcp-*")
	if err != nil {
		return "", fmt.Errorf("write the file of %s: %w", e.Client.Name, err)
	}
	_, err = file.Write(e.After)
	err = errors.Join(err, file.Chmod(e.mode), file.Sync(), file.Close(), e.keepOwner(file.Name()))
	if err != nil {
		_ = os.Remove(file.Name())
		return "", fmt.Errorf("write the file of %s: %w", e.Client.Name, err)
	}
	return file.Name(), nil
}

// commit replaces the file by the staged one, and leaves a backup. It returns the path of
// the staged file, which is another one if the file had changed.
func (e *Edit) commit(staged string) (string, error) {
	now, err := e.read()
	if err != nil {
		return staged, err
	}
	if !bytes.Equal(now, e.Before) {
		_ = os.Remove(staged)
		if err := e.compute(); err != nil {
			return "", err
		}
		if staged, err = e.stage(); err != nil {
			return "", err
		}
		if now, err = e.read(); err != nil {
			return staged, err
		}
		if !bytes.Equal(now, e.Before) {
			return staged, fmt.Errorf("%s keeps changing, probably by %s; quit that, and run the command again", e.File, e.Client.Name)
		}
	}
	if e.exists && len(e.Before) > 0 {
		if err := e.backUp(); err != nil {
			return staged, err
		}
	}
	if err := os.Rename(staged, e.target); err != nil {
		return staged, fmt.Errorf("write the file of %s: %w", e.Client.Name, err)
	}
	return staged, nil
}

// backUp copies the file to one beside it.
func (e *Edit) backUp() error {
	path := e.target + ".mcp.bak"
	fail := func(err error) error { return fmt.Errorf("back up the file of %s: %w", e.Client.Name, err) }
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, e.mode)
	if err != nil {
		return fail(err)
	}
	_, err = file.Write(e.Before)
	if err = errors.Join(err, file.Close(), e.keepOwner(path)); err != nil {
		return fail(err)
	}
	e.Backup = path
	return nil
}

// undo restores the file as it was before.
func (e *Edit) undo() error {
	switch {
	case e.Command != nil:
		return exec.Command(e.Command[0], "mcp", "remove", e.Names[0], "--scope", string(User)).Run()
	case e.Backup != "":
		return os.Rename(e.Backup, e.target)
	case e.exists: // of 0 bytes
		return os.Truncate(e.target, 0)
	default:
		return os.Remove(e.target)
	}
}

// run runs the client's own command, and checks that the entry is there.
func (e *Edit) run() error {
	line := strings.Join(append([]string{filepath.Base(e.Command[0])}, e.Command[1:3]...), " ")
	out, err := exec.Command(e.Command[0], e.Command[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s failed: %w: %s", line, err, strings.Join(strings.Fields(string(out)), " "))
	}
	entries, err := e.Client.entries(e.system, e.scope, "")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name == e.Names[0] {
			return nil
		}
	}
	return fmt.Errorf("%s succeeded, but %s has no entry %q; take claude off the PATH to have the file edited", line, e.File, e.Names[0])
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
