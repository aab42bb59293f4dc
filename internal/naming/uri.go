package naming

import (
	"net/url"
	"strings"
)

// IsURI reports whether a text is a URI with a scheme (RFC 3986), as those of resources
// must be.
func IsURI(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && parsed.Scheme != "" && !strings.ContainsAny(text, " <>\"\\^`|{}")
}

// HasScheme reports whether a text begins with a scheme, as "docs:" is (RFC 3986).
func HasScheme(text string) bool {
	scheme, _, found := strings.Cut(text, ":")
	if !found || scheme == "" || scheme[0]|0x20 < 'a' || scheme[0]|0x20 > 'z' {
		return false
	}
	return strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") == ""
}
