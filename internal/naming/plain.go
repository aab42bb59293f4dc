package naming

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// These are compiled when they are used first. Every program links them, and compiling them
// before main took 0.1 ms of each start.
//
//nolint:gochecknoglobals // never change
var (
	triplet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[0-9A-Fa-f]{2}`) })
	// idle matches slashes and segments "." that don't change which file a path names.
	idle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[/?#&=,;])(?:\.?/)+`) })
	// trailing matches the same at the end of a path.
	trailing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:/\.?)+([?#&]|$)`) })
)

// PlainURI returns one URI for all that a handler may take for the same: those that differ
// in their encoding, in extra slashes, in segments "." or in the order of query variables.
// A path has no slash at its end. URIs that mean different things may have the same plain
// URI, so it only finds candidates.
func PlainURI(uri string) string {
	uri = NormalizeURI(uri)
	scheme, rest, _ := strings.Cut(uri, ":")
	if isPlain(rest) {
		return uri
	}
	rest = decodeFully(rest)
	path := strings.TrimLeft(rest, "/")
	root := rest[:len(rest)-len(path)]
	path, query, found := strings.Cut(clean(path), "?")
	if found {
		pairs := strings.Split(query, "&")
		slices.Sort(pairs)
		path += "?" + strings.Join(pairs, "&")
	}
	return scheme + ":" + encode(root+path)
}

// isPlain reports whether the part of a normalized URI after the scheme is one of a common
// form, such as //notes/7, which PlainURI doesn't change. Reading a template allocates nine
// times less.
func isPlain(rest string) bool {
	path := strings.TrimLeft(rest, "/")
	return path != "" && path[0] != '.' && path[len(path)-1] != '/' && !strings.Contains(path, "//") && !strings.Contains(rest, "/.") &&
		!strings.ContainsFunc(path, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune("%?#&=,;{}", c) })
}

// PlainPath returns a value without encoding, extra slashes, segments "." and a slash at its
// end.
func PlainPath(value string) string { return clean(decodeFully(value)) }

func clean(path string) string {
	return trailing().ReplaceAllString(idle().ReplaceAllString(path, "$1"), "$1")
}

// decodeFully decodes a text that may be encoded several times. No template matches a value
// that is encoded more often.
func decodeFully(text string) string {
	for range 4 {
		text = Decode(text)
	}
	return text
}

// Decode decodes percent-encoded bytes and leaves the rest.
func Decode(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	return triplet().ReplaceAllStringFunc(text, func(encoded string) string {
		decoded, _ := percent(encoded)
		return string([]byte{decoded})
	})
}

// encode percent-encodes the bytes that are invalid in a URI.
func encode(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || c == '{' || c == '}' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
