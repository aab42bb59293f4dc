package scaffold_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func TestANewFileThatWouldNotCompileBesideTheOthersIsRefused(t *testing.T) {
	t.Parallel()
	app := &scaffold.App{Module: "example.com/demo", Root: tree(t, map[string]string{
		"app/posts/all.go":        "package posts\n\ntype Post struct{}\n\nconst One, ErrNotFound = 1, 2\n\nfunc New() {}\n\nfunc init() {}\n\nfunc (Post) Store() {}\n\nvar _ = 1\n",
		"app/posts/all_test.go":   "package posts_test\n\nfunc TestStores() {}\n",
		"app/posts/ignored.go":    "//go:build ignore\n\npackage main\n\ntype Memory int\n",
		"app/posts/elsewhere.go":  "//go:build plan9 && windows\n\npackage posts\n\ntype Memory int\n",
		"app/posts/unfinished.go": "package posts\n\nfunc Unfinished() {}\n\nfunc (",
	})}
	for source, want := range map[string]string{
		"package posts\n\ntype Post int\n":                             "app/posts/all.go already declares Post; choose another name",
		"package posts\n\nfunc Post() {}\n":                            "already declares Post",
		"package posts\n\nvar ErrNotFound error\n":                     "already declares ErrNotFound",
		"package posts\n\ntype New int\n":                              "already declares New",
		"package posts\n\nconst Unfinished = 1\n":                      "app/posts/unfinished.go already declares Unfinished",
		"package posts_test\n\nfunc TestStores() {}\n":                 "app/posts/all_test.go already declares TestStores",
		"package blog\n":                                               "app/posts/all.go belongs to package posts, but app/posts/new.go would belong to package blog",
		"package posts_test\n\ntype Post int\n":                        "",
		"package posts\n\ntype Memory int\n":                           "",
		"package posts\n\ntype Store int\n":                            "",
		"package posts\n\nfunc init() {}\n\nvar _ = 1\n":               "",
		"package posts\n\ntype Other struct{}\n\nfunc (Other) New()\n": "",
	} {
		err := app.CheckNames([]scaffold.File{{Path: "app/posts/new.go", Content: []byte(source)}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s\nthe error is %v, want %q", source, err, want)
		}
	}
	// A file that is replaced may declare its names again. Two new files may not declare the same.
	again := scaffold.File{Path: "app/posts/all.go", Content: []byte("package posts\n\ntype Post int\n")}
	if err := app.CheckNames([]scaffold.File{again}); err != nil {
		t.Error(err)
	}
	twice := scaffold.File{Path: "app/posts/twice.go", Content: again.Content}
	if err := app.CheckNames([]scaffold.File{again, twice}); err == nil || err.Error() != "app/posts/all.go already declares Post; choose another name" {
		t.Errorf("two new files: the error is %v", err)
	}
}
