package framework_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// owners lists the packages that may import an external module. No package may import a
// module that is missing here. Tests may import all dependencies of the module.
var owners = map[string][]string{
	"charm.land/huh/v2":                      {"internal/cli/questions"},
	"github.com/coreos/go-oidc/v3":           {"framework/auth/upstream"},
	"github.com/gertd/go-pluralize":          {"internal/cli/crud"},
	"github.com/go-chi/chi/v5":               {"framework/mcp"},
	"github.com/go-json-experiment/json":     {"internal/json/codec"},
	"github.com/go-playground/validator/v10": {"framework/validation"},
	"github.com/golang-jwt/jwt/v5":           {"framework/auth/jose"},
	"github.com/spf13/cobra":                 {"internal/cli", "internal/cli/generators", "internal/cli/installation", "internal/cli/invocation"},
	"github.com/spf13/pflag":                 {"internal/cli"},
	"github.com/yosida95/uritemplate/v3":     {"framework/resources"},
	"golang.org/x/crypto":                    {"framework/auth/login"},
	"golang.org/x/oauth2":                    {"framework/auth/upstream"},
	"golang.org/x/term":                      {"framework/auth/oauth/internal/admin", "internal/cli/questions"},
	"golang.org/x/sync":                      {"framework/auth", "framework/auth/internal/issuers", "framework/auth/oauth/internal/documents", "internal/cli/dev/relay", "internal/engine/legacy", "internal/engine/throttle"},
	"golang.org/x/time":                      {"internal/engine/throttle"},
	"github.com/go-oauth2/oauth2/v4":         {"framework/auth/oauth/internal/grants"},
	"modernc.org/sqlite":                     {"framework/database/sqlite"},
	"github.com/pelletier/go-toml/v2":        {"internal/cli/aiclients/document"},
	"github.com/tailscale/hujson":            {"internal/cli/aiclients/document"},
	"github.com/jackc/pgx/v5":                {"framework/database/postgres"},
	"github.com/redis/go-redis/v9":           {"framework/database/redis", "framework/auth/oauth/store/redis"},

	"github.com/rogpeppe/go-internal": {"internal/cli/installation", "internal/cli/scaffold"}, // differences, and in tests scripts and transcripts
}

// maxForeign is the maximum number of packages outside the standard library that a
// program links to serve MCP.
const maxForeign = 12

// A source has the imports of one file.
type source struct {
	file    string // from the root of the module
	imports []string
}

func (s source) folder() string { return path.Dir(s.file) }
func (s source) isTest() bool   { return strings.HasSuffix(s.file, "_test.go") }

func TestPackagesImportOnlyWhatTheirGroupMay(t *testing.T) {
	t.Parallel()
	files := sources(t)
	imports := importsOf(files)
	for _, source := range files {
		for _, imported := range source.imports {
			own, ok := inModule(imported)
			if !ok || source.isTest() {
				continue
			}
			if problem := wrong(source.folder(), own); problem != "" {
				t.Errorf("%s: %s", source.file, problem)
			}
		}
	}
	used := func(allowed string, by func(folder string) bool) bool {
		for folder, imported := range imports {
			if by(folder) && slices.ContainsFunc(imported, func(own string) bool { return own == allowed || groupOf(own).name == allowed }) {
				return true
			}
		}
		return false
	}
	for _, g := range groups {
		for _, allowed := range g.may {
			if !used(allowed, func(folder string) bool { return groupOf(folder).name == g.name }) {
				t.Errorf("no package of the group %s imports %s; remove that from framework/groups_test.go", g.name, allowed)
			}
		}
	}
	for _, table := range []map[string][]string{exceptions, only} {
		for folder, may := range table {
			for _, allowed := range may {
				if !used(allowed, func(other string) bool { return other == folder }) {
					t.Errorf("%s doesn't import %s; remove that from framework/groups_test.go", folder, allowed)
				}
			}
			if _, exists := imports[folder]; !exists {
				t.Errorf("the package %s doesn't exist; remove it from framework/groups_test.go", folder)
			}
		}
	}
}

func TestWrongImportsAreFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		folder, imported string
		allowed          bool
	}{
		{"app/mcp/tools", "framework/tools", true},
		{"app/mcp/tools", "framework/mcp", false},
		{"routes", "internal/naming", false},
		{"framework/tools", "framework/schema", true},
		{"framework/tools", "config", false},
		{"framework/tools", "internal/engine/request", true},
		{"framework/tools", "internal/engine/call", false},
		{"framework/tools", "internal/cli/client", false},
		{"framework/content", "framework/schema", false},
		{"framework/mcp", "internal/engine/call", true},
		{"framework/mcp", "framework/auth", false},
		{"framework/mcp/internal/console", "framework/events", true},
		{"framework/auth/oauth", "framework/mcp", true},
		{"framework/auth/login", "framework/mcp", false},
		{"framework/auth/oauth/store/redis", "framework/auth/oauth", false},
		{"framework/auth/oauth/store/redis", "framework/database/redis", true},
		{"framework/store", "internal/limits", true},
		{"framework/store", "internal/engine/resumption", false},
		{"internal/engine/call", "framework/exchange", true},
		{"internal/engine/call", "framework/tools", false},
		{"internal/engine/server", "framework/tools", true},
		{"internal/engine/server", "framework/mcp", false},
		{"internal/engine/call", "internal/engine/call/calltest", false},
		{"internal/engine/call/calltest", "internal/engine/call", true},
		{"internal/engine/call/calltest", "framework/tools", false},
		{"internal/json/codec", "internal/json/jsonrpc", false},
		{"internal/json/jsonrpc", "internal/spec", false},
		{"internal/naming", "internal/json/codec", false},
		{"internal/limits", "internal/naming", false},
		{"internal/cli/dev", "internal/json/codec", true},
		{"internal/cli/dev", "framework/env", false},
		{"config", "framework/mcptest", false},
		{"framework/mcptest", "framework/mcp", true},
		{"examples/crud", "examples/crud/store", true},
		{"examples/crud", "examples/auth", false},
		{"examples/crud", "internal/naming", false},
		{"newfolder", "framework/mcp", false},
	} {
		if problem := wrong(test.folder, test.imported); (problem == "") != test.allowed {
			t.Errorf("%s imports %s: got %q", test.folder, test.imported, problem)
		}
	}
}

func TestTestsOfTheFrameworkDoNotImportTheReferenceApp(t *testing.T) {
	t.Parallel()
	for _, source := range sources(t) {
		if !strings.HasPrefix(source.file, "framework/") {
			continue
		}
		for _, imported := range source.imports {
			if own, ok := inModule(imported); ok && slices.Contains([]string{"app", "command", "examples"}, groupOf(own).name) {
				t.Errorf("%s: the framework, its tests included, may not import %s", source.file, own)
			}
		}
	}
}

func TestEachDependencyHasOneOwner(t *testing.T) {
	t.Parallel()
	for _, source := range sources(t) {
		for _, imported := range source.imports {
			if _, own := inModule(imported); own || !isForeign(imported) {
				continue
			}
			dependency, may := ownersOf(imported)
			switch {
			case dependency == "":
				t.Errorf("%s: %s is a new dependency; it needs an owner in framework/arch_test.go and a line in docs/adr", source.file, imported)
			case !source.isTest() && !slices.Contains(may, source.folder()):
				t.Errorf("%s: only %v may import %s", source.file, may, imported)
			}
		}
	}
}

func TestPackagesDoNotLinkWhatTheyCanDoWithout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		folders []string
		without []string // packages, with those below them
		because string
	}{
		{
			[]string{"internal/engine/protocol", "internal/engine/transport"},
			[]string{module + "/internal/engine/legacy"},
			"transport declares the interface Legacy, which legacy implements",
		},
		{
			[]string{"internal/engine/protocol", "internal/engine/call", "internal/engine/changes"},
			[]string{module + "/internal/engine/legacy", module + "/internal/engine/transport", module + "/internal/engine/server"},
			"a call doesn't know where its message is from, nor what the program's handlers are",
		},
		{
			[]string{"framework/mcp", "framework/servers"},
			[]string{module + "/framework/auth", "github.com/golang-jwt/jwt/v5"},
			"guards fit the interface Guard, so that only programs that use one link it",
		},
		{
			[]string{"framework/auth/oauth", "framework/auth/login"},
			[]string{"github.com/coreos", "golang.org/x/oauth2", "github.com/go-jose"},
			"only programs that import framework/auth/upstream need an OAuth client",
		},
		{
			[]string{"cmd/mcp"},
			[]string{module + "/framework"},
			"the command has to build and work whatever state the framework and the app are in",
		},
		{
			[]string{"framework/auth/authtest"},
			[]string{"testing"},
			"any program can use it; take a TB, as authtest.For does",
		},
	} {
		for _, linked := range dependencies(t, test.folders...) {
			for _, without := range test.without {
				if linked == without || strings.HasPrefix(linked, without+"/") {
					t.Errorf("%q link %s: %s", test.folders, linked, test.because)
				}
			}
		}
	}
}

func TestServingMCPLinksLittle(t *testing.T) {
	t.Parallel()
	var foreign []string
	for _, linked := range dependencies(t, "framework/mcp") {
		if _, own := inModule(linked); !own && isForeign(linked) {
			foreign = append(foreign, linked)
		}
	}
	if len(foreign) == 0 || len(foreign) > maxForeign {
		t.Errorf("framework/mcp links %d packages from outside, at most %d:\n%s", len(foreign), maxForeign, strings.Join(foreign, "\n"))
	}
}

func TestTheMapNamesEveryPackage(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range publicPackages(t) {
		if !strings.Contains(string(doc), "\n//\t"+folder+" ") {
			t.Errorf("framework/doc.go does not say what %s is for", folder)
		}
	}
}

// inModule returns a package of the module by its folder, and whether it is one.
func inModule(imported string) (folder string, ok bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// isForeign reports whether a package isn't in the standard library.
func isForeign(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".")
}

// ownersOf returns the dependency that a package belongs to, and the packages that may
// import it.
func ownersOf(imported string) (dependency string, may []string) {
	for dependency, may := range owners {
		if imported == dependency || strings.HasPrefix(imported, dependency+"/") {
			return dependency, may
		}
	}
	return "", nil
}

// sources returns the imports of every Go file of the module, for every system and
// tests included. Nested modules aren't part of it.
func sources(t *testing.T) []source {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	var found []source
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && skipped(file):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		s := source{file: filepath.ToSlash(name)}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, imported)
		}
		found = append(found, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	own := slices.IndexFunc(found, func(s source) bool { return s.file == "framework/arch_test.go" })
	if len(found) < 500 || own < 0 || !slices.Contains(found[own].imports, "go/parser") {
		t.Fatalf("the walk finds only %d files, or not this one with its imports", len(found))
	}
	return found
}

// importsOf returns what each package of the module imports of it, tests aside.
func importsOf(files []source) graph {
	imports := graph{}
	for _, source := range files {
		if source.isTest() {
			continue
		}
		folder := source.folder()
		imports[folder] = append(imports[folder], nil...) // a package may import nothing
		for _, imported := range source.imports {
			if own, ok := inModule(imported); ok && !slices.Contains(imports[folder], own) {
				imports[folder] = append(imports[folder], own)
			}
		}
	}
	return imports
}

// skipped reports whether a folder contains no packages of the module.
func skipped(folder string) bool {
	name := filepath.Base(folder)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "node_modules" {
		return true
	}
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// dependencies returns all packages that the packages link, themselves included.
func dependencies(t *testing.T, folders ...string) []string {
	t.Helper()
	args := []string{"list", "-deps"}
	for _, folder := range folders {
		args = append(args, module+"/"+folder)
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	linked := strings.Fields(string(out))
	for _, folder := range folders {
		if !slices.Contains(linked, module+"/"+folder) {
			t.Fatalf("go %s does not list %s itself, but %q", strings.Join(args, " "), folder, linked)
		}
	}
	return linked
}
