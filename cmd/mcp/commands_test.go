package main

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// framework FOLDER...: makes each folder a module with this checkout as its framework, by its go.mod and go.sum. The module has the name of the
// folder.
func framework(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) == 0 {
		ts.Fatalf("usage: framework FOLDER...")
	}
	for _, folder := range args {
		ts.Check(requireFramework(ts.Getenv("MODULE"), ts.MkAbs(folder)))
	}
}

func requireFramework(module, folder string) error {
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(module, "go.sum"))
	if err != nil {
		return err
	}
	_, required, _ := strings.Cut(string(mod), "\n")
	text := "module " + filepath.Base(folder) + "\n" + required +
		"\nrequire github.com/bowline-mcp/bowline v0.0.0\n\nreplace github.com/bowline-mcp/bowline => " + module + "\n"
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(text), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "go.sum"), sum, 0o600)
}

// reference FOLDER: makes a new folder a copy of the reference app as a module of its own, with this checkout as its framework. All apps of
// the scripts have it, so the go command compiles it once. That of a clone would be another one.
func reference(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: reference FOLDER")
	}
	ts.Check(copyApp(ts.Getenv("MODULE"), ts.MkAbs(args[0])))
}

func copyApp(module, folder string) error {
	own := strings.NewReplacer(
		`"github.com/bowline-mcp/bowline/app/`, `"`+filepath.Base(folder)+`/app/`,
		`"github.com/bowline-mcp/bowline/config"`, `"`+filepath.Base(folder)+`/config"`,
		`"github.com/bowline-mcp/bowline/routes"`, `"`+filepath.Base(folder)+`/routes"`,
	)
	for _, part := range []string{"main.go", ".env.example", "app", "config", "routes"} {
		if err := copyFiles(filepath.Join(module, part), filepath.Join(folder, part), own.Replace); err != nil {
			return err
		}
	}
	return requireFramework(module, folder)
}

// A sharedApp is a copy of the reference app, which is built for the first script that uses it. No script changes its folder.
type sharedApp struct {
	module, folder, cache string
	build                 sync.Once
}

func newSharedApp(t *testing.T, module string) *sharedApp {
	t.Helper()
	folder := t.TempDir()
	return &sharedApp{module: module, folder: filepath.Join(folder, "demo"), cache: filepath.Join(folder, "cache")}
}

// app: lets mcp find the program of the reference app in the folder $APP, which all scripts share, so that none has to build it. A script
// changes nothing there. The data of its authorization server is in $WORK.
func (a *sharedApp) use(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) > 0 {
		ts.Fatalf("usage: app")
	}
	ts.Setenv("XDG_CACHE_HOME", a.cache)
	ts.Setenv("OAUTH_STORE", "sqlite:"+filepath.Join(ts.Getenv("WORK"), "oauth.db"))
	ts.Setenv("OAUTH_KEYS", filepath.Join(ts.Getenv("WORK"), "oauth.keys"))
	a.build.Do(func() {
		ts.Check(copyApp(a.module, a.folder))
		ts.Check(ts.Exec("mcp", "list", "--dir", a.folder))
	})
}

// freePort NAME: sets a variable to a port on which nothing listens.
func freePort(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: freeport NAME")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	ts.Check(errors.Join(err, listener.Close()))
	ts.Setenv(args[0], port)
}

// clone FOLDER: copies the repository into a new FOLDER, without hidden folders, settings and nested projects. Unlike git clone it includes
// uncommitted changes.
func clone(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: clone FOLDER")
	}
	ts.Check(copyFiles(ts.Getenv("MODULE"), ts.MkAbs(args[0]), func(text string) string { return text }))
}

// copyFiles copies a file, or a folder with what Git would have of it.
func copyFiles(from, to string, edit func(text string) string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		target := filepath.Join(to, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || name == "storage" || isProject(path)):
			return filepath.SkipDir // storage has the data of an app that was served here
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		case !entry.Type().IsRegular() || entry.Name() == ".env":
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, []byte(edit(string(content))), 0o644)
	})
}

// isProject reports whether the folder is the root of a Go module or a Node package.
func isProject(folder string) bool {
	_, noModule := os.Stat(filepath.Join(folder, "go.mod"))
	_, noPackage := os.Stat(filepath.Join(folder, "package.json"))
	return noModule == nil || noPackage == nil
}

// unpack ARCHIVE FOLDER: writes the files of an archive into a new folder: of a zip archive, with their modes, or of a txtar archive.
func unpack(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 2 {
		ts.Fatalf("usage: unpack ARCHIVE FOLDER")
	}
	if strings.HasSuffix(args[0], ".txtar") {
		archive, err := txtar.ParseFile(ts.MkAbs(args[0]))
		ts.Check(err)
		ts.Check(os.MkdirAll(ts.MkAbs(args[1]), 0o755))
		ts.Check(txtar.Write(archive, ts.MkAbs(args[1])))
		return
	}
	archive, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { _ = archive.Close() }()
	for _, file := range archive.File {
		packed, err := file.Open()
		ts.Check(err)
		content, err := io.ReadAll(packed)
		ts.Check(err)
		path := filepath.Join(ts.MkAbs(args[1]), filepath.FromSlash(file.Name))
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
		ts.Check(os.WriteFile(path, content, file.Mode()))
	}
}
