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
