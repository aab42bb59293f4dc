package rawjson

import (
	"iter"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// MaxNesting is the maximum depth for [Members] and [Elements]. No caller accepts deeper
// values.
const MaxNesting = 512

// A Cursor iterates over the members of an object or the elements of an array. [Enter]
// returns one.
type Cursor struct {
	Name       []byte // of the current member, with its quotes
	Start, End int    // of the current value
	After      int    // the end of the container once Next has returned false; negative if it isn't valid

	data    []byte
	depth   int
	closing byte
}

// Enter returns a cursor before the first member or element of the container at i. Depth
// limits its nesting.
func Enter(data []byte, i, depth int) Cursor {
	// In ASCII the codes of closing brackets and braces are two above those of the opening
	// ones.
	return Cursor{data: data, depth: depth, closing: data[i] + 2, End: i + 1}
}

// Next advances to the next member or element. It returns false at the end, and if the
// data isn't valid.
func (c *Cursor) Next() bool {
	if !c.Find() {
		return false
	}
	c.End = ScanValue(c.data, c.Start, c.depth-1)
	return c.End >= 0
}

// Find is Next without the scan of the value, of which it sets only Start. The caller sets
// End before it calls Find again. A walk that enters each container so reads each byte once.
func (c *Cursor) Find() bool {
	c.After = -1
	if c.End < 0 {
		return false
	}
	i := SkipSpace(c.data, c.End)
	if i >= len(c.data) {
		return false
	}
	first := c.Start == 0 // where only a container can start
	switch {
	case c.data[i] == c.closing:
		c.After = i + 1
		return false
	case !first && c.data[i] != ',':
		return false
	case !first:
		i = SkipSpace(c.data, i+1)
	}
	if c.closing == '}' {
		if i >= len(c.data) || c.data[i] != '"' {
			return false
		}
		end, _ := ScanString(c.data, i)
		if end < 0 {
			return false
		}
		c.Name = c.data[i:end]
		i = SkipSpace(c.data, end)
		if i >= len(c.data) || c.data[i] != ':' {
			return false
		}
		i = SkipSpace(c.data, i+1)
	}
	c.Start = i
	return i < len(c.data)
}

// Value returns the current value.
func (c *Cursor) Value() []byte { return c.data[c.Start:c.End] }

// Members returns the decoded names and the raw values of a valid JSON object. Any other
// value has none.
func Members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		if len(object) == 0 || object[0] != '{' {
			return
		}
		for c := Enter(object, 0, MaxNesting); c.Next(); {
			if name, ok := codec.Unquote(c.Name); !ok || !yield(name, c.Value()) {
				return
			}
		}
	}
}

// Elements returns the raw elements of a valid JSON array. Any other value has none.
func Elements(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if len(array) == 0 || array[0] != '[' {
			return
		}
		n := 0
		for c := Enter(array, 0, MaxNesting); c.Next(); n++ {
			if !yield(n, c.Value()) {
				return
			}
		}
	}
}

// Follow returns the value at a JSON Pointer (RFC 6901) in a valid JSON text, or nil. The
// pointer must not be empty.
func Follow(value []byte, pointer string) []byte {
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		var next []byte
		for name, v := range Members(value) {
			if name == token {
				next = v
			}
		}
		for i, v := range Elements(value) {
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
