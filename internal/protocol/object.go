package protocol

import (
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// An object is a JSON object whose members keep their order. It is for what is
// encoded once or rarely, not for the way of a call.
type object []member

type member struct {
	name  string
	value []byte // raw
}

// parseObject reads a raw object; anything else is an empty one.
func parseObject(raw []byte) object {
	if !jsonrpc.IsObject(raw) {
		return nil
	}
	d := codec.NewDecoder(raw)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	var o object
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
		o = append(o, member{name, append([]byte(nil), value...)})
	}
	return o
}

// get returns a member's raw value, nil if there is none.
func (o object) get(name string) []byte {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set replaces a member, or adds it at the end.
func (o *object) set(name string, value []byte) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{name, value})
}

// drop takes members out.
func (o *object) drop(names ...string) {
	kept := (*o)[:0]
	for _, m := range *o {
		dropped := false
		for _, name := range names {
			dropped = dropped || m.name == name
		}
		if !dropped {
			kept = append(kept, m)
		}
	}
	*o = kept
}

// append appends the object as JSON.
func (o object) append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = codec.AppendQuote(dst, m.name)
		dst = append(dst, ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}

// parseArray returns the raw values of an array; nil for anything else.
func parseArray(raw []byte) [][]byte {
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

// appendArray appends raw values as an array.
func appendArray(dst []byte, values [][]byte) []byte {
	dst = append(dst, '[')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, value...)
	}
	return append(dst, ']')
}
