package document

import (
	"bytes"
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A section is a table of a TOML document with its header, or the keys before the first
// header, which have no path.
type section struct {
	path  []string
	start int // the first byte of the header's line
	end   int // after the line of the last key
	pairs []pair
}

// A pair is a key with its value. Its path is relative to its section.
type pair struct {
	path       []string
	start, end int
}

// sectionsOf returns the sections of a document in order. Comments above a header belong to
// no section.
func sectionsOf(body []byte) ([]section, error) {
	sections := []section{{}}
	parser := unstable.Parser{}
	parser.Reset(body)
	for parser.NextExpression() {
		expression := parser.Expression()
		var path []string
		var first, last int
		for keys := expression.Key(); keys.Next(); {
			raw := keys.Node().Raw
			if len(path) == 0 {
				first = int(raw.Offset)
			}
			last = int(raw.Offset + raw.Length)
			path = append(path, string(keys.Node().Data))
		}
		if expression.Kind == unstable.KeyValue {
			current := &sections[len(sections)-1]
			end := int(expression.Raw.Offset + expression.Raw.Length)
			current.pairs = append(current.pairs, pair{path: path, start: int(expression.Raw.Offset), end: end})
			current.end = lineEnd(body, end)
			continue
		}
		start := bytes.LastIndexByte(body[:first], '\n') + 1
		sections = append(sections, section{path: path, start: start, end: lineEnd(body, last)})
	}
	if err := parser.Error(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return sections, nil
}

// lineEnd returns the offset after the line that has the offset.
func lineEnd(body []byte, offset int) int {
	if end := bytes.IndexByte(body[offset:], '\n'); end >= 0 {
		return offset + end + 1
	}
	return len(body)
}
