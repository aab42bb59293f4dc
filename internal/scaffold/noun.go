package scaffold

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/gertd/go-pluralize"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Noun names what an app keeps in a store, such as posts.
type Noun struct {
	// Type is the Go type of one: BlogPost.
	Type string
	// Plural is the plural of Type: BlogPosts.
	Plural string
}

// ParseNoun converts an argument, in the singular or the plural, to the name of a type. The
// error wraps ErrBadName.
func ParseNoun(input string) (Noun, error) {
	bad := func(format string, args ...any) (Noun, error) {
		return Noun{}, fmt.Errorf("%w %q: %s", ErrBadName, input, fmt.Sprintf(format, args...))
	}
	// The longest name that is made of it has to be a name of a tool.
	name, err := ParseName(input, "")
	if name.Type == "" && err == nil || strings.Trim(input, "-_ ") == "" {
		return bad("say what the app keeps, for example Post")
	}
	if err == nil {
		_, err = ParseName("Update"+name.Type, "Tool")
	}
	if err != nil {
		return Noun{}, err
	}
	words := strings.Fields(naming.Headline(name.Type))
	first, last := strings.Join(words[:len(words)-1], ""), words[len(words)-1]
	client := pluralize.NewClient()
	singular := client.Singular(last)
	noun := Noun{Type: first + singular, Plural: first + client.Plural(singular)}
	if slices.Contains(reserved(), noun.Type) || slices.Contains(reserved(), noun.Plural) || token.IsKeyword(noun.Package()) {
		return bad("the generated code has another meaning for %s or %s; choose another name", noun.Type, noun.Plural)
	}
	return noun, nil
}

// reserved returns nouns that would collide in the generated code: with the packages that
// it imports, its other types, the methods of a server, and a folder that go ignores.
func reserved() []string {
	return []string{
		"Annotations", "Errors", "Maps", "Prompts", "Resources", "Servers", "Slices", "Tools",
		"Memory", "Store", "Guardrails", "Icons", "Instructions", "Testdata", "Vendor",
	}
}

// Package returns the name of the package of the store: blogposts.
func (n Noun) Package() string { return strings.ToLower(n.Plural) }

func (n Noun) values() map[string]string {
	return map[string]string{
		"Type":    n.Type,
		"Plural":  n.Plural,
		"Package": n.Package(),
		"Name":    naming.Kebab(n.Type),
		"Names":   naming.Kebab(n.Plural),
		"Key":     naming.Snake(n.Plural),
		"Word":    strings.ReplaceAll(naming.Kebab(n.Type), "-", " "),
		"Words":   strings.ReplaceAll(naming.Kebab(n.Plural), "-", " "),
	}
}
