package directives

import (
	"cmp"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// servers returns the names of the app's servers, without their suffix, if a directive names one.
func (r *reader) servers(all []*declaration) (names []string) {
	for _, declared := range all {
		if _, given := declared.Options.Get("server"); given {
			for _, server := range r.app.Servers() {
				names = append(names, strings.TrimSuffix(server.Type, "Server"))
			}
			return names
		}
	}
	return nil
}

// A set has the features of one server, or those of directives without the option server.
type set struct {
	server       string // without its suffix; "" for any
	typeName     string
	features     []*feature
	dependencies []*dependency
}

// A dependency is a value of the app that has methods with directives, or is itself listed.
type dependency struct {
	field string // of the features
	of    typeRef
	pkg   *goPackage
}

// sets sorts features by the servers of their directives, and names what they depend on.
func (r *reader) sets(features []*feature, servers []string) (sets []*set) {
	byServer := map[string]*set{}
	for _, f := range features {
		server := strings.TrimSuffix(naming.Studly(f.Options.Value("server")), "Server")
		if server != "" && len(servers) > 0 && !slices.Contains(servers, server) {
			r.mistakes.Add(f.At, nearest(server, servers), "the app has no server %s", f.Options.Value("server"))
			continue
		}
		of := byServer[server]
		if of == nil {
			of = &set{server: server, typeName: server + "Features"}
			byServer[server] = of
			sets = append(sets, of)
		}
		of.features = append(of.features, f)
	}
	if len(sets) == 0 {
		sets = append(sets, &set{typeName: "Features"})
	}
	slices.SortFunc(sets, func(a, b *set) int { return cmp.Compare(a.server, b.server) })
	for _, set := range sets {
		set.depend()
	}
	return sets
}

// depend gives each value that features need a field.
func (s *set) depend() {
	byType := map[string]*dependency{}
	for _, f := range s.features {
		if f.needs == nil {
			continue
		}
		_, name, _ := f.needs.of.named()
		key := f.needs.pkg.path + "." + name
		if known := byType[key]; known != nil {
			f.needs = known
			continue
		}
		f.needs.field = s.freeField(f.needs.pkg, name)
		byType[key] = f.needs
		s.dependencies = append(s.dependencies, f.needs)
	}
}

// freeField returns the name of a field that neither another field nor a method has.
func (s *set) freeField(pkg *goPackage, name string) string {
	taken := []string{"Tools", "Resources", "Prompts"}
	for _, other := range s.dependencies {
		taken = append(taken, other.field)
	}
	name = strings.ToUpper(name[:1]) + name[1:]
	for number := 1; slices.Contains(taken, name); number++ {
		if name = naming.Studly(pkg.name) + name; number > 1 {
			name = fmt.Sprint(name, number)
		}
	}
	return name
}

// duplicates reports features of one set that have the same name or URI.
func duplicates(sets []*set, mistakes *directive.Mistakes) {
	for _, set := range sets {
		known := map[string]*feature{}
		for _, f := range set.features {
			key, what, fix := f.name, "name", "give one of them another name=…"
			if f.Kind.HasURI() {
				key, what, fix = naming.NormalizeURI(f.URI), "URI", "change the URI of one of them"
			}
			if f.Kind == directive.Template {
				key = anyVariable.ReplaceAllString(f.URI, "{$1}")
			}
			if key == "" {
				continue
			}
			key = string(f.Kind) + " " + key
			if other := known[key]; other != nil {
				mistakes.Add(f.At, fix, "the %s of %s at %s:%d has the same %s", f.Kind, other.ident(), other.At.Filename, other.At.Line, what)
				continue
			}
			known[key] = f
		}
	}
}

// anyVariable matches the variables of a template whose names aren't part of a URI.
var anyVariable = regexp.MustCompile(`\{([+#./]?)[^}?&;]*\}`)

// public describes a set.
func (s *set) public(r *reader) Features {
	described := Features{Type: s.typeName, Size: len(s.features), IsUsed: r.registered[s.typeName]}
	if s.server != "" {
		described.Server = s.server + "Server"
	}
	for _, dependency := range s.dependencies {
		_, name, _ := dependency.of.named()
		described.Fields = append(described.Fields, fmt.Sprintf("%s *%s.%s", dependency.field, dependency.pkg.name, name))
	}
	return described
}

// need notes the value whose methods a feature needs, unless any value of the type will do.
func (r *reader) need(f *feature) {
	name := f.receiver
	if f.spec != nil {
		name = f.spec.Name.Name
	}
	of := typeRef{ast.NewIdent(name), f.file}
	if name != "" && !r.isStateless(of, 0) {
		f.needs = &dependency{of: of, pkg: f.file.pkg}
	}
}
