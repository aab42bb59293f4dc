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

// Named is a Name or a Record, with the values that a stub may use.
type Named interface{ values() map[string]string }

func (n Name) values() map[string]string {
	return map[string]string{"Type": n.Type, "Base": n.Base, "Name": naming.Kebab(n.Base), "Title": naming.Headline(n.Base)}
}

// Render executes the stub called name, such as "tool.stub", and returns formatted Go. It
// prefers the file in the app's own stubs folder to the one in builtin.
func (a *App) Render(builtin fs.FS, name string, named Named) ([]byte, error) {
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
	values := named.values()
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
	// format.Source accepts a part of a file too, and gives positions in another one for it.
	if _, err := parser.ParseFile(token.NewFileSet(), "", out.Bytes(), parser.PackageClauseOnly); err != nil {
		return nil, fmt.Errorf("%s does not make valid Go: %w", own, err)
	}
	source, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s does not make valid Go: %w", own, err)
	}
	return source, nil
}
