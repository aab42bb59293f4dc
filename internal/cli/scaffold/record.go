package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gertd/go-pluralize"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Record names a kind of record that an app keeps in a store, such as posts.
type Record struct {
	// Type is the Go type of a record: BlogPost.
	Type string
	// Plural is the plural of Type: BlogPosts.
	Plural string
}

// ParseRecord converts an argument, in the singular or the plural, to the name of a type. The
// error wraps ErrBadName.
func ParseRecord(input string) (Record, error) {
	bad := func(format string, args ...any) (Record, error) {
		return Record{}, fmt.Errorf("%w %q: %s", ErrBadName, input, fmt.Sprintf(format, args...))
	}
	if strings.Trim(input, "-_ ") == "" {
		return bad("say what the app keeps, for example Post")
	}
	name, err := ParseName(input, "")
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
	types := []string{"Memory", "Store"}
	packages := []string{"annotations", "errors", "maps", "prompts", "resources", "servers", "slices", "testdata", "tools"}
	methods := []string{"Guardrails", "Icons", "Instructions", "Prompts", "Resources", "Tools"}
	return slices.Contains(types, r.Type) || slices.Contains(packages, r.Package()) || slices.Contains(methods, r.Plural)
}

// Package returns the name of the package of the store: blogposts.
func (r Record) Package() string { return strings.ToLower(r.Plural) }

// Words returns the plural for people: blog posts.
func (r Record) Words() string { return strings.ReplaceAll(naming.Kebab(r.Plural), "-", " ") }

func (r Record) values() map[string]string {
	name := naming.Kebab(r.Type)
	return map[string]string{
		"Type":     r.Type,
		"Plural":   r.Plural,
		"Package":  r.Package(),
		"Variable": Variable(name),
		"Name":     name,
		"Names":    naming.Kebab(r.Plural),
		"Key":      naming.Snake(r.Plural),
		"Word":     strings.ReplaceAll(name, "-", " "),
		"Words":    r.Words(),
	}
}
