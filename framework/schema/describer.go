package schema

import (
	"reflect"
	"slices"
	"strings"
)

// A Describer is a type that describes its JSON form. [Object.Struct] and [For] call JSONSchema
// on the zero value instead of inferring a schema. It is for types whose JSON form isn't that
// of their Go type, since they have methods such as MarshalJSON, and for types that allow only
// some values:
//
//	func (Money) JSONSchema(s *schema.Subschema) {
//		s.String().Pattern(`^\d+\.\d\d [A-Z]{3}$`).Description("Such as 9.90 EUR.")
//	}
//
// A field's schema tag and calls on the builder add keywords to this description. To describe a
// type of another package, use the key type of the schema tag.
type Describer interface {
	JSONSchema(s *Subschema)
}

// describe lets a type describe itself. It reports false if the type doesn't.
func (d *definition) describe(t reflect.Type) bool {
	if t.Kind() == reflect.Interface {
		return false
	}
	if pointer := reflect.PointerTo(t); pointer.NumMethod() == 0 || !pointer.Implements(reflect.TypeFor[Describer]()) {
		return false
	}
	own := d.child()
	reflect.New(t).Interface().(Describer).JSONSchema(subschemaOf(own))
	d.adopt(own, t)
	return true
}

// adopt takes what the methods of a type have described as inferred from the type.
func (d *definition) adopt(own *definition, t reflect.Type) {
	if own.forms[fromCall] != formUnset {
		d.inferForm(own.forms[fromCall], t)
	}
	d.keywords[fromType] = own.keywords[fromCall]
	d.nullable[fromType] = d.nullable[fromType] || own.nullable[fromCall]
	d.open[fromType] = own.open[fromCall]
	for _, p := range own.properties {
		if !slices.ContainsFunc(d.properties, func(known property) bool { return known.name == p.name }) {
			d.properties = append(d.properties, p)
		}
	}
	d.patterns = append(d.patterns, own.patterns...)
	d.members = append(d.members, own.members...)
	if d.items == nil {
		d.items = own.items
	}
	if d.additional == nil {
		d.additional = own.additional
	}
	if d.raw == nil {
		d.raw, d.rawByType = own.raw, own.raw != nil
	}
	if own.goType != nil { // it called Struct
		d.refer, d.mistakes, d.readsKeys = own.refer, own.mistakes, own.readsKeys
		d.keywords[fromType] = append(d.keywords[fromType], own.keywords[fromType]...)
	}
	d.check = own.check
	d.problems = append(d.problems, own.problems...)
	if own.required[fromCall] {
		d.problem("the method JSONSchema of "+t.String()+" says Required", "call it where the type is a property, or give the field the schema tag required")
	}
}

// isInferred reports whether the definitions on the way to the value at a JSON Pointer have the
// forms of Go types, and no form that a call of the builder gave them instead.
func (d *definition) isInferred(pointer string) bool {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if d == nil || d.raw != nil && !d.rawByType || !d.counts(fromType) {
			return false
		}
		switch {
		case d.refer != nil:
			return true
		case d.form() == formArray:
			d = d.items
		default:
			i := slices.IndexFunc(d.properties, func(p property) bool { return p.name == token })
			if i < 0 {
				d = d.additional
				continue
			}
			d = d.properties[i].definition
		}
	}
	return d != nil && (d.raw == nil || d.rawByType) && d.counts(fromType)
}
