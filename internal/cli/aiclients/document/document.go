// Package document edits one entry of a configuration file and nothing else. It finds the
// entry with a parser, changes bytes of the text, and parses the result again: if anything
// but the entry differs, it returns an error instead of the new text. Comments, indentation,
// line endings and a byte order mark stay as they are.
package document

import (
	"bytes"
	"errors"
	"fmt"
)

// ErrSyntax is the error for a text that doesn't parse.
var ErrSyntax = errors.New("syntax error")

// ErrShape is the error for a text in which another value is in the place of an object,
// such as a list.
var ErrShape = errors.New("unexpected value")

// ErrForm is the error for a valid text in a form that this package doesn't edit, such as
// an inline table of TOML.
var ErrForm = errors.New("form that can't be edited")

// A StrictError names the first part of a text that strict JSON doesn't allow.
type StrictError struct {
	Part string // a comment or a trailing comma
	Line int    // from 1
}

// Error returns the part and its line.
func (e *StrictError) Error() string {
	return fmt.Sprintf("the %s in line %d is not strict JSON", e.Part, e.Line)
}

// A Format is the language of a document.
type Format int

// The formats.
const (
	// JSON may have comments and trailing commas; see CheckStrict.
	JSON Format = iota
	TOML
)

// String returns the name of the format.
func (f Format) String() string {
	if f == TOML {
		return "TOML"
	}
	return "JSON"
}

// An Address is the place of an entry: its name in the object at a key of the document.
type Address struct {
	Key  string
	Name string
}

// A Member is a named value of an entry.
type Member struct {
	Name string
	// Value is a string, a bool, an int, a []string or a []Member.
	Value any
	// Default marks a value for a new entry only: in an entry that has the member, its
	// value stays.
	Default bool
}

// An Entry is an entry of a document as it was read. Numbers are strings.
type Entry struct {
	Name    string
	Members map[string]any
}

// Entries returns the entries at a key, in the order of the document for JSON and sorted
// for TOML. Values that aren't objects are left out.
func (f Format) Entries(content []byte, key string) ([]Entry, error) {
	_, body := cutMark(content)
	if f == TOML {
		return entriesTOML(body, key)
	}
	return entriesJSON(body, key)
}

// Set adds an entry, or gives the entry that is there already new values. Members of an
// entry that aren't in members stay.
func (f Format) Set(content []byte, at Address, members []Member) ([]byte, error) {
	mark, body := cutMark(content)
	set, compare := setJSON, compareJSON
	if f == TOML {
		set, compare = setTOML, compareTOML
	}
	after, err := set(body, at, members)
	if err != nil {
		return nil, err
	}
	return finish(mark, body, after, at, compare)
}

// Remove takes an entry out. A document without the entry stays as it is.
func (f Format) Remove(content []byte, at Address) ([]byte, error) {
	mark, body := cutMark(content)
	remove, compare := removeJSON, compareJSON
	if f == TOML {
		remove, compare = removeTOML, compareTOML
	}
	after, err := remove(body, at)
	if err != nil {
		return nil, err
	}
	return finish(mark, body, after, at, compare)
}

// finish checks an edit, and returns the whole text.
func finish(mark, before, after []byte, at Address, compare func(before, after []byte, at Address) error) ([]byte, error) {
	if err := compare(before, after, at); err != nil {
		return nil, fmt.Errorf("%w: %s can't be changed without changing more: %w", ErrForm, at, err)
	}
	return append(bytes.Clone(mark), after...), nil
}

// String returns the address as a person would write it.
func (a Address) String() string { return a.Key + "." + a.Name }

// cutMark cuts the byte order mark off a text.
func cutMark(content []byte) (mark, body []byte) {
	const byteOrderMark = "\ufeff"
	if body, found := bytes.CutPrefix(content, []byte(byteOrderMark)); found {
		return []byte(byteOrderMark), body
	}
	return nil, content
}

// newlineOf returns the line ending of a text.
func newlineOf(body []byte) string {
	if end := bytes.IndexByte(body, '\n'); end > 0 && body[end-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// A splice replaces the bytes between two offsets.
type splice struct {
	start, end int
	text       string
}

// apply applies splices that are sorted and don't overlap.
func apply(body []byte, splices ...splice) []byte {
	var out []byte
	done := 0
	for _, s := range splices {
		out = append(append(out, body[done:s.start]...), s.text...)
		done = s.end
	}
	return append(out, body[done:]...)
}
