package naming

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// IsURI reports whether a text is a URI with a scheme (RFC 3986), as resources require.
func IsURI(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && parsed.Scheme != "" && !strings.ContainsAny(text, " <>\"\\^`|{}")
}

// HasScheme reports whether a text begins with a scheme and a colon, such as "docs:" (RFC 3986).
func HasScheme(text string) bool {
	scheme, _, found := strings.Cut(text, ":")
	if !found || scheme == "" || !isLetter(scheme[0]) {
		return false
	}
	return strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") == ""
}

// NormalizeURI returns the normal form of a URI, for comparisons (RFC 3986, section
// 6.2.2): a scheme in lower case, characters percent-encoded only if necessary, and
// encodings in upper case. It doesn't change the rest: the part after "//" is often a
// case-sensitive identifier, and readers of the URI must refuse paths with dots.
func NormalizeURI(uri string) string {
	uri = NormalizeURIPart(uri)
	scheme, _, _ := strings.Cut(uri, ":")
	if lower := strings.ToLower(scheme); lower != scheme && HasScheme(uri) {
		return lower + uri[len(scheme):]
	}
	return uri
}

// NormalizeURIPart returns the normal form of a part of a URI without a scheme.
func NormalizeURIPart(part string) string {
	if !strings.ContainsFunc(part, func(r rune) bool { return r == '%' || r >= utf8.RuneSelf }) {
		return part
	}
	const upper = "0123456789ABCDEF"
	out := make([]byte, 0, len(part)+len(part)/2)
	for i := 0; i < len(part); i++ {
		c := part[i]
		switch decoded, ok := percent(part[i:]); {
		case ok && isUnreserved(decoded):
			out = append(out, decoded)
			i += 2
		case ok:
			out = append(out, '%', upper[decoded>>4], upper[decoded&15])
			i += 2
		case c >= utf8.RuneSelf: // not ASCII: allowed only in an IRI
			out = append(out, '%', upper[c>>4], upper[c&15])
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// percent decodes the percent-encoded byte at the beginning of a text.
func percent(text string) (decoded byte, ok bool) {
	if len(text) < 3 || text[0] != '%' {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, text[1]), strings.IndexByte(hexDigits, text[2])
	return byte(high>>1<<4 | low>>1), high >= 0 && low >= 0
}

// hexDigits has each digit twice, in both cases.
const hexDigits = "00112233445566778899AaBbCcDdEeFf"

// isUnreserved reports whether a character means the same encoded and plain (RFC 3986,
// section 2.3).
func isUnreserved(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
