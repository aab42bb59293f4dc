package jsonschema

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// A document is a raw schema, with an index of its subschemas and of those of the documents
// to which it refers.
type document struct {
	remotes   map[string][]byte
	at        map[string]*location // by JSON Pointer; for remote documents by URI, # and JSON Pointer
	order     []*location          // the locations, in the order of the walk
	resources map[string]*resource // by URI, without fragment
	problems  []*Problem
	tooMany   bool
}

// A resource is a part of a document with its own URI: the root, or a subschema with an $id.
type resource struct {
	base    *url.URL
	root    *location
	anchors map[string]*location
	dynamic map[string]*location // the anchors defined by $dynamicAnchor
}

// A location is one subschema in a document.
type location struct {
	pointer  string
	raw      []byte
	resource *resource
	keywords map[string][]byte // empty for true and false
	children []child
	depth    int
}

// A child is a subschema of a location.
type child struct {
	keyword  string
	name     string // of the property, or the index in a list; empty if the keyword has a single schema
	location *location
}

func (d *document) problem(at, problem, fix string) {
	p := &Problem{at, problem, fix}
	if !slices.ContainsFunc(d.problems, func(known *Problem) bool { return *known == *p }) { // a location may have several rules
		d.problems = append(d.problems, p)
	}
}

// load indexes the subschemas of a document in compact JSON. The URI is empty for the schema
// itself. It returns nil if the document is nested too deeply.
func (d *document) load(uri string, raw []byte) *resource {
	pointer, base := "", &url.URL{}
	if uri != "" {
		pointer = uri + "#"
		base, _ = url.Parse(uri) // can't fail: uri was formatted from a URL
	}
	if nesting(raw) > rawjson.MaxNesting {
		d.problem(pointer, fmt.Sprintf("the schema nests JSON more than %d levels deep", rawjson.MaxNesting), "make it flatter")
		return nil
	}
	root := d.location(pointer, raw, &resource{base: base, anchors: map[string]*location{}, dynamic: map[string]*location{}}, 0)
	d.resources[uri] = root.resource
	return root.resource
}

// location indexes one subschema and those inside it.
func (d *document) location(pointer string, raw []byte, within *resource, depth int) *location {
	l := &location{pointer: pointer, raw: raw, resource: within, keywords: map[string][]byte{}, depth: depth}
	if within.root == nil {
		within.root = l
	}
	d.at[pointer] = l
	d.order = append(d.order, l)
	if len(d.at) > limits.MaxSubschemas && !d.tooMany {
		d.tooMany = true
		d.problem("", fmt.Sprintf("the schema has more than %d subschemas", limits.MaxSubschemas), "split the tool or simplify its schema")
	}
	switch {
	case d.tooMany:
		return l
	case depth > limits.MaxSchemaDepth:
		d.problem(pointer, fmt.Sprintf("subschemas are nested more than %d levels deep", limits.MaxSchemaDepth), "make the schema flatter, or use $defs and $ref")
		return l
	case string(raw) == "true" || string(raw) == "false":
		return l
	case raw[0] != '{':
		d.problem(pointer, "a schema can't be "+kindOf(raw[0]), "write an object, true or false")
		return l
	}
	for keyword, value := range rawjson.Members(raw) {
		l.keywords[keyword] = value
	}
	d.identify(l)
	d.refuseOlder(l)
	for keyword, value := range rawjson.Members(raw) {
		d.descend(l, keyword, value)
	}
	return l
}

// identify records the URI and anchors of the location for references.
func (d *document) identify(l *location) {
	if text, ok := d.text(l, "$schema"); ok && strings.TrimSuffix(text, "#") != dialect {
		d.problem(l.pointer, "the dialect "+codec.Quote(text)+" is not supported", "write the schema in "+dialect+", or leave $schema out")
	}
	if id, ok := d.text(l, "$id"); ok {
		relative, err := url.Parse(id)
		if err != nil || relative.Fragment != "" {
			d.problem(l.pointer, "$id is not a URI without a fragment", "correct or drop it")
		} else {
			l.resource = &resource{l.resource.base.ResolveReference(relative), l, map[string]*location{}, map[string]*location{}}
			d.resources[l.resource.base.String()] = l.resource
		}
	}
	if anchor, ok := d.text(l, "$anchor"); ok {
		l.resource.anchors[anchor] = l
	}
	if anchor, ok := d.text(l, "$dynamicAnchor"); ok {
		l.resource.anchors[anchor], l.resource.dynamic[anchor] = l, l
	}
}

// refuseOlder refuses keywords of older drafts, which would be ignored in 2020-12.
func (d *document) refuseOlder(l *location) {
	for _, older := range []struct{ keyword, fix string }{
		{"dependencies", "use dependentRequired for lists of names, and dependentSchemas for schemas"},
		{"additionalItems", "use prefixItems for the first items, and items for the rest"},
		{"$recursiveRef", "use $dynamicRef, or $ref"},
		{"$recursiveAnchor", "use $dynamicAnchor with a name"},
	} {
		if l.keywords[older.keyword] != nil {
			d.problem(l.pointer, older.keyword+" is a keyword of older drafts", older.fix)
		}
	}
}

// text returns the value of a keyword that must be a string.
func (d *document) text(l *location, keyword string) (string, bool) {
	value, present := l.keywords[keyword]
	if !present {
		return "", false
	}
	text, ok := codec.Unquote(value)
	if !ok {
		d.problem(l.pointer, keyword+" is not a string", "write a string")
	}
	return text, ok
}

// descend indexes the subschemas in the value of a keyword.
func (d *document) descend(l *location, keyword string, value []byte) {
	at := l.pointer + "/" + escapePointer(keyword)
	switch keyword {
	case "items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else",
		"unevaluatedItems", "unevaluatedProperties", "contentSchema":
		if keyword == "items" && value[0] == '[' {
			d.problem(at, "items is a list, as in older drafts", "use prefixItems, and items for the rest")
			return
		}
		l.children = append(l.children, child{keyword, "", d.location(at, value, l.resource, l.depth+1)})
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if value[0] != '[' || string(value) == "[]" {
			d.problem(at, keyword+" is not a list of at least one schema", "write an array of schemas")
			return
		}
		for i, v := range rawjson.Elements(value) {
			name := strconv.Itoa(i)
			l.children = append(l.children, child{keyword, name, d.location(at+"/"+name, v, l.resource, l.depth+1)})
		}
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		if value[0] != '{' {
			d.problem(at, keyword+" is not an object", "write an object whose members are schemas")
			return
		}
		for name, v := range rawjson.Members(value) {
			l.children = append(l.children, child{keyword, name, d.location(at+"/"+escapePointer(name), v, l.resource, l.depth+1)})
		}
	}
}

// resolve returns the target of a reference from a location.
func (d *document) resolve(from *location, ref string) (*location, error) {
	relative, err := url.Parse(ref)
	if err != nil {
		return nil, fmt.Errorf("the reference %s is not a URI", codec.Quote(ref))
	}
	target := *from.resource.base.ResolveReference(relative)
	fragment := target.Fragment
	target.Fragment, target.RawFragment = "", ""
	resource := d.resource(target.String())
	switch {
	case resource == nil:
		return nil, fmt.Errorf("the reference %s leaves the schema, and nothing is ever fetched", codec.Quote(ref))
	case fragment == "":
		return resource.root, nil
	case fragment[0] != '/':
		if l, ok := resource.anchors[fragment]; ok {
			return l, nil
		}
		return nil, fmt.Errorf("the reference %s doesn't resolve, since no schema has this $anchor", codec.Quote(ref))
	}
	pointer := resource.root.pointer + fragment
	if l, ok := d.at[pointer]; ok {
		return l, nil
	}
	raw := rawjson.Follow(resource.root.raw, fragment)
	if raw == nil {
		return nil, fmt.Errorf("the reference %s doesn't resolve, since nothing is at its JSON pointer", codec.Quote(ref))
	}
	return d.location(pointer, raw, resource, 1), nil
}

// resource returns the resource with a URI, or nil. It loads a remote document on first use.
func (d *document) resource(uri string) *resource {
	if known, ok := d.resources[uri]; ok {
		return known
	}
	compact, err := codec.Compact(d.remotes[uri])
	if err != nil {
		return nil
	}
	return d.load(uri, compact)
}

// nesting returns the depth of nested containers in a valid JSON text.
func nesting(value []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			end, _ := rawjson.ScanString(value, i)
			i = end - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}
