package jsonschema

import (
	"bytes"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A filler collects the edits that insert defaults.
type filler struct{ edits []rawjson.Edit }

// fill adds the edits for the value at i. It reports false if the data isn't valid.
func (f *filler) fill(r *rule, data []byte, i int) bool {
	r = r.resolve()
	switch {
	case !r.fills:
	case data[i] == '{' && r.object != nil:
		return f.object(r.object, data, i)
	case data[i] == '[' && r.array != nil:
		index := 0
		for c := rawjson.Enter(data, i, limits.MaxSchemaDepth); c.Next(); index++ {
			if item := r.array.itemRule(index); item != nil && !f.fill(item, data, c.Start) {
				return false
			}
		}
	}
	return true
}

func (f *filler) object(o *objectRule, data []byte, i int) bool {
	var marks [2]uint64
	seen := marks[:]
	if len(o.properties) > 64*len(marks) {
		seen = make([]uint64, (len(o.properties)+63)/64)
	}
	c, empty := rawjson.Enter(data, i, limits.MaxSchemaDepth), true
	for c.Next() {
		empty = false
		known := o.find(unquoteName(c.Name))
		if known >= 0 {
			seen[known/64] |= 1 << (known % 64)
		}
		if r := o.memberRule(known); r != nil && !f.fill(r, data, c.Start) {
			return false
		}
	}
	if c.After < 0 {
		return false
	}
	var text []byte
	for i, p := range o.properties {
		if p.rule == nil || seen[i/64]&(1<<(i%64)) != 0 {
			continue
		}
		if value := p.rule.defaultValue(); value != nil {
			if !empty {
				text = append(text, ',')
			}
			empty = false
			text = append(codec.AppendQuote(text, p.name), ':')
			text = append(text, value...)
		}
	}
	if text != nil {
		end := c.After - 1
		f.edits = append(f.edits, rawjson.Edit{Start: end, End: end, Text: text})
	}
	return true
}

// defaultValue returns the default of the rule or, without one, of the rule to which it
// refers.
func (r *rule) defaultValue() []byte {
	for r.byDefault == nil && r.next != nil {
		r = r.next
	}
	return r.byDefault
}

// unquoteName decodes the name of a member. It returns nil for an item of an array, whose
// name is nil.
func unquoteName(name []byte) []byte {
	if name == nil {
		return nil
	}
	if bytes.IndexByte(name, '\\') < 0 {
		return name[1 : len(name)-1]
	}
	text, _ := codec.Unquote(name)
	return []byte(text)
}

// markDefaults sets fills on the rules from which a default can be reached through properties
// and items. Rules may be recursive, so it repeats until nothing changes.
func markDefaults(root *rule) {
	var all []*rule
	seen := map[*rule]bool{}
	var visit func(r *rule)
	visit = func(r *rule) {
		if r = r.resolve(); seen[r] {
			return
		}
		seen[r] = true
		all = append(all, r)
		for _, below := range r.below() {
			visit(below)
		}
	}
	visit(root)
	for changed := true; changed; {
		changed = false
		for _, r := range all {
			for _, below := range r.below() {
				if !r.fills && (below.defaultValue() != nil || below.resolve().fills) {
					r.fills, changed = true, true
				}
			}
		}
	}
	root.fills = root.resolve().fills
}

// below returns the rules of the properties and items.
func (r *rule) below() []*rule {
	var all []*rule
	if r.object != nil {
		for _, p := range r.object.properties {
			if p.rule != nil {
				all = append(all, p.rule)
			}
		}
		if r.object.additional != nil {
			all = append(all, r.object.additional)
		}
	}
	if r.array != nil {
		all = append(all, r.array.prefix...)
		if r.array.items != nil {
			all = append(all, r.array.items)
		}
	}
	return all
}
