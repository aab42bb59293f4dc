package schema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
)

const (
	dialect       = "https://json-schema.org/draft/2020-12/schema"
	maxSubschemas = 10_000
)

// A document is a schema as JSON, with all its subschemas found.
type document struct {
	root      []byte
	at        map[string]*location // by JSON Pointer
	order     []*location          // the same, as they were found
	resources map[string]*location // by URI, without fragment
	anchors   map[string]*location // by URI with the anchor as its fragment
	embedded  bool                 // a subschema has an $id of its own
	problems  []*DefinitionError
	tooMany   bool
}

// A location is one subschema in a document.
type location struct {
	pointer  string
	raw      []byte
	base     *url.URL
	keywords map[string][]byte // empty for true and false
	children []child
	depth    int
	rule     *rule // once it is compiled
}

// A child is a subschema of a location.
type child struct {
	keyword  string
	name     string // of the property, or the index in a list; empty when the keyword holds one schema
	location *location
}

func (d *document) problem(at, problem, fix string) {
	d.problems = append(d.problems, &DefinitionError{at, problem, fix})
}

// parse finds the subschemas of compact JSON.
func parse(raw []byte) *document {
	d := &document{
		root:      raw,
		at:        map[string]*location{},
		resources: map[string]*location{},
		anchors:   map[string]*location{},
	}
	if nesting(raw) > maxNesting {
		d.problem("", fmt.Sprintf("the schema nests JSON more than %d levels deep", maxNesting), "make it flatter")
		return d
	}
	base := &url.URL{}
	d.resources[""] = d.location("", raw, base, 0)
	return d
}

// location reads one subschema and those inside it.
func (d *document) location(pointer string, raw []byte, base *url.URL, depth int) *location {
	l := &location{pointer: pointer, raw: raw, base: base, keywords: map[string][]byte{}, depth: depth}
	d.at[pointer] = l
	d.order = append(d.order, l)
	if len(d.at) > maxSubschemas && !d.tooMany {
		d.tooMany = true
		d.problem("", fmt.Sprintf("the schema has more than %d subschemas", maxSubschemas), "split the tool or simplify its schema")
	}
	switch {
	case d.tooMany:
		return l
	case depth > maxDepth:
		d.problem(pointer, fmt.Sprintf("subschemas are nested more than %d levels deep", maxDepth), "make the schema flatter, or use $defs and $ref")
		return l
	case string(raw) == "true" || string(raw) == "false":
		return l
	case raw[0] != '{':
		d.problem(pointer, "a schema can't be "+kindOf(raw[0]), "write an object, true or false")
		return l
	}
	for m := range members(raw) {
		l.keywords[m.name] = m.value
	}
	d.identify(l)
	for m := range members(raw) {
		d.descend(l, m.name, m.value)
	}
	return l
}

// identify records the names that references can find the location by.
func (d *document) identify(l *location) {
	if text, ok := d.text(l, "$schema"); ok && strings.TrimSuffix(text, "#") != dialect {
		d.problem(l.pointer, "the dialect "+quoted(text)+" is not supported", "write the schema in "+dialect+", or leave $schema out")
	}
	if id, ok := d.text(l, "$id"); ok {
		relative, err := url.Parse(id)
		if err != nil || relative.Fragment != "" {
			d.problem(l.pointer, "$id is not a URI without a fragment", "correct or drop it")
		} else {
			l.base = l.base.ResolveReference(relative)
			d.resources[l.base.String()] = l
			d.embedded = d.embedded || l.pointer != ""
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor, ok := d.text(l, keyword); ok {
			d.anchors[l.base.String()+"#"+anchor] = l
		}
	}
}

// text returns the string that a keyword has to have.
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

// descend finds the subschemas in the value of a keyword.
func (d *document) descend(l *location, keyword string, value []byte) {
	at := l.pointer + "/" + escapePointer(keyword)
	switch keyword {
	case "items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else",
		"unevaluatedItems", "unevaluatedProperties", "contentSchema":
		if keyword == "items" && value[0] == '[' {
			d.problem(at, "items is a list, as in older drafts", "use prefixItems, and items for the rest")
			return
		}
		l.children = append(l.children, child{keyword, "", d.location(at, value, l.base, l.depth+1)})
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if value[0] != '[' || string(value) == "[]" {
			d.problem(at, keyword+" is not a list of at least one schema", "write an array of schemas")
			return
		}
		for i, v := range elements(value) {
			name := strconv.Itoa(i)
			l.children = append(l.children, child{keyword, name, d.location(at+"/"+name, v, l.base, l.depth+1)})
		}
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		if value[0] != '{' {
			d.problem(at, keyword+" is not an object", "write an object whose members are schemas")
			return
		}
		for m := range members(value) {
			l.children = append(l.children, child{keyword, m.name, d.location(at+"/"+escapePointer(m.name), m.value, l.base, l.depth+1)})
		}
	}
}

// resolve finds what a reference from a location means.
func (d *document) resolve(from *location, ref string) (*location, error) {
	relative, err := url.Parse(ref)
	if err != nil {
		return nil, fmt.Errorf("the reference %s is not a URI", quoted(ref))
	}
	target := *from.base.ResolveReference(relative)
	fragment := target.Fragment
	target.Fragment, target.RawFragment = "", ""
	resource, ok := d.resources[target.String()]
	switch {
	case !ok:
		return nil, fmt.Errorf("the reference %s leaves the schema, and nothing is ever fetched", quoted(ref))
	case fragment == "":
		return resource, nil
	case fragment[0] != '/':
		if l, ok := d.anchors[target.String()+"#"+fragment]; ok {
			return l, nil
		}
		return nil, fmt.Errorf("the reference %s has no $anchor of that name to go to", quoted(ref))
	}
	pointer := resource.pointer + fragment
	if l, ok := d.at[pointer]; ok {
		return l, nil
	}
	raw, base := follow(resource.raw, fragment), resource.base
	if raw == nil {
		return nil, fmt.Errorf("the reference %s leads nowhere", quoted(ref))
	}
	return d.location(pointer, raw, base, 1), nil
}

// follow returns the value at a JSON Pointer in a valid JSON text, or nil.
func follow(value []byte, pointer string) []byte {
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		var next []byte
		for m := range members(value) {
			if m.name == token {
				next = m.value
			}
		}
		for i, v := range elements(value) {
			if strconv.Itoa(i) == token {
				next = v
			}
		}
		if next == nil {
			return nil
		}
		value = next
	}
	return value
}

// nesting is how many containers are open at the deepest place of a valid JSON text.
func nesting(value []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			end, _, _ := scanString(value, i)
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
