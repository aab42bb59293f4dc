package scaffold

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Declared is a tool, resource, prompt or server type in the source of an app.
type Declared struct {
	// Path is the path of its file, relative to the app's root, with slashes.
	Path string
	// Kind is tool, resource, prompt or server.
	Kind string
	// Type is the Go type with its package, such as tools.EchoTool.
	Type string

	key      string   // the folder and the name
	embeds   []string // the keys of the app's types that it embeds
	generic  bool     // whether it has type parameters
	receiver string   // the type as the receiver of a method
}

// Argument returns the declaration as an argument of the app's command list, which reports
// it if the app doesn't serve it.
func (d Declared) Argument() string { return d.Path + ":" + d.Kind + ":" + d.Type }

// bases maps the types that tools, resources, prompts and servers embed to the kind of
// the embedding type.
var bases = map[string]string{ //nolint:gochecknoglobals // never changes
	framework + "/tools.Tool": "tool", framework + "/tools.Typed": "tool", framework + "/resources.Resource": "resource", framework + "/prompts.Prompt": "prompt",
	framework + "/servers.Server": "server",
}

const framework = "github.com/bowline-mcp/bowline/framework"

// GeneratedFile is the name of the file that mcp generate writes. The app need not serve all of its
// types: what a server lists by itself replaces them.
const GeneratedFile = "mcp_gen.go"

// Declared returns the types in app/mcp that embed a base such as tools.Tool, directly or
// through another type of the app. It omits types that others embed, generic types, tests, and
// files that the go command ignores on this system. It uses the valid parts of files with syntax
// errors.
func (a *App) Declared() []Declared {
	return slices.DeleteFunc(a.allDeclared(), func(d Declared) bool { return d.generic })
}

// allDeclared returns what Declared does, and generic types.
func (a *App) allDeclared() []Declared {
	var all []Declared
	packages := newPackages(a)
	_ = filepath.WalkDir(filepath.Join(a.Root, "app", "mcp"), func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
			entry.Name() != GeneratedFile && compiles(filepath.Dir(name), entry.Name()) {
			all = append(all, a.declaredIn(packages, name)...)
		}
		return nil // an unreadable folder has no declarations
	})
	for changed := true; changed; { // kinds pass from embedded types to those that embed them
		changed = false
		for i := range all {
			for _, other := range all {
				if all[i].Kind == "" && other.Kind != "" && slices.Contains(all[i].embeds, other.key) {
					all[i].Kind, changed = other.Kind, true
				}
			}
		}
	}
	found := slices.DeleteFunc(slices.Clone(all), func(d Declared) bool {
		return d.Kind == "" || slices.ContainsFunc(all, func(other Declared) bool { return slices.Contains(other.embeds, d.key) })
	})
	slices.SortFunc(found, func(a, b Declared) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Type, b.Type)) })
	return found
}

// declaredIn returns the struct types of a file.
func (a *App) declaredIn(packages *packages, name string) (found []Declared) {
	file := parse(name, nil, parser.SkipObjectResolution)
	relative, err := filepath.Rel(a.Root, name)
	if file == nil || err != nil {
		return nil
	}
	relative = filepath.ToSlash(relative)
	imports := map[string]string{}
	for _, spec := range file.Imports {
		imported, name := packages.imported(spec)
		imports[name] = imported
	}
	for _, declared := range file.Decls {
		types, ok := declared.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		for _, spec := range types.Specs {
			named, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			if structure, ok := named.Type.(*ast.StructType); ok {
				one := Declared{
					Path: relative, Type: file.Name.Name + "." + named.Name.Name, key: path.Dir(relative) + "." + named.Name.Name,
					generic: named.TypeParams != nil, receiver: receiver(named.Name.Name, named),
				}
				a.embed(&one, structure, imports)
				found = append(found, one)
			}
		}
	}
	return found
}

// embed sets what a struct type embeds.
func (a *App) embed(one *Declared, structure *ast.StructType, imports map[string]string) {
	for _, field := range structure.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		switch embedded := namedType(field.Type).(type) {
		case *ast.Ident:
			one.embeds = append(one.embeds, path.Dir(one.Path)+"."+embedded.Name)
		case *ast.SelectorExpr:
			from, ok := embedded.X.(*ast.Ident)
			if !ok {
				continue
			}
			imported := imports[from.Name]
			if kind := bases[imported+"."+embedded.Sel.Name]; kind != "" {
				one.Kind = kind
			} else if folder, own := strings.CutPrefix(imported, a.Module+"/"); own {
				one.embeds = append(one.embeds, folder+"."+embedded.Sel.Name)
			}
		}
	}
}
