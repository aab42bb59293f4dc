package protocol

import (
	"context"
	"fmt"
	"slices"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// A Resource is a resource with a fixed URI, its key.
type Resource struct {
	Item
	Read func(call *Call, uri string) (result []byte, fault *Fault)
}

// A Template is a set of resources whose URIs it matches. Its key is the template.
type Template struct {
	Item
	Match    func(uri string) (variables map[string]string, ok bool)
	Shape    string // two of one shape match the same URIs
	Literals int    // characters outside of variables: the more, the earlier it is tried
	Read     func(call *Call, uri string, variables map[string]string) (result []byte, fault *Fault)
	Complete *Completer // nil if nothing completes
}

// codeResourceNotFound is what versions before 2026-07-28 know.
const codeResourceNotFound = -32002

// ResourceNotFound is the fault for a URI that leads nowhere.
func ResourceNotFound(uri string, v Version) *Fault {
	fault := &Fault{Code: jsonrpc.InvalidParams, Message: fmt.Sprintf("Resource not found: %.200s", uri)}
	if !v.Modern() {
		fault.Code = codeResourceNotFound
	}
	fault.Data = append(codec.AppendQuote([]byte(`{"uri":`), uri), '}')
	return fault
}

// readResource answers resources/read.
func (c *Core) readResource(call *Call, r *Registry) {
	text, ok := jsonrpc.Text(call.Message().URI)
	if !ok {
		call.fail(invalidParams("Invalid params: the member \"uri\" must be the URI of a resource"))
		return
	}
	uri := string(text)
	read, item := r.reader(call.parent, uri)
	if read == nil {
		call.fail(ResourceNotFound(uri, call.peer.Version))
		return
	}
	call.key = item.Key
	call.allow(item.Timeout)
	c.answerRound(call, true, func() ([]byte, *Fault) { return read(call) })
}

// reader returns what reads a URI, with what it belongs to: a resource of that URI, else
// the most literal template that matches. It is nil if that isn't there for the caller:
// what is hidden isn't looked for behind a wider template.
func (r *Registry) reader(ctx context.Context, uri string) (func(*Call) ([]byte, *Fault), *Item) {
	if resource, ok := r.resources.byKey[uri]; ok {
		if !resource.visible(ctx) {
			return nil, nil
		}
		return func(call *Call) ([]byte, *Fault) { return resource.Read(call, uri) }, &resource.Item
	}
	template, variables := r.match(uri)
	if template == nil || !template.visible(ctx) {
		return nil, nil
	}
	return func(call *Call) ([]byte, *Fault) { return template.Read(call, uri, variables) }, &template.Item
}

// match returns the most literal template that matches a URI, and its variables.
func (r *Registry) match(uri string) (*Template, map[string]string) {
	for _, template := range r.literalFirst {
		if variables, ok := template.Match(uri); ok {
			return template, variables
		}
	}
	return nil, nil
}

// sortTemplates puts the templates in the order in which they are tried.
func (r *Registry) sortTemplates() {
	r.literalFirst = slices.Clone(r.templates.items)
	slices.SortStableFunc(r.literalFirst, func(a, b *Template) int { return b.Literals - a.Literals })
}

// readable reports whether a URI is one that the caller may read.
func (r *Registry) readable(ctx context.Context, uri string) bool {
	read, _ := r.reader(ctx, uri)
	return read != nil
}

// exists reports whether a URI leads somewhere, for some callers at least.
func (r *Registry) exists(uri string) bool {
	if _, ok := r.resources.byKey[uri]; ok {
		return true
	}
	template, _ := r.match(uri)
	return template != nil
}
