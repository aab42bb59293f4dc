package request

import "reflect"

// Types are the Go types of a tool that embeds tools.Typed.
type Types interface {
	Arguments() reflect.Type
	Result() reflect.Type
	Base() reflect.Type   // tools.Typed with these types
	Method() reflect.Type // an interface that has only the method Call

	// Handler returns what runs the calls of a tool, for [Subject.Typed]. It returns nil if
	// the tool has no method Call of these types.
	Handler(tool any) any
}

// A Signature is embedded by tools.Typed, so that the engine sees its types.
type Signature[T Types] struct{}

// typed is implemented by tools that embed tools.Typed. The method isn't exported, so that
// users don't see it.
type typed interface{ types() Types }

func (Signature[T]) types() Types {
	var types T
	return types
}

// TypesOf returns the types of a tool, or nil if it doesn't embed tools.Typed.
func TypesOf(tool any) Types {
	if tool, ok := tool.(typed); ok {
		return tool.types()
	}
	return nil
}

// HasTypes reports whether the tools of a Go type embed tools.Typed.
func HasTypes(t reflect.Type) bool { return t.Implements(reflect.TypeFor[typed]()) }
