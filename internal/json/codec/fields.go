package codec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Field is a struct field that is encoded as a member of a JSON object.
type Field struct {
	Name     string // of the member
	GoName   string
	Type     reflect.Type
	Tag      reflect.StructTag
	Tagged   bool         // whether a json tag sets the name
	Omitted  bool         // whether its zero value is left out, by omitempty or omitzero
	Optional bool         // whether the member may be absent: it is omitted, or an embedded pointer leads to it
	Quoted   bool         // whether a json tag has the option string
	Owner    reflect.Type // the struct that declares it

	depth  int          // of the owner
	behind reflect.Type // the pointer to an embedded struct that can't be set, or nil
}

// Fields returns the fields of a struct that are encoded, in order, including those of
// embedded structs. If several have the same name, the least nested one wins, then the only
// one named by a tag; otherwise none does.
func Fields(t reflect.Type) []Field {
	all := gather(t, Field{}, nil)
	var kept []Field
	for i, f := range all {
		hidden := false
		for j, other := range all {
			hidden = hidden || i != j && other.Name == f.Name &&
				(other.depth < f.depth || other.depth == f.depth && (other.Tagged || !f.Tagged))
		}
		if !hidden {
			kept = append(kept, f)
		}
	}
	return kept
}

// gather returns the fields of a struct and of embedded structs, also those that others hide.
// The field from has what the fields of an embedded struct share.
func gather(t reflect.Type, from Field, within []reflect.Type) (all []Field) {
	if slices.Contains(within, t) {
		return nil
	}
	within = append(within[:len(within):len(within)], t)
	from.Owner = t
	for field := range t.Fields() {
		tag := field.Tag.Get("json")
		if tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if embedded := indirect(field.Type); field.Anonymous && name == "" && isPlainStruct(embedded) {
			inner := from
			inner.depth++
			if embedded != field.Type {
				inner.Optional = true
				if !field.IsExported() {
					inner.behind = field.Type
				}
			}
			all = append(all, gather(embedded, inner, within)...)
			continue
		}
		if !field.IsExported() {
			continue
		}
		f := from
		f.Name, f.GoName, f.Type, f.Tag, f.Tagged = name, field.Name, field.Type, field.Tag, name != ""
		if name == "" {
			f.Name = field.Name
		}
		for option := range strings.SplitSeq(options, ",") {
			f.Omitted = f.Omitted || option == "omitempty" || option == "omitzero"
			f.Quoted = f.Quoted || option == "string"
		}
		f.Optional = f.Optional || f.Omitted
		all = append(all, f)
	}
	return all
}

// isPlainStruct reports whether a type is a struct whose JSON form is its fields.
func isPlainStruct(t reflect.Type) bool { return t.Kind() == reflect.Struct && !hasOwnForm(t) }

// A Place is a part of a Go type to which a JSON Pointer leads.
type Place struct {
	Field string       // the innermost field on the way
	Owner reflect.Type // the struct that has it, or nil if there is none
	Exact bool         // whether the field has the value itself, and not a value that contains it
	Own   reflect.Type // the outermost type on the way that decodes itself, or nil if none does
}

// At returns the place in a type to which a JSON Pointer leads. It stops at a type that decodes
// itself, since only that type knows what is in it.
func At(t reflect.Type, pointer string) Place {
	at := Place{Exact: pointer == ""}
	rest, more := strings.CutPrefix(pointer, "/")
	for {
		t = Elem(t)
		if Decoded(t) != OfKind {
			at.Own = t
			return at
		}
		if !more {
			return at
		}
		var token string
		token, rest, more = strings.Cut(rest, "/")
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch t.Kind() {
		case reflect.Struct:
			all := Fields(t)
			i := slices.IndexFunc(all, func(f Field) bool { return f.Name == token })
			if i < 0 {
				at.Exact = false
				return at
			}
			at.Field, at.Owner, at.Exact, t = all[i].GoName, t, true, all[i].Type
		case reflect.Slice, reflect.Array, reflect.Map:
			at.Exact, t = false, t.Elem()
		default:
			return at
		}
	}
}

// CheckDecoded returns an error for each field of a struct and of nested structs that can't
// be decoded, although a schema of its type lets clients send values for it.
func CheckDecoded(t reflect.Type) error { return checkFields(t, undecodable) }

// CheckEncoded returns an error for each field of a struct and of nested structs that isn't
// encoded as a schema of its type says.
func CheckEncoded(t reflect.Type) error { return checkFields(t, unencodable) }

// checkFields applies a function that finds the problem of a type to the fields of a struct,
// and to what is in them.
func checkFields(t reflect.Type, problem func(of reflect.Type) string) error {
	c := fieldChecker{problem: problem}
	c.check(Elem(t))
	return errors.Join(c.problems...)
}

// A fieldChecker checks each struct once.
type fieldChecker struct {
	problem  func(of reflect.Type) string
	seen     []reflect.Type
	problems []error
}

func (c *fieldChecker) check(t reflect.Type) {
	if t.Kind() != reflect.Struct || slices.Contains(c.seen, t) || hasOwnForm(t) {
		return
	}
	c.seen = append(c.seen, t)
	for _, field := range Fields(t) {
		report := func(verb string, of reflect.Type) (found bool) {
			text := c.problem(of)
			if text != "" {
				c.problems = append(c.problems, fmt.Errorf("the field %s of %s %s %s", field.GoName, t, verb, text))
			}
			return text != ""
		}
		if field.behind != nil && report("is behind", field.behind) {
			continue
		}
		of, held := Elem(field.Type), []reflect.Type(nil)
		for !hasOwnForm(of) && !slices.Contains(held, of) && (of.Kind() == reflect.Slice || of.Kind() == reflect.Array || of.Kind() == reflect.Map) {
			held = append(held, of) // a slice may hold itself
			if of.Kind() == reflect.Map {
				report("has keys", of.Key())
			}
			of = Elem(of.Elem())
		}
		if !report("is", of) {
			c.check(of)
		}
	}
}

// undecodable says why a type can't be decoded, or returns "".
func undecodable(t reflect.Type) string {
	encoded, decoded := Encoded(t), Decoded(t)
	switch {
	case decoded != OfKind:
		return ""
	case t.Kind() == reflect.Pointer:
		return fmt.Sprintf("the embedded pointer %s, which can't be set since its type is not exported; embed the struct itself", t)
	case t.Kind() == reflect.Interface && t.NumMethod() > 0:
		return fmt.Sprintf("of the interface type %s, which can't be decoded; use a struct, or any", t)
	case encoded == AsText:
		return fmt.Sprintf("of type %s, which is written as a text by MarshalText, but can't be read from one; give *%s an UnmarshalText method", t, t)
	case encoded == AsJSON:
		return fmt.Sprintf("of type %s, which is written by a MarshalJSON method, but can't be read; give *%s an UnmarshalJSON method", t, t)
	}
	return ""
}

// unencodable says why a type isn't encoded as its schema says, or returns "".
func unencodable(t reflect.Type) string {
	if Decoded(t) == AsText && Encoded(t) == OfKind {
		return fmt.Sprintf("of type %s, which is read from a text by UnmarshalText, but not written as one; give %s a MarshalText method", t, t)
	}
	return ""
}
