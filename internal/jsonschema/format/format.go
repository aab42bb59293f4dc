// Package format implements formats of JSON Schema.
package format

import (
	"bytes"
	"encoding/base64"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Known returns the formats that schemas may assert.
func Known() []string {
	return []string{"email", "uri", "date", "date-time", "uuid", "ipv4", "ipv6", "hostname"}
}

// Matches reports whether the text matches a format: one of [Known], or base64. Every text matches an unknown format.
func Matches(format string, text []byte) bool {
	switch format {
	case "email":
		return IsEmail(text)
	case "uri":
		return IsURI(string(text))
	case "date":
		return isDate(text)
	case "date-time":
		return isDateTime(text)
	case "uuid":
		return isUUID(text)
	case "ipv4":
		address, err := netip.ParseAddr(string(text))
		return err == nil && address.Is4()
	case "ipv6":
		address, err := netip.ParseAddr(string(text))
		return err == nil && address.Is6() && address.Zone() == ""
	case "hostname":
		return isHostname(text)
	case "base64":
		_, err := base64.StdEncoding.Strict().DecodeString(string(text))
		return err == nil && bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0
	}
	return true
}

// Describe returns the description of a format for messages, as in "must be …".
func Describe(format string) string {
	switch format {
	case "email":
		return "an email address"
	case "uri":
		return "an absolute URI"
	case "date":
		return "a date such as 2026-01-31"
	case "date-time":
		return "a date and time such as 2026-01-31T09:30:00Z"
	case "uuid":
		return "a UUID"
	case "ipv4":
		return "an IPv4 address"
	case "ipv6":
		return "an IPv6 address"
	case "hostname":
		return "a host name"
	case "base64":
		return "a string in base64"
	}
	return ""
}

// IsEmail reports whether the text is a mailbox of RFC 5321. Quoted local parts and address literals are not allowed.
func IsEmail(text []byte) bool {
	at := bytes.LastIndexByte(text, '@')
	if at < 1 || at > 64 || len(text) > 254 {
		return false
	}
	local, domain := text[:at], text[at+1:]
	if local[0] == '.' || local[at-1] == '.' || bytes.Contains(local, []byte("..")) {
		return false
	}
	for _, c := range local {
		if !IsAlphanumeric(c) && c < 0x80 && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~.", rune(c)) {
			return false
		}
	}
	return isHostname(domain)
}

// isHostname reports whether the text is a host name of RFC 1123.
func isHostname(text []byte) bool {
	if len(text) == 0 || len(text) > 253 {
		return false
	}
	for label := range bytes.SplitSeq(text, []byte(".")) {
		if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range label {
			if !IsAlphanumeric(c) && c != '-' {
				return false
			}
		}
	}
	return true
}

// isDate reports whether the text is a full-date of RFC 3339.
func isDate(text []byte) bool {
	if len(text) != len(time.DateOnly) {
		return false
	}
	_, err := time.Parse(time.DateOnly, string(text))
	return err == nil
}

// isDateTime reports whether the text is a date-time of RFC 3339, with letters of either case. Leap seconds are allowed.
func isDateTime(text []byte) bool {
	if len(text) < len("2006-01-02T15:04:05Z") {
		return false
	}
	upper := bytes.ToUpper(text)
	if bytes.IndexByte(upper, ',') >= 0 || upper[10] != 'T' {
		return false
	}
	if string(upper[16:19]) == ":60" {
		copy(upper[16:19], ":59")
		moment, err := time.Parse(time.RFC3339Nano, string(upper))
		return err == nil && moment.UTC().Hour() == 23 && moment.UTC().Minute() == 59
	}
	_, err := time.Parse(time.RFC3339Nano, string(upper))
	return err == nil
}

// isUUID reports whether the text is a UUID of RFC 9562.
func isUUID(text []byte) bool {
	if len(text) != 36 {
		return false
	}
	for i, c := range text {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !isHex(c) {
			return false
		}
	}
	return true
}

// IsURI reports whether the text is a URI of RFC 3986 with a scheme.
func IsURI(text string) bool {
	scheme, rest, found := strings.Cut(text, ":")
	if !found || scheme == "" || !isLetter(scheme[0]) {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !IsAlphanumeric(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '%':
			if i+2 >= len(rest) || !isHex(rest[i+1]) || !isHex(rest[i+2]) {
				return false
			}
		case !IsAlphanumeric(c) && strings.IndexByte("-._~:/?#[]@!$&'()*+,;=", c) < 0:
			return false
		}
	}
	if authority, found := strings.CutPrefix(rest, "//"); found {
		if end := strings.IndexAny(authority, "/?#"); end >= 0 {
			authority = authority[:end]
		}
		return isAuthority(authority)
	}
	return strings.Count(rest, "#") <= 1 && !strings.ContainsAny(rest, "[]")
}

func isAuthority(authority string) bool {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	if literal, found := strings.CutPrefix(host, "["); found {
		address, after, closed := strings.Cut(literal, "]")
		if _, err := netip.ParseAddr(address); err != nil || !closed {
			return false
		}
		host = after
	}
	if strings.ContainsAny(host, "[]") {
		return false
	}
	_, port, found := strings.Cut(host, ":")
	if !found || port == "" {
		return true
	}
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsAlphanumeric reports whether a byte is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
