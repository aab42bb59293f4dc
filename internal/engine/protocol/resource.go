package protocol

import (
	"context"
	"maps"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Resource is a resource with a fixed URI. Its key is the normalized URI.
type Resource struct{ Item }

// A Template is the set of resources whose URIs it matches. Its key is the template's text.
type Template struct {
	Item
	Match    func(uri string) (variables map[string]string, ok bool)
	Shape    string          // templates of the same shape match the same URIs
	Literals int             // characters outside of variables; templates with more are tried first
	Complete *call.Operation // nil without completion
}

// A reading is the operation that reads a URI.
type reading struct {
	operation *call.Operation // nil if there is none
	variables map[string]string
}

// read returns the operation that reads a URI: the resource with this URI has it, or else the
// most literal template that matches. There is none if the client may not see that resource or
// template: a wider template doesn't read the URI of a hidden resource, in any spelling.
func (s *snapshot) read(ctx context.Context, uri string) reading {
	resource, template, variables := s.find(uri)
	if resource != nil {
		if !resource.visible(ctx) {
			return reading{}
		}
		return reading{resource.Operation, nil}
	}
	if template == nil || !template.visible(ctx) {
		return reading{}
	}
	return reading{template.Operation, variables}
}

// find returns the resource with a URI, or else the most literal template that matches the
// URI, and its variables. It looks again if the template matches a URI of another resource
// or template with variables that a handler may take for the same, such as the path
// a%2Fb or a//b for a/b.
func (s *snapshot) find(uri string) (*Resource, *Template, map[string]string) {
	uri = naming.NormalizeURI(uri)
	if resource, ok := s.resources.byKey[uri]; ok {
		return resource, nil, nil
	}
	template, variables := s.match(uri)
	if template == nil {
		return nil, nil, nil
	}
	plain := naming.PlainURI(uri)
	for _, resource := range s.byPlainURI[plain] {
		if template.finds(variables, resource.Key) {
			return resource, nil, nil
		}
	}
	if plain != uri && template.finds(variables, plain) {
		if other, values := s.match(plain); other != template {
			return nil, other, values
		}
	}
	return nil, template, variables
}

// finds reports whether the template finds the same variables in a URI, apart from their
// spelling as paths.
func (t *Template) finds(variables map[string]string, uri string) bool {
	others, ok := t.Match(uri)
	return ok && maps.EqualFunc(variables, others, func(a, b string) bool { return naming.PlainPath(a) == naming.PlainPath(b) })
}

// match returns the most literal template that matches a URI, and its variables.
func (s *snapshot) match(uri string) (*Template, map[string]string) {
	for _, template := range s.literalFirst {
		if variables, ok := template.Match(uri); ok {
			return template, variables
		}
	}
	return nil, nil
}

// templateOf returns the template to which a ref refers, by its text or by a URI that it
// matches. It returns nil for a fixed resource.
func (s *snapshot) templateOf(ctx context.Context, uri string) *Template {
	template, ok := s.templates.byKey[uri]
	if !ok {
		_, template, _ = s.find(uri)
	}
	if template == nil || !template.visible(ctx) {
		return nil
	}
	return template
}

// readable reports whether the client may read a URI.
func (s *snapshot) readable(ctx context.Context, uri string) bool {
	return s.read(ctx, uri).operation != nil
}

// exists reports whether a resource or a template has the URI, visible or not.
func (s *snapshot) exists(uri string) bool {
	resource, template, _ := s.find(uri)
	return resource != nil || template != nil
}
