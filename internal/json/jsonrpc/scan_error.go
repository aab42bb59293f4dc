package jsonrpc

import (
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// A ScanError says why bytes are not a message.
type ScanError struct {
	Malformed bool // whether the bytes are not JSON
	Reason    string
}

func notJSON(reason string) error { return &ScanError{true, reason} }

func notMessage(reason string) error { return &ScanError{false, reason} }

// Error returns the reason, as one sentence without a period.
func (e *ScanError) Error() string { return e.Reason }

var errNotUTF8 = notJSON("the message is not valid UTF-8")

// brokenFirst returns the error for data that was refused with err, perhaps before its end.
// If the data isn't JSON, that is the error, no matter what else is wrong.
func (s *scanner) brokenFirst(err error) error {
	if refusal, ok := errors.AsType[*ScanError](err); ok && refusal.Malformed {
		return err
	}
	if s.lenient {
		return errNotUTF8
	}
	switch at := rawjson.Broken(s.data); at {
	case -1:
		return err
	case len(s.data):
		return notJSON(fmt.Sprintf("the message ends after %d bytes, before its JSON does", at))
	default:
		return notJSON(fmt.Sprintf("the message is not valid JSON from byte %d on", at))
	}
}
