package scaffold

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// A RefusedError says why a file isn't edited, although it parses: it has a form that isn't
// known, so a person has to edit it.
type RefusedError struct {
	// Path is the path of the file, relative to the app's root, with slashes.
	Path string
	// Reason completes a sentence that begins with the file.
	Reason string
	// Alias is the name under which the file has to import the package, if its own name is
	// in use.
	Alias string
}

// Error returns the path and the reason.
func (e *RefusedError) Error() string { return e.Path + " " + e.Reason }

// A source is a Go file that is edited by inserting text. Everything else stays: comments,
// line endings, and the form of a file that gofmt would change.
type source struct {
	packages *packages
	path     string // relative to the app's root, with slashes
	before   []byte // the file as it was read; nil if there is none
	text     []byte // without a byte order mark, with LF, and with the edits that are applied

	bom, crlf, formatted bool

	tokens *token.File
	file   *ast.File
	edits  []edit
}

// An edit replaces a part of a text, which may be empty.
type edit struct {
	offset, end int
	text        string
}

const mark = "\ufeff"

// newSource parses a file. The error names the line that doesn't parse.
func newSource(packages *packages, path string, content []byte) (*source, error) {
	s := &source{packages: packages, path: path}
	text, bom := strings.CutPrefix(string(content), mark)
	if crlf := strings.Count(text, "\r\n"); crlf > 0 && crlf == strings.Count(text, "\n") {
		s.crlf, text = true, strings.ReplaceAll(text, "\r\n", "\n")
	}
	s.bom, s.text = bom, []byte(text)
	if err := s.parse(); err != nil {
		return nil, err
	}
	formatted, err := format.Source(s.text)
	s.formatted = err == nil && bytes.Equal(formatted, s.text)
	return s, nil
}

func (s *source) parse() error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, s.path, s.text, parser.ParseComments|parser.SkipObjectResolution)
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
		err = list[0]
	}
	if err != nil {
		return fmt.Errorf("%w; nothing was written: correct the file first, or use --no-register", err)
	}
	s.file, s.tokens = file, files.File(file.FileStart)
	return nil
}

// content returns the file with the edits that are applied.
func (s *source) content() []byte {
	text := string(s.text)
	if s.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if s.bom {
		text = mark + text
	}
	return []byte(text)
}

// refuse returns the reason why the file isn't edited.
func (s *source) refuse(format string, args ...any) error {
	return &RefusedError{Path: s.path, Reason: fmt.Sprintf(format, args...)}
}

// editable refuses files that nobody should edit.
func (s *source) editable() error {
	if ast.IsGenerated(s.file) {
		return s.refuse("is generated")
	}
	if bytes.ContainsRune(s.text, '\r') {
		return s.refuse("mixes line endings")
	}
	for _, spec := range s.file.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			return s.refuse("has a dot import")
		}
	}
	return nil
}

func (s *source) offset(pos token.Pos) int { return s.tokens.Offset(pos) }

func (s *source) line(pos token.Pos) int { return s.tokens.PositionFor(pos, false).Line }

// textOf returns the text of a node.
func (s *source) textOf(node ast.Node) string {
	return string(s.text[s.offset(node.Pos()):s.offset(node.End())])
}

// indent returns the white space at the beginning of the line of a position.
func (s *source) indent(pos token.Pos) string {
	offset := s.offset(pos)
	line := string(s.text[bytes.LastIndexByte(s.text[:offset], '\n')+1 : offset])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// insert inserts text at an offset, behind what was inserted there before.
func (s *source) insert(offset int, text string) {
	s.edits = append(s.edits, edit{offset, offset, text})
}

// replace replaces a node.
func (s *source) replace(node ast.Node, text string) {
	s.edits = append(s.edits, edit{s.offset(node.Pos()), s.offset(node.End()), text})
}

// afterComments returns the offset behind the comments that begin on the line on which a
// node ends.
func (s *source) afterComments(end token.Pos) int {
	for _, group := range s.file.Comments {
		for _, comment := range group.List {
			if comment.Pos() >= end && s.line(comment.Pos()) == s.line(end) {
				end = comment.End()
			}
		}
	}
	return s.offset(end)
}

// apply makes the edits, formats the file if it was formatted, and parses it again.
func (s *source) apply() error {
	slices.SortStableFunc(s.edits, func(a, b edit) int { return cmp.Compare(a.offset, b.offset) })
	var out bytes.Buffer
	at := 0
	for _, edit := range s.edits {
		out.Write(s.text[at:edit.offset])
		out.WriteString(edit.text)
		at = edit.end
	}
	out.Write(s.text[at:])
	s.edits, s.text = nil, out.Bytes()
	if s.formatted {
		formatted, err := format.Source(s.text)
		if err != nil {
			return s.refuse("has a form that mcp does not edit")
		}
		s.text = formatted
	}
	if err := s.parse(); err != nil {
		return s.refuse("has a form that mcp does not edit")
	}
	return nil
}
