package endpoint

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An Error is an answer that refuses a request (RFC 6749, section 5.2).
type Error struct {
	Status      int
	Code        string // such as "invalid_request"
	Description string
	Header      http.Header
}

func (e *Error) Error() string { return e.Code + ": " + e.Description }

// Refused returns an error with the status 400.
func Refused(code, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Code: code, Description: fmt.Sprintf(format, args...)}
}

// Invalid returns the error for a request that is malformed.
func Invalid(format string, args ...any) *Error { return Refused("invalid_request", format, args...) }

// SlowDown returns the error for a client that has to wait.
func SlowDown(wait time.Duration) *Error {
	seconds := strconv.Itoa(int(wait.Seconds()))
	return &Error{
		Status: http.StatusTooManyRequests, Code: "temporarily_unavailable", Description: "There are too many requests; try again in " + seconds + " s",
		Header: http.Header{"Retry-After": {seconds}},
	}
}

// Unavailable returns the error for a request that can't be decided at the moment. Clients
// keep their tokens, and try again.
func Unavailable(description string) *Error {
	return &Error{Status: http.StatusServiceUnavailable, Code: "temporarily_unavailable", Description: description, Header: http.Header{"Retry-After": {"30"}}}
}

// ASCII returns the description with the characters that RFC 6749 allows in one.
func (e *Error) ASCII() string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"' || r == '\\':
			return '\''
		case r < ' ' || r > '~':
			return '?'
		}
		return r
	}, e.Description)
}

// Quoted returns a short text of a request for a description.
func Quoted(text string) string {
	if len(text) > 50 {
		text = text[:50] + "..."
	}
	return "'" + text + "'"
}
