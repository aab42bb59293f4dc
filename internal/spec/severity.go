package spec

// A Severity says how grave a log message is, by the names of syslog (RFC 5424).
// The zero value is none: a client that asked for no messages.
type Severity uint8

// The severities, from the least grave.
const (
	SeverityNone Severity = iota
	SeverityDebug
	SeverityInfo
	SeverityNotice
	SeverityWarning
	SeverityError
	SeverityCritical
	SeverityAlert
	SeverityEmergency
)

// DefaultSeverity is what clients before 2026-07-28 get that have set no level.
const DefaultSeverity = SeverityWarning

// String returns the severity's name on the wire.
func (s Severity) String() string {
	switch s {
	case SeverityDebug:
		return "debug"
	case SeverityInfo:
		return "info"
	case SeverityNotice:
		return "notice"
	case SeverityWarning:
		return "warning"
	case SeverityError:
		return "error"
	case SeverityCritical:
		return "critical"
	case SeverityAlert:
		return "alert"
	case SeverityEmergency:
		return "emergency"
	case SeverityNone:
	}
	return "none"
}

// ParseSeverity returns the severity of that name, SeverityNone for others. It takes
// "warn" too, which some clients send.
func ParseSeverity(name []byte) Severity {
	if string(name) == "warn" {
		return SeverityWarning
	}
	for s := SeverityDebug; s <= SeverityEmergency; s++ {
		if string(name) == s.String() {
			return s
		}
	}
	return SeverityNone
}
