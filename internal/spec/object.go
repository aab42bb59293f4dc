package spec

import (
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// An Object is a JSON object whose members keep their order. It is too slow for code that
// runs in every call.
type Object []Member

// A Member is one member of an [Object].
type Member struct {
	Name  string
	Value []byte // raw
}

// ParseObject parses a raw object, whose values are parts of raw. It returns nil for any other
// value.
func ParseObject(raw []byte) (o Object) {
	if !jsonrpc.IsObject(raw) {
		return nil
	}
	c := rawjson.Enter(raw, 0, rawjson.MaxNesting)
	for c.Next() {
		name, _ := codec.Unquote(c.Name)
		o = append(o, Member{name, slices.Clip(c.Value())})
	}
	if c.After < 0 {
		return nil
	}
	return o
}

// Get returns a member's raw value, or nil.
func (o Object) Get(name string) []byte {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Set replaces a member, or adds it at the end.
func (o *Object) Set(name string, value []byte) {
	for i := range *o {
		if (*o)[i].Name == name {
			(*o)[i].Value = value
			return
		}
	}
	*o = append(*o, Member{name, value})
}

// Drop removes members.
func (o *Object) Drop(names ...string) {
	*o = slices.DeleteFunc(*o, func(m Member) bool { return slices.Contains(names, m.Name) })
}

// edit changes a member that is an object.
func (o *Object) edit(name string, change func(*Object)) {
	if raw := o.Get(name); jsonrpc.IsObject(raw) {
		inner := ParseObject(raw)
		change(&inner)
		o.Set(name, inner.Append(nil))
	}
}

// editEach changes each object in a member that is an array.
func (o *Object) editEach(name string, change func(*Object)) {
	values := ParseArray(o.Get(name))
	for i, value := range values {
		if jsonrpc.IsObject(value) {
			inner := ParseObject(value)
			change(&inner)
			values[i] = inner.Append(nil)
		}
	}
	if values != nil {
		o.Set(name, AppendArray(nil, values))
	}
}

// Append appends the object as JSON.
func (o Object) Append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = codec.AppendQuote(dst, m.Name)
		dst = append(dst, ':')
		dst = append(dst, m.Value...)
	}
	return append(dst, '}')
}

// ParseArray returns the raw elements of an array, which are parts of raw. It returns nil for any
// other value.
func ParseArray(raw []byte) [][]byte {
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	values := [][]byte{}
	c := rawjson.Enter(raw, 0, rawjson.MaxNesting)
	for c.Next() {
		values = append(values, slices.Clip(c.Value()))
	}
	if c.After < 0 {
		return nil
	}
	return values
}

// AppendArray appends raw values as an array.
func AppendArray(dst []byte, values [][]byte) []byte {
	dst = append(dst, '[')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, value...)
	}
	return append(dst, ']')
}

// Lookup returns the raw value at a path of member names, or nil.
func Lookup(object []byte, path ...string) []byte {
	for _, name := range path {
		if object = ParseObject(object).Get(name); object == nil {
			return nil
		}
	}
	return object
}
