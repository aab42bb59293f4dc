package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// Named is what a stub is rendered for, such as a Name. Its values are those that the stub may use.
type Named interface{ Values() map[string]any }

// Values returns what the stub of a type may use.
func (n Name) Values() map[string]any {
	return map[string]any{"Type": n.Type, "Base": n.Base, "Name": naming.Kebab(n.Base), "Title": naming.Headline(n.Base)}
}

// Render executes the stub called name, such as "tool.stub", and returns formatted Go. It
// prefers the file in the app's own stubs folder to the one in builtin.
func (a *App) Render(builtin fs.FS, name string, named Named) ([]byte, error) {
	text, err := a.RenderText(builtin, name, named)
	if err != nil {
		return nil, err
	}
	// format.Source accepts a part of a file too, and gives positions in another one for it.
	if _, err := parser.ParseFile(token.NewFileSet(), "", text, parser.PackageClauseOnly); err != nil {
		return nil, fmt.Errorf("stubs/%s does not make valid Go: %w", name, err)
	}
	source, err := format.Source(text)
	if err != nil {
		return nil, fmt.Errorf("stubs/%s does not make valid Go: %w", name, err)
	}
	return source, nil
}

// RenderText executes a stub as Render does, for a file that isn't Go.
func (a *App) RenderText(builtin fs.FS, name string, named Named) ([]byte, error) {
	own := "stubs/" + name
	text, err := os.ReadFile(filepath.Join(a.Root, filepath.FromSlash(own)))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = fs.ReadFile(builtin, name)
	} else if err != nil {
		err = a.readFailure(own, path.Dir(own), err)
	}
	if err != nil {
		return nil, err
	}
	values := named.Values()
	values["Module"] = a.Module
	parsed, err := template.New(own).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("parse stub: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, values); err != nil {
		known := strings.Join(slices.Sorted(maps.Keys(values)), ", .")
		return nil, fmt.Errorf("fill stub (it may use .%s): %w", known, err)
	}
	return out.Bytes(), nil
}
