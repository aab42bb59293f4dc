package naming

import (
	"cmp"
	"strings"
)

// A Kind is a kind of thing that clients call by a name. Its value is the last word of the
// names of its types: EchoTool.
type Kind string

// The kinds.
const (
	Tool     Kind = "Tool"
	Resource Kind = "Resource"
	Prompt   Kind = "Prompt"
	Server   Kind = "Server"
)

// A Thing is a tool, resource, prompt or server.
type Thing interface {
	Name() string
	Title() string
}

// NameOf returns thing.Name(), or a name made of its type if that is empty: "echo" for the
// tool EchoTool.
func (k Kind) NameOf(thing interface{ Name() string }) string {
	if name := thing.Name(); name != "" {
		return name
	}
	return k.wireName(TypeName(thing))
}

// TitleOf returns thing.Title(), or a title made of its name or its type if that is empty:
// "Echo" for the tool EchoTool.
func (k Kind) TitleOf(thing Thing) string {
	return cmp.Or(thing.Title(), Headline(cmp.Or(thing.Name(), k.cut(TypeName(thing)))))
}

// wireName keeps the kind if nothing that a name may have is before it.
func (k Kind) wireName(typeName string) string {
	return cmp.Or(Kebab(k.cut(typeName)), Kebab(typeName))
}

// cut returns the name of a type without its last word, if that is the kind and not the only
// word.
func (k Kind) cut(typeName string) string {
	list := words(typeName)
	if last := len(list) - 1; last < 1 || list[last] != string(k) {
		return typeName
	}
	return strings.TrimSuffix(typeName, string(k))
}
