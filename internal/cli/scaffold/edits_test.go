package scaffold_test

import (
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// edits are edits of one kind: of a file that is the only one of its folder.
type edits struct {
	path    string
	alias   string // the name that is proposed for the package that it uses, if the package's own name has another meaning
	do      func(*scaffold.Sources) error
	edited  []struct{ what, before, after string }
	refused []struct{ what, source, reason string }
}

// edit applies the edit to a file, and returns the file afterwards.
func (e edits) edit(t *testing.T, source string) (string, error) {
	t.Helper()
	app := &scaffold.App{Module: "example.com/demo", Root: tree(t, map[string]string{e.path: source})}
	sources, err := app.Sources(path.Dir(e.path))
	if err == nil {
		err = e.do(sources)
	}
	if err != nil {
		return source, err
	}
	for _, file := range sources.Files() {
		if file.Path != e.path || string(file.Before) != source {
			t.Fatalf("a file is %+v", file)
		}
		source = string(file.Content)
	}
	return source, nil
}

// forms rewrite files of routes: as apps have them whose parameter hides the package mcp, and as
// new apps have them.
var forms = []*strings.Replacer{
	strings.NewReplacer(),
	strings.NewReplacer(
		`fw "github.com/bowline-mcp/bowline/framework/mcp"`, `fw "github.com/bowline-mcp/bowline/framework/mcp"`,
		`"github.com/bowline-mcp/bowline/framework/mcp"`, `bowline "github.com/bowline-mcp/bowline/framework/mcp"`,
		"*mcp.Router", "*bowline.Router", "mcp.Guard", "bowline.Guard"),
}

// testEdited tests the files that are edited, in both forms and with both line endings.
func (e edits) testEdited(t *testing.T) {
	t.Helper()
	for _, test := range e.edited {
		for _, form := range forms {
			for _, ending := range []string{"\n", "\r\n"} {
				before, want := strings.ReplaceAll(form.Replace(test.before), "\n", ending), strings.ReplaceAll(form.Replace(test.after), "\n", ending)
				if got, err := e.edit(t, before); err != nil || got != want {
					t.Errorf("%s, with %q: error %v, got\n%s\nwant\n%s", test.what, ending, err, got, want)
				}
			}
		}
	}
}

// testRefused tests the files that are not edited.
func (e edits) testRefused(t *testing.T) {
	t.Helper()
	for _, test := range e.refused {
		alias := ""
		if strings.HasSuffix(test.reason, "meaning for the name "+strings.TrimPrefix(e.alias, "app")) {
			alias = e.alias
		}
		_, err := e.edit(t, test.source)
		if reason := new(scaffold.RefusedError); !errors.As(err, &reason) || !strings.Contains(reason.Reason, test.reason) || reason.Alias != alias {
			t.Errorf("%s: the error is %#v, want a RefusedError with %q and the alias %q", test.what, err, test.reason, alias)
		}
	}
}
