package directives

import (
	"bytes"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// A goPackage is a package of the app, without its tests.
type goPackage struct {
	folder  string // relative to the app's root, with slashes; "." for the root
	path    string // the import path
	name    string
	files   []*goFile
	types   map[string]*goType
	methods map[string][]*method // by the name of the type
	names   map[string]bool      // all names that it declares
}

// A goFile is a file of a package.
type goFile struct {
	pkg    *goPackage
	path   string // relative to the app's root, with slashes
	syntax *ast.File
	names  map[string]string // the import paths, by the names of the imports
}

// A goType is a type that a package declares.
type goType struct {
	file *goFile
	spec *ast.TypeSpec
}

// A method is a method of a type, or a function.
type method struct {
	file *goFile
	decl *ast.FuncDecl
}

// A reader reads the packages of an app, each at most once.
type reader struct {
	app      *scaffold.App
	target   target
	fileSet  *token.FileSet
	imports  scaffold.Importer
	packages map[string]*goPackage // by folder
	parsed   map[string]*ast.File  // the files with directives, by path
	mistakes directive.Mistakes

	registered map[string]bool // the types of features that some file of the app names
}

func newReader(app *scaffold.App) *reader {
	return &reader{app: app, fileSet: token.NewFileSet(), imports: app.Importer(), packages: map[string]*goPackage{}, parsed: map[string]*ast.File{}, registered: map[string]bool{}}
}

// position returns the position of a node in its file.
func (r *reader) position(node ast.Node) token.Position {
	return r.fileSet.PositionFor(node.Pos(), false)
}

// mayHave reports whether a file may have a directive. To parse only those files saves most of the
// time in a large app.
func mayHave(content []byte) bool {
	for rest := content; ; {
		at := bytes.IndexByte(rest, ':')
		if at < 0 {
			return false
		}
		if at >= 3 && bytes.EqualFold(rest[at-3:at], []byte("mcp")) {
			before := bytes.TrimRight(rest[:at-3], " \t")
			if bytes.HasSuffix(before, []byte("//")) {
				return true
			}
		}
		rest = rest[at+1:]
	}
}

// folders returns the folders with files that may have directives, in order. It reports directives
// in files that are never part of the app.
func (r *reader) folders() (found []string, err error) {
	err = filepath.WalkDir(r.app.Root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != r.app.Root && isForeign(name, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") || !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(r.app.Root, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		r.noteRegistration(content)
		if folder := path.Dir(relative); mayHave(content) && r.isPart(name, relative, content) && (len(found) == 0 || found[len(found)-1] != folder) {
			found = append(found, folder)
		}
		return nil
	})
	return found, err
}

// isForeign reports whether a folder is none of the app's packages.
func isForeign(path, name string) bool {
	if name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}

// isPart reports whether a file with a directive is part of the app on all systems. If it isn't,
// its directives are mistakes.
func (r *reader) isPart(name, relative string, content []byte) bool {
	file := r.parse(relative, content)
	if file == nil || ast.IsGenerated(file) {
		return false
	}
	problem, fix := "", ""
	switch {
	case strings.HasSuffix(relative, "_test.go"):
		problem, fix = "is in a test, which isn't part of the app", "move what it is above to another file"
	case isConstrained(name):
		problem, fix = "is in a file that isn't compiled on all systems, unlike the generated one", "move what it is above to a file without constraints"
	default:
		return true
	}
	for _, group := range file.Comments {
		for _, line := range group.List {
			if directive.Is(line.Text) {
				r.mistakes.Add(r.position(line), fix, "the directive %s", problem)
			}
		}
	}
	return false
}

// isConstrained reports whether the name or the build constraints of a file keep it from being
// compiled for some systems.
func isConstrained(name string) bool {
	for _, system := range [][2]string{{"linux", "amd64"}, {"windows", "arm64"}, {"plan9", "386"}} {
		context := build.Default
		context.GOOS, context.GOARCH = system[0], system[1]
		if matches, err := context.MatchFile(filepath.Dir(name), filepath.Base(name)); err == nil && !matches {
			return true
		}
	}
	return false
}

// parse parses a file, at most once. After a syntax error, which is a mistake, it returns nil.
func (r *reader) parse(relative string, content []byte) *ast.File {
	if known, parsed := r.parsed[relative]; parsed {
		return known
	}
	file, err := parser.ParseFile(r.fileSet, relative, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		at, what := token.Position{Filename: relative, Line: 1, Column: 1}, err.Error()
		if list, ok := errors.AsType[scanner.ErrorList](err); ok {
			at, what = list[0].Pos, list[0].Msg
			at.Filename = relative
		}
		r.mistakes.Add(at, "correct the file", "syntax error: %s", what)
		file = nil
	}
	r.parsed[relative] = file
	return file
}

// load reads the package in a folder of the app. It returns nil if there is none. Files that the
// go command ignores on this system are left out.
func (r *reader) load(folder string) *goPackage {
	if known, read := r.packages[folder]; read {
		return known
	}
	r.packages[folder] = nil
	parent := filepath.Join(r.app.Root, filepath.FromSlash(folder))
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil
	}
	pkg := &goPackage{folder: folder, path: path.Join(r.app.Module, folder), types: map[string]*goType{}, methods: map[string][]*method{}, names: map[string]bool{}}
	for _, entry := range entries {
		name := entry.Name()
		relative := path.Join(folder, name)
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == FileName {
			continue
		}
		if matches, err := build.Default.MatchFile(parent, name); err == nil && !matches {
			continue
		}
		content, err := os.ReadFile(filepath.Join(parent, name))
		if err != nil {
			continue
		}
		syntax := r.parse(relative, content)
		if syntax == nil {
			continue
		}
		pkg.add(&goFile{pkg: pkg, path: relative, syntax: syntax, names: r.imports.Imports(syntax)})
	}
	if len(pkg.files) == 0 {
		return nil
	}
	r.packages[folder] = pkg
	return pkg
}

// add adds a file to a package.
func (p *goPackage) add(file *goFile) {
	p.name = file.syntax.Name.Name
	p.files = append(p.files, file)
	for _, declared := range file.syntax.Decls {
		switch declared := declared.(type) {
		case *ast.FuncDecl:
			receiver := scaffold.ReceiverType(declared)
			if receiver == "" {
				p.names[declared.Name.Name] = true
			}
			p.methods[receiver] = append(p.methods[receiver], &method{file, declared})
		case *ast.GenDecl:
			for _, spec := range declared.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					p.types[spec.Name.Name] = &goType{file, spec}
					p.names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						p.names[name.Name] = true
					}
				}
			}
		}
	}
}

// method returns a method of a type, or nil. A function is a method of the type "".
func (p *goPackage) method(of, name string) *method {
	for _, known := range p.methods[of] {
		if known.decl.Name.Name == name {
			return known
		}
	}
	return nil
}
