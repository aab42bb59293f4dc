// Package spec defines the differences between the versions of MCP. It has the
// [Version]s, and converts definitions and results, which callers pass in the shape of the
// newest version, to the shapes of older ones. It also defines the severities of log
// messages.
package spec

import "slices"

// A Version is a protocol version. Versions are ordered by date.
type Version uint8

// The versions, oldest first.
const (
	VersionUnknown Version = iota
	Version20241105
	Version20250326
	Version20250618
	Version20251125
	Version20260728
)

// Newest is the newest version. Definitions and results are passed in its shape.
const Newest = Version20260728

// NewestLegacy is the newest version with a handshake.
const NewestLegacy = Version20251125

// versionNames are the names of the versions on the wire.
var versionNames = [...]string{"unknown", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} //nolint:gochecknoglobals // never written

// String returns the version's name on the wire.
func (v Version) String() string { return versionNames[v] }

// Modern reports whether the version is stateless: 2026-07-28 and later.
func (v Version) Modern() bool { return v >= Version20260728 }

// ParseVersion returns the version with a name, or VersionUnknown.
func ParseVersion[Text ~string | ~[]byte](name Text) Version {
	for v := Newest; v > VersionUnknown; v-- {
		if string(name) == versionNames[v] {
			return v
		}
	}
	return VersionUnknown
}

// ClaimsModern reports whether a header's value is a modern version, known or future.
func ClaimsModern(header string) bool {
	return header >= Version20260728.String() && isDate(header)
}

func isDate(text string) bool {
	if len(text) != len("2006-01-02") {
		return false
	}
	for i, c := range []byte(text) {
		if dash := i == 4 || i == 7; dash != (c == '-') || !dash && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Versions is the set of versions that a server supports.
type Versions []Version

// Modern returns the modern members, newest first.
func (set Versions) Modern() Versions { return set.filter(true) }

// Legacy returns the members with a handshake, newest first.
func (set Versions) Legacy() Versions { return set.filter(false) }

func (set Versions) filter(modern bool) (out Versions) {
	for v := Newest; v > VersionUnknown; v-- {
		if v.Modern() == modern && slices.Contains(set, v) {
			out = append(out, v)
		}
	}
	return out
}

// AppendNames appends the names as a JSON array.
func (set Versions) AppendNames(dst []byte) []byte {
	dst = append(dst, '[')
	for i, v := range set {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), v.String()...), '"')
	}
	return append(dst, ']')
}
