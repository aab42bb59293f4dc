package project_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/project"
)

func TestANameIsThatOfAFolder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shop", "my-shop", "my_shop", "Shop2", "7shop", "shop.example", "math"} {
		if err := project.CheckName(name); err != nil {
			t.Errorf("%v", err)
		}
	}
	for name, want := range map[string]string{
		"":           `bad name "" for an app: give it a name, such as shop`,
		".":          "it is the name of a new folder, not a path; to create the folder elsewhere, add --dir",
		"..":         "not a path",
		"../shop":    "not a path",
		"a/b":        "not a path",
		`a\b`:        "not a path",
		"/shop":      "not a path",
		".shop":      "it has to begin with a letter or a digit",
		"-shop":      "it has to begin with a letter or a digit",
		"_shop":      "it has to begin with a letter or a digit",
		"shop.":      "it must not end with a dot",
		"my shop":    `' ' can't be part of it; use letters from A to Z, digits, -, _ and .`,
		"café":       `'é' can't be part of it`,
		"shop\n":     `'\n' can't be part of it`,
		"con":        "con is the name of a device on Windows",
		"NUL.backup": "nul is the name of a device on Windows",
	} {
		if err := project.CheckName(name); !errors.Is(err, project.ErrBadName) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error is %v, want … %s", name, err, want)
		}
	}
}

func TestAModuleHasAPathThatGoAccepts(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"shop", "example.com/shop", "example.com/a/b_c/v2", "example.com/math", "mathematics"} {
		if err := project.CheckModule(path); err != nil {
			t.Errorf("%v", err)
		}
	}
	for path, want := range map[string]string{
		"":                         `bad name "" for a module: it needs a path without empty parts, such as example.com/shop`,
		"/shop":                    "without empty parts",
		"example.com//shop":        "without empty parts",
		"example.com/shop/":        "without empty parts",
		"../shop":                  `in ".." it has to begin with a letter or a digit`,
		"example.com/my shop":      `in "my shop" ' ' can't be part of it`,
		"https://example.com":      `in "https:" ':' can't be part of it`,
		"example.com/con":          "a device on Windows",
		"routes":                   `go build would name the program "routes", which is a folder of the app; choose another path, such as example.com/my-routes`,
		"example.com/app/v2":       `go build would name the program "app"`,
		"Dockerfile":               `go build would name the program "Dockerfile", which is a file of the app; choose another path, such as example.com/my-Dockerfile`,
		"example.com/README.md":    `go build would name the program "README.md"`,
		"math":                     `Go reserves paths that begin with "math"; choose another, such as --module example.com/math`,
		"net/shop":                 `Go reserves paths that begin with "net"; choose another, such as --module example.com/net/shop`,
		project.Framework:          "it is the path of the framework; choose your own",
		project.Framework + "/app": "it is the path of the framework; choose your own",
	} {
		if err := project.CheckModule(path); !errors.Is(err, project.ErrBadName) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error is %v, want … %s", path, err, want)
		}
	}
}

func TestThePackagesOfGoAreReserved(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for path := range strings.FieldsSeq(string(out)) {
		first, _, _ := strings.Cut(path, "/")
		names = append(names, first)
	}
	if names = slices.Compact(names); len(names) < 30 {
		t.Fatalf("go list std lists only %q", names)
	}
	for _, name := range append(names, "cmd", "main", "all", "std") {
		if project.CheckModule(name) == nil {
			t.Errorf("a module may have the path %s", name)
		}
	}
}
