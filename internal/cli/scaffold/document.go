package scaffold

import (
	"bytes"
	"go/parser"
	"path"
	"path/filepath"
	"strings"
)

// Document adds a package comment to a new Go file if no other file of its folder has one.
// The comment has no slashes.
func (a *App) Document(file *File, comment string) {
	folder, target := path.Split(file.Path)
	names, err := a.goFiles(folder)
	if err != nil || hasDoc(target, file.Content) {
		return
	}
	for _, name := range names {
		if name != target && !strings.HasSuffix(name, "_test.go") && hasDoc(filepath.Join(a.Root, filepath.FromSlash(folder), name), nil) {
			return
		}
	}
	if clause := bytes.Index(file.Content, []byte("package ")); clause == 0 || clause > 0 && file.Content[clause-1] == '\n' {
		file.Content = bytes.Join([][]byte{file.Content[:clause], file.Content[clause:]}, []byte("// "+comment+"\n"))
	}
}

// hasDoc reports whether a Go file has a package comment. It reads the file if content is
// nil.
func hasDoc(name string, content []byte) bool {
	file := parse(name, content, parser.PackageClauseOnly|parser.ParseComments)
	return file != nil && file.Doc != nil
}
