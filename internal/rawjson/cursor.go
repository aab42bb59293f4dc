package rawjson

import (
	"iter"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// MaxNesting is how deep [Members] and [Elements] look into a value. It is more than any caller lets in.
const MaxNesting = 512

// A Cursor goes over the members of an object or the elements of an array. [Enter] makes one.
type Cursor struct {
	Name       []byte // of the current member, with its quotes
	Start, End int    // of the current value
	After      int    // where the container ends, once Next has returned false; negative when it is broken

	data    []byte
	depth   int
	closing byte
}

// Enter returns a cursor before the first part of the container at i, which may hold containers down to a depth.
func Enter(data []byte, i, depth int) Cursor {
	// In ASCII the closing bracket and brace stand two after the opening ones.
	return Cursor{data: data, depth: depth, closing: data[i] + 2, Start: -1, End: i + 1}
}

// Next moves to the next part.
func (c *Cursor) Next() bool {
	c.After = -1
	i := SkipSpace(c.data, c.End)
	if i >= len(c.data) {
		return false
	}
	first := c.Start < 0
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
	end := ScanValue(c.data, i, c.depth-1)
	if end < 0 {
		return false
	}
	c.Start, c.End = i, end
	return true
}

// Value returns the current value.
func (c *Cursor) Value() []byte { return c.data[c.Start:c.End] }

// Members returns the decoded names and the raw values of a JSON object that is known to be valid. Anything else has none.
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

// Elements returns the raw elements of a JSON array that is known to be valid. Anything else has none.
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

// Follow returns the value at a JSON Pointer (RFC 6901), which isn't empty, in a valid JSON text, or nil.
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
