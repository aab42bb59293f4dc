package spec

// A Severity is the severity of a log message, named as in syslog (RFC 5424). The zero value
// means that a client wants no messages.
type Severity uint8

// The severities, least severe first.
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

// DefaultSeverity is the level of a legacy client that hasn't set one. The specification
// leaves the choice to the server. Clients that show log messages but never set a level
// expect info.
const DefaultSeverity = SeverityInfo

// severityNames are the names of the severities on the wire.
var severityNames = [...]string{"none", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} //nolint:gochecknoglobals // never written

// String returns the severity's name on the wire.
func (s Severity) String() string { return severityNames[s] }

// ParseSeverity returns the severity with a name, or SeverityNone. It also accepts "warn",
// which some clients send.
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
