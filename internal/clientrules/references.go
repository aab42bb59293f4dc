package clientrules

import (
	"net/url"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// maxUnknown is how many references to places that aren't schemas are followed, since each
// reads the whole schema.
const maxUnknown = 16

// references has the references of an output schema. All pointers are relative to its root.
type references struct {
	root    []byte
	start   int             // the length of the path to the root
	schemas map[string]bool // the places of all subschemas
	all     []reference
}

// A reference leads from one place of a schema to another. A target outside of the schema
// doesn't begin with #.
type reference struct{ from, to string }

func (r *references) add(path []byte) { r.schemas[string(path[r.start:])] = true }

func (r *references) refer(path []byte, target string) {
	r.all = append(r.all, reference{string(path[r.start:]), target})
}

// bad returns the place of the first reference that leads nowhere, or back to a schema that
// contains it.
func (r *references) bad() (at string, found bool) {
	unknown := 0
	leads := map[string][]string{} // from a definition to others; "" is the root without its definitions
	for _, ref := range r.all {
		target, within := strings.CutPrefix(ref.to, "#")
		if decoded, err := url.PathUnescape(target); err == nil {
			target = decoded
		}
		switch {
		case !within:
			return ref.from, true
		case target != "" && target[0] != '/': // an anchor
			continue
		case !r.schemas[target]:
			if unknown++; unknown > maxUnknown {
				continue
			}
			if rawjson.Follow(r.root, target) == nil {
				return ref.from, true
			}
		}
		if ref.from == target || strings.HasPrefix(ref.from, target+"/") {
			return ref.from, true
		}
		if to := definitionOf(target); to != "" {
			from := definitionOf(ref.from)
			leads[from] = append(leads[from], to)
		}
	}
	states := map[string]state{}
	for _, ref := range r.all {
		if from := definitionOf(ref.from); from != "" && isCircular(leads, from, states) {
			return ref.from, true
		}
	}
	return "", false
}

// definitionOf returns the pointer of the definition that a place belongs to, or "".
func definitionOf(pointer string) string {
	for _, keyword := range []string{"/$defs/", "/definitions/"} {
		if name, found := strings.CutPrefix(pointer, keyword); found {
			name, _, _ = strings.Cut(name, "/")
			return keyword + name
		}
	}
	return ""
}

// A state of a definition in the search for circles.
type state int

const (
	entered state = iota + 1 // and not left yet
	left
)

// isCircular reports whether references lead from a definition to one that was entered
// before.
func isCircular(leads map[string][]string, definition string, states map[string]state) bool {
	if known := states[definition]; known != 0 {
		return known == entered
	}
	states[definition] = entered
	for _, next := range leads[definition] {
		if isCircular(leads, next, states) {
			return true
		}
	}
	states[definition] = left
	return false
}
