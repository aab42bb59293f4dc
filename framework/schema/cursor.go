package schema

import (
	"iter"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// A cursor goes over the members of an object or the elements of an array.
type cursor struct {
	data       []byte
	depth      int
	closing    byte
	name       []byte // of the current member, with its quotes
	start, end int    // of the current value
	after      int    // where the container ends, once next has returned false; negative when it is broken
}

// enter returns a cursor before the first part of the container at i, which may hold containers down to a depth.
func enter(data []byte, i, depth int) cursor {
	// In ASCII the closing bracket and brace stand two after the opening ones.
	return cursor{data: data, depth: depth, closing: data[i] + 2, start: -1, end: i + 1}
}

// next moves to the next part.
func (c *cursor) next() bool {
	c.after = -1
	i := skipSpace(c.data, c.end)
	if i >= len(c.data) {
		return false
	}
	first := c.start < 0
	switch {
	case c.data[i] == c.closing:
		c.after = i + 1
		return false
	case !first && c.data[i] != ',':
		return false
	case !first:
		i = skipSpace(c.data, i+1)
	}
	if c.closing == '}' {
		if i >= len(c.data) || c.data[i] != '"' {
			return false
		}
		end, _, _ := scanString(c.data, i)
		if end < 0 {
			return false
		}
		c.name = c.data[i:end]
		i = skipSpace(c.data, end)
		if i >= len(c.data) || c.data[i] != ':' {
			return false
		}
		i = skipSpace(c.data, i+1)
	}
	end := scanValue(c.data, i, c.depth-1)
	if end < 0 {
		return false
	}
	c.start, c.end = i, end
	return true
}

// value is the current value.
func (c *cursor) value() []byte { return c.data[c.start:c.end] }

// A member is a decoded name with the raw value it has.
type member struct {
	name  string
	value []byte
}

// members reads the members of a JSON object that is known to be valid; of anything else there are none.
func members(object []byte) iter.Seq[member] {
	return func(yield func(member) bool) {
		if len(object) == 0 || object[0] != '{' {
			return
		}
		for c := enter(object, 0, maxNesting); c.next(); {
			if name, ok := codec.Unquote(c.name); !ok || !yield(member{name, c.value()}) {
				return
			}
		}
	}
}

// elements reads the elements of a JSON array that is known to be valid; of anything else there are none.
func elements(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if len(array) == 0 || array[0] != '[' {
			return
		}
		n := 0
		for c := enter(array, 0, maxNesting); c.next(); n++ {
			if !yield(n, c.value()) {
				return
			}
		}
	}
}
