// Package crud knows the records for which mcp make:crud writes a store and tools: their names,
// their fields, and what the stubs need of them. It also merges what the stubs make of a new field
// into files that a person has edited.
package crud

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gertd/go-pluralize"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Record is a kind of record that an app keeps in a store, such as posts.
type Record struct {
	// Type is the Go type of a record: BlogPost.
	Type string
	// Plural is the plural of Type: BlogPosts.
	Plural string
	// Fields are the fields without the ID, in the order of their columns.
	Fields []Field
}

// ParseRecord converts an argument, in the singular or the plural, to the name of a type. The
// record has no fields yet. The error wraps scaffold.ErrBadName.
func ParseRecord(input string) (Record, error) {
	bad := func(format string, args ...any) (Record, error) {
		return Record{}, fmt.Errorf("%w %q: %s", scaffold.ErrBadName, input, fmt.Sprintf(format, args...))
	}
	if strings.Trim(input, "-_ ") == "" {
		return bad("say what the app keeps, for example Post")
	}
	name, err := scaffold.ParseName(input, "")
	if err != nil {
		return Record{}, err
	}
	words := strings.Fields(naming.Headline(name.Type))
	first, last := strings.Join(words[:len(words)-1], ""), words[len(words)-1]
	client := pluralize.NewClient()
	singular := client.Singular(last)
	record := Record{Type: first + singular, Plural: first + client.Plural(singular)}
	if record.collides() {
		return bad("the generated code has another meaning for %s or %s; choose another name", record.Type, record.Plural)
	}
	// One of these is the longest of the generated names: "quiz" has the plural "quizzes".
	for _, wire := range []string{"create-" + naming.Kebab(record.Type), "list-" + naming.Kebab(record.Plural)} {
		if len(wire) > limits.MaxModelName {
			return bad("%s has %d characters, and a name may have %d", wire, len(wire), limits.MaxModelName)
		}
	}
	return record, nil
}

// collides reports whether the generated code needs one of the names for something else. The
// type may not be another type of the store's package. The package may not be one that files
// with the store import, or a folder that the go command ignores. The plural is a field of the
// server, so it may not be one of its methods.
func (r Record) collides() bool {
	types := []string{"Fields", "Query", "Results", "Store"}
	packages := []string{"annotations", "errors", "prompts", "resources", "servers", "strings", "testdata", "tools"}
	methods := []string{"Guardrails", "Icons", "Instructions", "Prompts", "Resources", "Tools"}
	return slices.Contains(types, r.Type) || slices.Contains(packages, r.Package()) || slices.Contains(methods, r.Plural)
}

// Package returns the name of the package of the store: blogposts.
func (r Record) Package() string { return strings.ToLower(r.Plural) }

// Variable returns the name of a Go variable: blogPost.
func (r Record) Variable() string { return scaffold.Variable(naming.Kebab(r.Type)) }

// Words returns the plural for people: blog posts.
func (r Record) Words() string { return strings.ReplaceAll(naming.Kebab(r.Plural), "-", " ") }

// Owner returns the field with the owner, or nil.
func (r Record) Owner() *Field {
	for i := range r.Fields {
		if r.Fields[i].Type == owner {
			return &r.Fields[i]
		}
	}
	return nil
}

// Values returns what the stubs in stubs/crud may use; see package stubs.
func (r Record) Values() map[string]any {
	name := naming.Kebab(r.Type)
	given, searched, filtered := r.numbered()
	var label *Field
	if i := slices.IndexFunc(given, func(f Field) bool { return f.IsText() && !f.Optional }); i >= 0 {
		label = &given[i]
	}
	hasTime := slices.ContainsFunc(given, func(f Field) bool { return f.Type == "time" })
	ownerParameter, ownerArgument, ana, ben := "", "", "", ""
	if r.Owner() != nil {
		ownerParameter, ownerArgument = "owner string, ", "owner, "
		ana, ben = r.Package()+"test.Ana, ", r.Package()+"test.Ben, "
	}
	hasOptional := slices.ContainsFunc(given, func(f Field) bool { return f.Optional })
	return map[string]any{
		"Type":        r.Type,
		"Plural":      r.Plural,
		"Package":     r.Package(),
		"Variable":    r.Variable(),
		"Name":        name,
		"Names":       naming.Kebab(r.Plural),
		"Key":         naming.Snake(r.Plural),
		"Word":        strings.ReplaceAll(name, "-", " "),
		"Words":       r.Words(),
		"Directive":   r.Directive(),
		"Fields":      given,
		"Searched":    searched,
		"Filtered":    filtered,
		"Owner":       r.Owner(),
		"Label":       label,
		"HasTime":     hasTime,
		"HasOptional": hasOptional,
		"Next":        len(given) + 1,

		"OwnerParameter": ownerParameter,
		"OwnerArgument":  ownerArgument,
		"Ana":            ana,
		"Ben":            ben,
	}
}

// numbered returns the fields that clients give, those of text that they search, and those by
// which they filter, with the numbers of their parameters.
func (r Record) numbered() (given, searched, filtered []Field) {
	parameter := 3 // of list, after the cursor and the limit
	if r.Owner() != nil {
		parameter++
	}
	for _, field := range r.Fields {
		if field.Type == owner {
			continue
		}
		field.Number = len(given) + 1
		given = append(given, field)
		if field.IsText() {
			searched = append(searched, field)
		}
	}
	for i := range searched {
		searched[i].Number = parameter
	}
	if len(searched) > 0 {
		parameter++
	}
	for _, field := range given {
		if field.Type == "enum" || field.Type == "bool" {
			field.Number = parameter
			parameter++
			filtered = append(filtered, field)
		}
	}
	if len(given) > 0 {
		given[len(given)-1].Last = true
	}
	return given, searched, filtered
}
