package resources

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// compile compiles the template's pattern.
func (t *Template) compile() error {
	var b strings.Builder
	b.WriteString("^")
	started := false // whether the literals have begun a query
	for _, part := range t.parts {
		if part.expression == nil {
			b.WriteString(regexp.QuoteMeta(part.literal))
			started = started || strings.Contains(part.literal, "?")
			continue
		}
		if part.expression == t.query {
			break
		}
		part.expression.pattern(&b, t.barred(part.expression, started))
	}
	if t.query != nil {
		b.WriteString("(?:" + regexp.QuoteMeta(t.query.first) + "([^#]*))?")
	}
	b.WriteString("$")
	var err error
	t.pattern, err = regexp.Compile(b.String())
	return err
}

// barred returns the characters that end a value.
func (t *Template) barred(e *expression, started bool) string {
	barred := `/?#`
	if e.reserved {
		barred = ""
		if t.query != nil {
			barred = regexp.QuoteMeta(t.query.first)
		}
	}
	if started || t.query != nil && t.query.symbol == "&" {
		barred += "&"
	}
	if len(e.variables) > 1 || e.symbol == ";" {
		barred += e.separate
	}
	return barred
}

// Match returns the variables of a URI, decoded. It returns false if the template can't
// produce the URI. It also returns false if a value could lead a handler out of its
// folder: if the value has a segment "..", a backslash or a NUL, or is an absolute path,
// or if a variable of one segment, such as {id}, has a slash or is ".". Match finds these even if
// they are percent-encoded several times. Equivalent spellings of a URI match, such as
// %61 for a. URIs longer than 8 KiB don't match.
func (t *Template) Match(uri string) (map[string]string, bool) {
	if len(uri) > limits.MaxURI || strings.ContainsFunc(uri, isForbidden) {
		return nil, false
	}
	uri = naming.NormalizeURI(uri)
	spans := t.pattern.FindStringSubmatchIndex(uri)
	if spans == nil {
		return nil, false
	}
	variables := make(map[string]string, len(t.variables))
	spans = spans[2:] // without the span of the whole URI
	if t.query != nil {
		last := len(spans) - 2
		if from, to := spans[last], spans[last+1]; from >= 0 && !t.query.match(uri[from:to], variables) {
			return nil, false
		}
		spans = spans[:last]
	}
	i := 0
	for _, part := range t.parts {
		if part.expression == nil || part.expression == t.query {
			continue
		}
		for _, name := range part.expression.variables {
			group := ""
			if spans[i] >= 0 {
				group = uri[spans[i]:spans[i+1]]
			}
			value, ok := decode(group, part.expression.isSegment())
			if !ok {
				return nil, false
			}
			variables[name] = value
			i += 2
		}
	}
	return variables, true
}

// isForbidden reports whether a character is invalid in every URI.
func isForbidden(r rune) bool { return r <= ' ' || r == 0x7f || r == '{' || r == '}' }

// decode decodes a value, and refuses values that aren't text or aren't safe as a path. A
// segment has no slash.
func decode(text string, segment bool) (string, bool) {
	value, err := url.PathUnescape(text)
	return value, err == nil && utf8.ValidString(value) && isSafe(value, segment)
}

// isSafe reports whether a value, as a path, stays in its folder, even if a handler
// decodes it again. It refuses values that are encoded many times.
func isSafe(value string, segment bool) bool {
	for range 4 {
		if strings.ContainsAny(value, "\\\x00") || isAbsolute(value) || leavesFolder(value) || segment && !isSegment(value) {
			return false
		}
		decoded := naming.Decode(value)
		if decoded == value {
			return true
		}
		value = decoded
	}
	return false
}

// isSegment reports whether a value is one segment of a path that names something in its
// folder, not the folder itself.
func isSegment(value string) bool { return value != "." && !strings.Contains(value, "/") }

// leavesFolder reports whether a path has the segment "..".
func leavesFolder(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == ".." {
			return true
		}
	}
	return false
}

// isAbsolute reports whether a value is an absolute path on Unix or Windows.
func isAbsolute(value string) bool {
	return strings.HasPrefix(value, "/") || len(value) >= 3 && value[1:3] == ":/" && 'a' <= value[0]|0x20 && value[0]|0x20 <= 'z'
}
