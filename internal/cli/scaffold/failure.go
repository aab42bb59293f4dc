package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/bowline-mcp/bowline/internal/atomicfile"
)

// writeFailure returns why a file can't be written, and what to do. The target is its path without
// links.
func (a *App) writeFailure(file, target string, err error) error {
	folder, ok := a.nearest(filepath.Dir(target))
	switch {
	case !ok:
		return fmt.Errorf("write %s: %s is not a folder; rename or remove it", file, folder)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("write %s: %w; make the folder %s writable", file, atomicfile.Reason(err), folder)
	}
	return fmt.Errorf("write %s: %w", file, atomicfile.Reason(err))
}

// readFailure returns why a file can't be read, or the files of a folder, and what to do. The path
// is relative to the app's root, with slashes, and the files stand in the folder.
func (a *App) readFailure(path, folder string, err error) error {
	shown, ok := a.nearest(filepath.Join(a.Root, filepath.FromSlash(folder)))
	info, _ := os.Stat(filepath.Join(a.Root, filepath.FromSlash(path)))
	switch {
	case !ok:
		return fmt.Errorf("read %s: %s is not a folder; rename or remove it", path, shown)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("read %s: %w; make it readable", path, atomicfile.Reason(err))
	case path != folder && info != nil && !info.Mode().IsRegular():
		return fmt.Errorf("read %s: %w", path, errNoFile)
	}
	return fmt.Errorf("read %s: %w", path, atomicfile.Reason(err))
}

var errNoFile = errors.New("it exists and is not a file; rename or remove it")

// nearest returns a folder, or the nearest one above it that exists, relative to the app's root.
// It reports whether that is a folder.
func (a *App) nearest(folder string) (shown string, ok bool) {
	for ; ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		if err != nil && folder != filepath.Dir(folder) {
			continue
		}
		shown = filepath.ToSlash(folder)
		if relative, err := filepath.Rel(a.Root, folder); err == nil && relative != "." && filepath.IsLocal(relative) {
			shown = filepath.ToSlash(relative)
		}
		return shown, err != nil || info.IsDir()
	}
}
