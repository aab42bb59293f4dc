// Package document indexes the subschemas of a raw JSON Schema, and resolves the references
// between them.
package document

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// A Document is a raw schema, with an index of its subschemas and of those of the documents
// to which it refers.
type Document struct {
	Order    []*Location // the locations, in the order of the walk
	Problems []*Problem
	TooMany  bool // whether it has more subschemas than it may have

	remotes   map[string][]byte
	at        map[string]*Location // by JSON Pointer; for remote documents by URI, # and JSON Pointer
	resources map[string]*Resource // by URI, without fragment
}

// A Resource is a part of a document with its own URI: the root, or a subschema with an $id.
type Resource struct {
	Root    *Location
	Dynamic map[string]*Location // the anchors defined by $dynamicAnchor

	base    *url.URL
	anchors map[string]*Location
}

// A Location is one subschema in a document.
type Location struct {
	Pointer  string
	Raw      []byte
	Resource *Resource
	Keywords map[string][]byte // empty for true and false
	Children []Child

	depth int
}

// A Child is a subschema of a location.
type Child struct {
	Keyword  string
	Name     string // of the property, or the index in a list; empty if the keyword has a single schema
	Location *Location
}

// A Problem is one mistake in a schema. Path is the JSON Pointer of the subschema, and Fix
// says how to correct it.
type Problem struct{ Path, Problem, Fix string }

// Error returns all fields in one line.
func (p *Problem) Error() string {
	where := naming.Printable(p.Path)
	if where == "" {
		where = "the root of the schema"
	}
	return where + ": " + p.Problem + "; " + p.Fix
}

// New returns a document without a schema. References may lead to the remote documents, by URI.
func New(remotes map[string][]byte) *Document {
	return &Document{remotes: remotes, at: map[string]*Location{}, resources: map[string]*Resource{}}
}

// Report adds a problem, once.
func (d *Document) Report(at, problem, fix string) {
	p := &Problem{at, problem, fix}
	if !slices.ContainsFunc(d.Problems, func(known *Problem) bool { return *known == *p }) { // a location may have several rules
		d.Problems = append(d.Problems, p)
	}
}

// Load indexes the subschemas of a document in compact JSON. The URI is empty for the schema
// itself. It returns nil if the document is nested too deeply.
func (d *Document) Load(uri string, raw []byte) *Resource {
	pointer, base := "", &url.URL{}
	if uri != "" {
		pointer = uri + "#"
		base, _ = url.Parse(uri) // can't fail: uri was formatted from a URL
	}
	if rawjson.Nesting(raw) > rawjson.MaxNesting {
		d.Report(pointer, fmt.Sprintf("the schema nests JSON more than %d levels deep", rawjson.MaxNesting), "make it flatter")
		return nil
	}
	root := d.location(pointer, raw, &Resource{base: base, anchors: map[string]*Location{}, Dynamic: map[string]*Location{}}, 0)
	d.resources[uri] = root.Resource
	return root.Resource
}

// location indexes one subschema and those inside it.
func (d *Document) location(pointer string, raw []byte, within *Resource, depth int) *Location {
	l := &Location{Pointer: pointer, Raw: raw, Resource: within, Keywords: map[string][]byte{}, depth: depth}
	if within.Root == nil {
		within.Root = l
	}
	d.at[pointer] = l
	d.Order = append(d.Order, l)
	if len(d.at) > limits.MaxSubschemas && !d.TooMany {
		d.TooMany = true
		d.Report("", fmt.Sprintf("the schema has more than %d subschemas", limits.MaxSubschemas), "split the tool or simplify its schema")
	}
	switch {
	case d.TooMany:
		return l
	case depth > limits.MaxSchemaDepth:
		d.Report(pointer, fmt.Sprintf("subschemas are nested more than %d levels deep", limits.MaxSchemaDepth), "make the schema flatter, or use $defs and $ref")
		return l
	case string(raw) == "true" || string(raw) == "false":
		return l
	case raw[0] != '{':
		d.Report(pointer, "a schema can't be "+KindOf(raw[0]), "write an object, true or false")
		return l
	}
	for keyword, value := range rawjson.Members(raw) {
		l.Keywords[keyword] = value
	}
	d.identify(l)
	d.refuseOlder(l)
	for keyword, value := range rawjson.Members(raw) {
		d.descend(l, keyword, value)
	}
	return l
}

// identify records the URI and anchors of the location for references.
func (d *Document) identify(l *Location) {
	if text, ok := d.Text(l, "$schema"); ok && strings.TrimSuffix(text, "#") != dialect {
		d.Report(l.Pointer, "the dialect "+codec.Quote(text)+" is not supported", "write the schema in "+dialect+", or leave $schema out")
	}
	if id, ok := d.Text(l, "$id"); ok {
		relative, err := url.Parse(id)
		if err != nil || relative.Fragment != "" {
			d.Report(l.Pointer, "$id is not a URI without a fragment", "correct or drop it")
		} else {
			l.Resource = &Resource{Root: l, Dynamic: map[string]*Location{}, base: l.Resource.base.ResolveReference(relative), anchors: map[string]*Location{}}
			d.resources[l.Resource.base.String()] = l.Resource
		}
	}
	if anchor, ok := d.Text(l, "$anchor"); ok {
		l.Resource.anchors[anchor] = l
	}
	if anchor, ok := d.Text(l, "$dynamicAnchor"); ok {
		l.Resource.anchors[anchor], l.Resource.Dynamic[anchor] = l, l
	}
}

// refuseOlder refuses keywords of older drafts, which would be ignored in 2020-12.
func (d *Document) refuseOlder(l *Location) {
	for _, older := range []struct{ keyword, fix string }{
		{"dependencies", "use dependentRequired for lists of names, and dependentSchemas for schemas"},
		{"additionalItems", "use prefixItems for the first items, and items for the rest"},
		{"$recursiveRef", "use $dynamicRef, or $ref"},
		{"$recursiveAnchor", "use $dynamicAnchor with a name"},
	} {
		if l.Keywords[older.keyword] != nil {
			d.Report(l.Pointer, older.keyword+" is a keyword of older drafts", older.fix)
		}
	}
}

// Text returns the value of a keyword that must be a string.
func (d *Document) Text(l *Location, keyword string) (string, bool) {
	value, present := l.Keywords[keyword]
	if !present {
		return "", false
	}
	text, ok := codec.Unquote(value)
	if !ok {
		d.Report(l.Pointer, keyword+" is not a string", "write a string")
	}
	return text, ok
}

// descend indexes the subschemas in the value of a keyword.
func (d *Document) descend(l *Location, keyword string, value []byte) {
	at := l.Pointer + "/" + pointerTo(keyword)
	switch keyword {
	case "items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else",
		"unevaluatedItems", "unevaluatedProperties", "contentSchema":
		if keyword == "items" && value[0] == '[' {
			d.Report(at, "items is a list, as in older drafts", "use prefixItems, and items for the rest")
			return
		}
		l.Children = append(l.Children, Child{keyword, "", d.location(at, value, l.Resource, l.depth+1)})
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if value[0] != '[' || string(value) == "[]" {
			d.Report(at, keyword+" is not a list of at least one schema", "write an array of schemas")
			return
		}
		for i, v := range rawjson.Elements(value) {
			name := strconv.Itoa(i)
			l.Children = append(l.Children, Child{keyword, name, d.location(at+"/"+name, v, l.Resource, l.depth+1)})
		}
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		if value[0] != '{' {
			d.Report(at, keyword+" is not an object", "write an object whose members are schemas")
			return
		}
		for name, v := range rawjson.Members(value) {
			l.Children = append(l.Children, Child{keyword, name, d.location(at+"/"+pointerTo(name), v, l.Resource, l.depth+1)})
		}
	}
}

// Resolve returns the target of a reference from a location.
func (d *Document) Resolve(from *Location, ref string) (*Location, error) {
	relative, err := url.Parse(ref)
	if err != nil {
		return nil, fmt.Errorf("the reference %s is not a URI", codec.Quote(ref))
	}
	target := *from.Resource.base.ResolveReference(relative)
	fragment := target.Fragment
	target.Fragment, target.RawFragment = "", ""
	resource := d.resource(target.String())
	switch {
	case resource == nil:
		return nil, fmt.Errorf("the reference %s leaves the schema, and nothing is ever fetched", codec.Quote(ref))
	case fragment == "":
		return resource.Root, nil
	case fragment[0] != '/':
		if l, ok := resource.anchors[fragment]; ok {
			return l, nil
		}
		return nil, fmt.Errorf("the reference %s doesn't resolve, since no schema has this $anchor", codec.Quote(ref))
	}
	pointer := resource.Root.Pointer + fragment
	if l, ok := d.at[pointer]; ok {
		return l, nil
	}
	raw := rawjson.Follow(resource.Root.Raw, fragment)
	if raw == nil {
		return nil, fmt.Errorf("the reference %s doesn't resolve, since nothing is at its JSON pointer", codec.Quote(ref))
	}
	return d.location(pointer, raw, resource, 1), nil
}

// resource returns the resource with a URI, or nil. It loads a remote document on first use.
func (d *Document) resource(uri string) *Resource {
	if known, ok := d.resources[uri]; ok {
		return known
	}
	compact, err := codec.Compact(d.remotes[uri])
	if err != nil {
		return nil
	}
	return d.Load(uri, compact)
}

// pointerTo returns a name as one reference token of a JSON Pointer.
func pointerTo(name string) string { return string(rawjson.AppendPointer(nil, name)) }

// KindOf returns the type of a value with the given first byte, for messages.
func KindOf(first byte) string {
	switch first {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
