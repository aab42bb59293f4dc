// Package format checks the formats of JSON Schema, such as email and date-time.
package format

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Known returns the formats that a schema may assert.
func Known() []string {
	return []string{"email", "uri", "date", "date-time", "uuid", "ipv4", "ipv6", "hostname"}
}

// Matches reports whether the text matches a format: one of [Known], or one that Go's codec
// reads. Those are base64; time, a date-time as time.Time has it, with capital letters and
// without a leap second; and the numbers int8 to int64, uint8 to uint64, float32 and float64.
// Every text matches an unknown format.
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
	case "time":
		return isDateTime(text) && text[10] == 'T' && text[len(text)-1] != 'z' && text[17] != '6'
	}
	if kind, bits := number(format); bits > 0 {
		return isNumber(kind, bits, text)
	}
	return true
}

// number returns the kind and the bits of the format of a number. It returns 0 bits for other
// formats.
func number(format string) (kind string, bits int) {
	for _, kind := range []string{"int", "uint", "float"} {
		if rest, ok := strings.CutPrefix(format, kind); ok {
			bits, _ := strconv.Atoi(rest)
			return kind, bits
		}
	}
	return "", 0
}

// isNumber reports whether the text is a number in the notation of JSON that a Go type holds.
func isNumber(kind string, bits int, text []byte) bool {
	var err error
	switch digits := bytes.TrimPrefix(text, []byte("-")); {
	case len(digits) == 0 || !isDigit(digits[0]) || len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]):
		return false
	case kind == "float":
		_, err = strconv.ParseFloat(string(text), bits)
		return err == nil && !bytes.ContainsAny(text, "_xX") && isDigit(text[len(text)-1])
	case kind == "uint":
		_, err = strconv.ParseUint(string(text), 10, bits)
	default:
		_, err = strconv.ParseInt(string(text), 10, bits)
	}
	return err == nil
}

// Describe returns a description of a format, for the sentence "must be …".
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
	case "time":
		return "a date and time such as 2026-01-31T09:30:00Z, with capital letters and no leap second"
	}
	switch kind, bits := number(format); {
	case bits == 0:
		return ""
	case kind == "float":
		return fmt.Sprintf("a number of %d bits, as text", bits)
	case kind == "uint" && bits == 64:
		return "an integer of 64 bits that is not negative, as text"
	case kind == "uint":
		return fmt.Sprintf("an integer from 0 to %d, as text", uint64(1)<<bits-1)
	case bits == 64:
		return "an integer of 64 bits, as text"
	default:
		return fmt.Sprintf("an integer from %d to %d, as text", int64(-1)<<(bits-1), int64(1)<<(bits-1)-1)
	}
}

// IsEmail reports whether the text is a mailbox of RFC 5321, whose local part may have
// characters other than ASCII (RFC 6531). Quoted local parts and address literals are not
// allowed.
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

// isDateTime reports whether the text is a date-time of RFC 3339, with letters of either
// case. Leap seconds are allowed.
func isDateTime(text []byte) bool {
	if len(text) < len("2006-01-02T15:04:05Z") || !isDate(text[:10]) || text[10]|0x20 != 't' || text[13] != ':' || text[16] != ':' {
		return false
	}
	hour, minute, second := twoDigits(text[11:], 23), twoDigits(text[14:], 59), twoDigits(text[17:], 60)
	offset, ok := parseOffset(skipFraction(text[19:]))
	if hour < 0 || minute < 0 || second < 0 || !ok {
		return false
	}
	const day = 24 * 60
	return second < 60 || (hour*60+minute-offset+day)%day == day-1
}

// twoDigits returns the number in the first two bytes, or -1 if they are not digits or the
// number is more than most.
func twoDigits(text []byte, most int) int {
	if !isDigit(text[0]) || !isDigit(text[1]) {
		return -1
	}
	if n := int(text[0]-'0')*10 + int(text[1]-'0'); n <= most {
		return n
	}
	return -1
}

// skipFraction returns the text after the fraction of a second, or nil if the fraction has no
// digits.
func skipFraction(text []byte) []byte {
	if text[0] != '.' {
		return text
	}
	end := 1
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if end == 1 {
		return nil
	}
	return text[end:]
}

// parseOffset returns the minutes of a time-offset of RFC 3339.
func parseOffset(text []byte) (minutes int, ok bool) {
	switch {
	case len(text) == 1:
		return 0, text[0]|0x20 == 'z'
	case len(text) != len("+00:00") || text[0] != '+' && text[0] != '-' || text[3] != ':':
		return 0, false
	}
	hour, minute := twoDigits(text[1:], 23), twoDigits(text[4:], 59)
	minutes = hour*60 + minute
	if text[0] == '-' {
		minutes = -minutes
	}
	return minutes, hour >= 0 && minute >= 0
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
	after, hasAuthority := strings.CutPrefix(rest, "//")
	if hasAuthority {
		end := strings.IndexAny(after, "/?#")
		if end < 0 {
			end = len(after)
		}
		if !isAuthority(after[:end]) {
			return false
		}
		rest = after[end:]
	}
	return strings.Count(rest, "#") <= 1 && !strings.ContainsAny(rest, "[]")
}

func isAuthority(authority string) bool {
	user, host, found := strings.Cut(authority, "@")
	if !found {
		user, host = "", authority
	}
	if literal, found := strings.CutPrefix(host, "["); found {
		address, after, closed := strings.Cut(literal, "]")
		if !closed || !isIPLiteral(address) || after != "" && after[0] != ':' {
			return false
		}
		host = after
	}
	_, port, _ := strings.Cut(host, ":")
	return !strings.ContainsAny(user+host, "[]@") && strings.Trim(port, "0123456789") == ""
}

// isIPLiteral reports whether the text may be the host of a URI between brackets.
func isIPLiteral(text string) bool {
	if version, future := strings.CutPrefix(strings.ToLower(text), "v"); future { // RFC 3986, IPvFuture
		number, address, found := strings.Cut(version, ".")
		return found && address != "" && number != "" && strings.Trim(number, "0123456789abcdef") == "" && !strings.ContainsAny(address, "[]@/%")
	}
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6()
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsAlphanumeric reports whether a byte is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool { return isLetter(c) || isDigit(c) }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
