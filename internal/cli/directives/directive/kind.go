package directive

import (
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Kind is what a directive registers.
type Kind string

// The kinds.
const (
	Tool     Kind = "tool"
	Resource Kind = "resource"
	Template Kind = "template"
	Prompt   Kind = "prompt"
)

func kinds() []string {
	return []string{string(Tool), string(Resource), string(Template), string(Prompt)}
}

// HasURI reports whether a URI follows the kind.
func (k Kind) HasURI() bool { return k == Resource || k == Template }

// SampleURI returns a URI for messages.
func (k Kind) SampleURI() string {
	if k == Template {
		return "users://{id}"
	}
	return "docs://handbook"
}

// Folder returns the package of the framework that has the kind.
func (k Kind) Folder() string {
	if k == Template {
		return "resources"
	}
	return string(k) + "s"
}

// Base returns the type of the framework that types of the kind embed.
func (k Kind) Base() string {
	if k == Template {
		return "Resource"
	}
	return naming.Studly(string(k))
}

// Cut returns the name of a type without the kind at its end.
func (k Kind) Cut(name string) string {
	for _, suffix := range []string{naming.Studly(string(k)), k.Base()} {
		if base := strings.TrimSuffix(name, suffix); base != "" && base != name {
			return base
		}
	}
	return name
}
