package schema

import (
	"strings"
	"unicode"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema/format"
)

// IsEmail reports whether the text is an email address in its common form: a local part
// of RFC 5321 atoms and dots, which may have characters other than ASCII (RFC 6531), and a
// host name. The format "email" uses the same check.
func IsEmail(text string) bool { return format.IsEmail([]byte(text)) }

// IsURL reports whether the text is an absolute http or https URL with a host (RFC 3986).
// The format "uri" allows other schemes.
func IsURL(text string) bool {
	scheme, rest, _ := strings.Cut(text, "://")
	switch strings.ToLower(scheme) {
	case "http", "https":
		host := rest
		if end := strings.IndexAny(host, "/?#"); end >= 0 {
			host = host[:end]
		}
		host = host[strings.LastIndexByte(host, '@')+1:]
		return host != "" && host[0] != ':' && format.IsURI(text)
	}
	return false
}

// IsPath reports whether the text is a relative slash-separated path that stays in its
// folder: it is not empty, not absolute, and has no "..", backslash, drive letter or
// control character. IsPath doesn't resolve symbolic links: open the path with [os.Root].
func IsPath(text string) bool {
	if text == "" || text[0] == '/' || strings.ContainsRune(text, '\\') {
		return false
	}
	if len(text) >= 2 && text[1] == ':' && text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z' {
		return false
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return false
	}
	for element := range strings.SplitSeq(text, "/") {
		if element == ".." {
			return false
		}
	}
	return true
}

// IsJSON reports whether the text is exactly one JSON value (RFC 8259) without repeated
// names in its objects.
func IsJSON(text string) bool { return codec.Valid([]byte(text)) }
