package project_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/project"
	"github.com/bowline-mcp/bowline/stubs"
)

const root = "../../.."

// files returns the files of a new app by their paths.
func files(t *testing.T, p project.Project) map[string]project.File {
	t.Helper()
	templates, err := stubs.App()
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.Files(templates)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]project.File{}
	for _, file := range list {
		found[file.Path] = file
	}
	return found
}

// The reference app at the root of the repository is an app with an authorization server.
func TestANewAppSharesItsFilesWithTheReferenceApp(t *testing.T) {
	t.Parallel()
	own := []string{"go.mod", ".gitignore", "README.md", "app/mcp/servers/demo_server.go", "routes/ai.go"} // the repository has more tools and routes, and its own documents
	shared := 0
	for path, file := range files(t, project.Project{Name: "demo", Module: project.Framework, Auth: true}) {
		want, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if errors.Is(err, fs.ErrNotExist) || slices.Contains(own, path) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		shared++
		if string(file.Content) != string(want) {
			t.Errorf("stubs/app/%s.stub makes another file than %s:\n%s", path, path, file.Content)
		}
	}
	if shared != 7 {
		t.Errorf("%d files are shared, want 7: main.go, config, the example of the settings, the tool and the tests", shared)
	}
	line := regexp.MustCompile(`(?m)^go .*$`)
	want, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	got := files(t, project.Project{Name: "demo", Module: "demo"})["go.mod"].Content
	if line.FindString(string(got)) != line.FindString(string(want)) {
		t.Errorf("go.mod of a new app has %q, and that of the repository %q", line.Find(got), line.Find(want))
	}
}

func TestAnAppWithoutAuthHasNothingOfIt(t *testing.T) {
	t.Parallel()
	app := files(t, project.Project{Name: "shop", Module: "example.com/shop", Deploy: true})
	for _, path := range []string{"main.go", "config/app.go", "routes/ai.go", "README.md"} {
		if len(app[path].Content) == 0 {
			t.Errorf("the app has no %s", path)
		}
	}
	for path, file := range app {
		if path == ".gitignore" {
			continue // databases of mcp make:crud are in storage too
		}
		if mention := regexp.MustCompile(`(?i)oauth|/private|storage|log in|bowline-mcp/bowline/(app|config|routes)`).Find(file.Content); mention != nil || strings.Contains(path, "oauth") {
			t.Errorf("%s has %q", path, mention)
		}
	}
}

// go build names the program after the module, and overwrites a file of that name.
func TestNoProgramHasTheNameOfAFileOfTheApp(t *testing.T) {
	t.Parallel()
	names := []string{"ca-certificates.crt", "dockerfile", "go.sum", "ROUTES", "storage", "stubs"} // made later, or the same on macOS and Windows
	for path := range files(t, project.Project{Name: "shop", Module: "shop", Auth: true, Deploy: true}) {
		name, _, _ := strings.Cut(path, "/")
		names = append(names, name)
	}
	for _, name := range names {
		for _, module := range []string{name, "example.com/" + name + "/v2"} {
			if err := project.CheckModule(module); !errors.Is(err, project.ErrBadName) {
				t.Errorf("an app may have the module %s: %v", module, err)
			}
		}
	}
}

func TestAnAppHasFilesForContainersAndSystemd(t *testing.T) {
	t.Parallel()
	for module, want := range map[string]struct{ unit, user, image string }{
		"example.com/shop/v2":                             {"deploy/shop.service", "mcp-shop", "shop"},
		"example.com/News.Site_1-of-the-whole-wide-world": {"deploy/News.Site_1-of-the-whole-wide-world.service", "mcp-News-Site_1-of-the-whole-wi", "news.site_1-of-the-whole-wide-world"},
	} {
		app := files(t, project.Project{Name: "shop", Module: module, Deploy: true})
		name := strings.TrimSuffix(strings.TrimPrefix(want.unit, "deploy/"), ".service")
		for path, lines := range map[string][]string{
			want.unit:       {"User=" + want.user, "ExecStart=/usr/local/bin/" + name + " serve", "StateDirectory=" + name, "EnvironmentFile=/etc/" + name + ".env"},
			"Dockerfile":    {"#   docker build -t " + want.image + " .", "COPY " + name + " /usr/local/bin/", "WORKDIR /var/lib/" + name, `ENTRYPOINT ["/usr/local/bin/` + name + `"]`},
			".dockerignore": {"!/" + name},
			".gitignore":    {"/ca-certificates.crt", "/*.env"}, // such as shop.env, the settings for a server
		} {
			for _, line := range lines {
				if !slices.Contains(strings.Split(string(app[path].Content), "\n"), line) {
					t.Errorf("%s of %s lacks the line %s:\n%s", path, module, line, app[path].Content)
				}
			}
		}
	}
	for path, file := range files(t, project.Project{Name: "shop", Module: "shop"}) {
		if path == "Dockerfile" || strings.HasPrefix(path, "deploy/") || strings.Contains(string(file.Content), "ca-certificates") {
			t.Errorf("an app without them has %s:\n%s", path, file.Content)
		}
	}
}

func TestEachAppHasASecretOfItsOwn(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for range 2 {
		env := files(t, project.Project{Name: "my-shop", Module: "shop"})[".env"]
		key := regexp.MustCompile(`(?m)^APP_NAME=My Shop\nAPP_KEY=([0-9a-f]{64})$`).FindSubmatch(env.Content)
		if key == nil || env.Mode != 0o600 {
			t.Fatalf("mode %o:\n%s", env.Mode, env.Content)
		}
		keys[string(key[1])] = true
	}
	if len(keys) != 2 {
		t.Error("two apps have the same secret")
	}
}

func TestAPathWithASpaceIsQuotedInGoMod(t *testing.T) {
	t.Parallel()
	for name, quoted := range map[string]bool{"src": false, "my src": true} {
		folder := filepath.Join(t.TempDir(), name)
		if err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, "go.mod"), nil, 0o600), os.WriteFile(filepath.Join(folder, "go.sum"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		want := "=> " + filepath.ToSlash(folder) + "\n"
		if quoted {
			want = fmt.Sprintf("=> %q\n", filepath.ToSlash(folder))
		}
		p := project.Project{Name: "shop", Module: "shop", Release: project.Release{Version: "v0.0.0", Folder: folder}}
		if got := string(files(t, p)["go.mod"].Content); !strings.HasSuffix(got, want) {
			t.Errorf("go.mod is\n%s", got)
		}
	}
}

func TestAFolderIsWrittenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	good := []project.File{{Path: "main.go", Content: []byte("package main\n"), Mode: 0o644}, {Path: ".env", Content: []byte("A=b\n"), Mode: 0o600}}
	parent := t.TempDir()
	if err := os.Mkdir(filepath.Join(parent, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"shop", "empty"} {
		folder, err := project.Project{Name: name}.Write(parent, good)
		if err != nil || folder != filepath.Join(parent, name) {
			t.Fatalf("%s, %v", folder, err)
		}
		if info, err := os.Stat(filepath.Join(folder, ".env")); err != nil || info.Mode().Perm() != 0o600 && filepath.Separator == '/' {
			t.Errorf("%v, %v", info, err)
		}
	}
	for link, target := range map[string]string{"link": "hollow", "dangling": "none"} {
		if err := os.Symlink(target, filepath.Join(parent, link)); err != nil {
			t.Skipf("links can't be made: %v; on Windows, turn on the developer mode", err)
		}
	}
	if err := os.Mkdir(filepath.Join(parent, "hollow"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what, name, want string
		parent           string
		files            []project.File
	}{
		{"a folder with files", "shop", "shop already exists and is not empty; choose another name, or remove it", parent, good},
		{"a link to an empty folder", "link", "link is a link; choose another name, or remove it", parent, good},
		{"a link to nothing", "dangling", "dangling is a link; choose another name, or remove it", parent, good},
		{"a file", "main.go", "main.go already exists and is not a folder; choose another name, or remove it", filepath.Join(parent, "shop"), good},
		{"a missing parent", "shop", "; name another one with --dir", filepath.Join(parent, "none"), good},
		{"a parent that is a file", "shop", "main.go is not a folder; name one with --dir", filepath.Join(parent, "shop", "main.go"), good},
		{"a name that is too long", strings.Repeat("x", 300), "; choose another name", parent, good},
		{"a file that can't be written", "late", "can't write " + strings.Repeat("y", 300), parent, append(slices.Clone(good), project.File{Path: strings.Repeat("y", 300)})},
		{"a file in place of a folder", "late", "can't write main.go/x.go", parent, append(slices.Clone(good), project.File{Path: "main.go/x.go"})},
	} {
		before := names(t, parent)
		_, err := project.Project{Name: test.name}.Write(test.parent, test.files)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), ".mcp-new") {
			t.Errorf("%s: the error is %v, want … %s", test.what, err, test.want)
		}
		if after := names(t, parent); !slices.Equal(before, after) {
			t.Errorf("%s: the folder has %v, and had %v", test.what, after, before)
		}
	}
}

// names returns the paths of all files and folders.
func names(t *testing.T, folder string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		found = append(found, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
