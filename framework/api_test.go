package framework_test

import (
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheAPIIsWhatUsersCall checks all declarations of the public packages that go doc
// shows. None may use a type of an internal package, which users can't name, or of an
// experimental module, which may change.
func TestTheAPIIsWhatUsersCall(t *testing.T) {
	t.Parallel()
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", exports(t))
	for _, folder := range publicPackages(t) {
		loaded, err := compiled.Import(module + "/framework/" + folder)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(loaded.Scope().Names(), token.IsExported) {
			t.Errorf("framework/%s exports nothing", folder)
		}
		api := &surface{t: t, of: loaded}
		for _, name := range loaded.Scope().Names() {
			if object := loaded.Scope().Lookup(name); object.Exported() {
				api.object(object)
			}
		}
	}
}

// exports returns a function that opens the export data that the go command has built for
// a package.
func exports(t *testing.T) importer.Lookup {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", module+"/framework/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}

// publicPackages returns the folders of the framework's packages.
func publicPackages(t *testing.T) (folders []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(folder string, entry fs.DirEntry, err error) error {
		if entry.IsDir() && entry.Name() == "internal" {
			return fs.SkipDir
		}
		if files, _ := filepath.Glob(folder + "/*.go"); folder != "." && entry.IsDir() && len(files) > 0 {
			folders = append(folders, filepath.ToSlash(folder))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) < 20 {
		t.Fatalf("the walk finds only the packages %q", folders)
	}
	return folders
}

// A surface is the public API of a package.
type surface struct {
	t  *testing.T
	of *types.Package
}

// object checks the public parts of a declaration.
func (s *surface) object(object types.Object) {
	declared, isType := object.(*types.TypeName)
	if !isType {
		s.check(object.Name(), object.Type())
		return
	}
	named, ok := declared.Type().(*types.Named)
	if !ok {
		s.check(object.Name(), declared.Type())
		return
	}
	if declared.IsAlias() {
		s.check(object.Name(), named)
		return
	}
	for method := range types.NewMethodSet(types.NewPointer(named)).Methods() { // with those of embedded types
		if method.Obj().Exported() {
			s.check(object.Name()+"."+method.Obj().Name(), method.Obj().Type())
		}
	}
	s.members(object.Name(), named.Underlying())
}

// members checks the exported fields of a struct and the methods of an interface. The
// documentation doesn't show fields that are embedded by an unexported name.
func (s *surface) members(of string, t types.Type) {
	switch t := t.(type) {
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() {
				s.check(of+"."+field.Name(), field.Type())
			}
		}
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			if method.Exported() {
				s.check(of+"."+method.Name(), method.Type())
			}
		}
	default:
		s.check(of, t)
	}
}

// foreign reports a type that public declarations may not use.
var foreign = regexp.MustCompile(`(?:` + module + `/(?:\w+/)*internal|github\.com/go-json-experiment)/[\w/]*\.\w+`)

// check reports the types that users can't name, or that may change.
func (s *surface) check(name string, t types.Type) {
	s.t.Helper()
	if bad := foreign.FindString(types.TypeString(t, nil)); bad != "" {
		s.t.Errorf("%s.%s has the type %s, which users can't name; see docs/adr/0018-public-types-over-internal-ones.md", s.of.Name(), name, bad)
	}
}

// TestNoDocumentationIsForTheEngine finds exported declarations whose documentation says
// that they aren't for users.
func TestNoDocumentationIsForTheEngine(t *testing.T) {
	t.Parallel()
	seam := regexp.MustCompile(`(?i)for the engine|have no\s+use for`)
	comments := 0
	for _, folder := range publicPackages(t) {
		files, _ := filepath.Glob(folder + "/*.go")
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			comments += len(parsed.Comments)
			for _, comment := range parsed.Comments {
				if text := strings.Join(strings.Fields(comment.Text()), " "); seam.MatchString(text) {
					t.Errorf("%s: %q is the documentation of a seam; put it into an internal package", file, text)
				}
			}
		}
	}
	if comments < 1000 {
		t.Errorf("the packages have only %d comments", comments)
	}
}
