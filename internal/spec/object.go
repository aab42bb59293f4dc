package spec

import (
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// An Object is a JSON object whose members keep their order. It is too slow for code that
// runs in every call.
type Object []Member

// A Member is one member of an [Object].
type Member struct {
	Name  string
	Value []byte // raw
}

// ParseObject parses a raw object. It returns nil for any other value.
func ParseObject(raw []byte) Object {
	if !jsonrpc.IsObject(raw) {
		return nil
	}
	d := codec.NewDecoder(raw)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	var o Object
	for d.PeekKind() == '"' {
		quoted, err := d.ReadValue()
		if err != nil {
			return nil
		}
		name, _ := codec.Unquote(quoted)
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		o = append(o, Member{name, append([]byte(nil), value...)})
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
	kept := (*o)[:0]
	for _, m := range *o {
		dropped := false
		for _, name := range names {
			dropped = dropped || m.Name == name
		}
		if !dropped {
			kept = append(kept, m)
		}
	}
	*o = kept
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

// ParseArray returns the raw elements of an array. It returns nil for any other value.
func ParseArray(raw []byte) [][]byte {
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	d := codec.NewDecoder(raw)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	values := [][]byte{}
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		values = append(values, append([]byte(nil), value...))
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
