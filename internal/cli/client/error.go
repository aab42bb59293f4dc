package client

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// The codes of errors that the client handles.
const (
	codeMethodNotFound  = -32601
	codeInternal        = -32603
	codeCannotAsk       = -32021 // MissingRequiredClientCapability
	codeNeedsPages      = -32042 // URLElicitationRequired, before 2026-07-28
	codeInvalidParams   = -32602
	codeUnknownResource = -32002 // before 2026-07-28
)

// An Error is the error that a server answers with.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`

	pages [][]byte // the raw params of the questions with the URLs that the user has to open

	elicits bool // whether the client lacks the capability to ask the user
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", naming.Printable(e.Message), e.Code) }

// IsUnknown reports whether the server may not know the name or URI in the request.
func (e *Error) IsUnknown() bool {
	return e.Code == codeInvalidParams || e.Code == codeUnknownResource
}

// IsQuestion reports whether the server would have asked the user a question.
func (e *Error) IsQuestion() bool { return e.Code == codeCannotAsk && e.elicits }

// IsUnsupported reports whether the server needs what this client never does, such as sampling.
func (e *Error) IsUnsupported() bool { return e.Code == codeCannotAsk && !e.elicits }

// readError reads the raw error of a response.
func readError(raw []byte) error {
	answered := &Error{}
	if err := codec.Unmarshal(raw, answered); err != nil {
		return fmt.Errorf("the server answered with an error that isn't one of JSON-RPC: %s", endpoint.Show(string(raw)))
	}
	answered.elicits = spec.Lookup(raw, "data", "requiredCapabilities", "elicitation") != nil
	if answered.Code == codeNeedsPages {
		for _, question := range spec.ParseArray(spec.Lookup(raw, "data", "elicitations")) {
			if isPage(question) {
				answered.pages = append(answered.pages, question)
			}
		}
	}
	return answered
}

// isPage reports whether the raw params of a question ask the user to open a URL.
func isPage(question []byte) bool {
	mode, _ := codec.Unquote(spec.Lookup(question, "mode"))
	address, _ := codec.Unquote(spec.Lookup(question, "url"))
	return mode == "url" && address != ""
}

// A PageError is the error of a call that the server answers only after the user has opened
// pages, which nobody did.
type PageError struct {
	Pages [][]byte // the raw params of the questions with the URLs
}

func (e *PageError) Error() string {
	if len(e.Pages) > 1 {
		return "the call needs pages that you open first"
	}
	return "the call needs a page that you open first"
}

// A RefusedError is the error of a request that a server over HTTP refuses with a status
// only.
type RefusedError struct {
	Status   int
	Location string // where a redirect leads
	Scopes   string // that the access token needs, for 403
	text     string // the reason in the challenge, or the beginning of a body that is plain text
}

func (e *RefusedError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("the server refuses the request: %d %s", e.Status, http.StatusText(e.Status)))
	if e.text != "" {
		text += ": " + e.text
	}
	return text
}

// IsLogin reports whether the server wants another access token.
func (e *RefusedError) IsLogin() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// challenge takes the reason and the scopes of the Bearer challenge in the header of a 401 or 403.
func (e *RefusedError) challenge(header http.Header) {
	found, _ := endpoint.ParseChallenges(header)
	challenge, _ := endpoint.Bearer(found)
	if reason := challenge.Params["error_description"]; reason != "" {
		e.text = endpoint.Show(reason)
	}
	if e.Status == http.StatusForbidden {
		e.Scopes = challenge.Params["scope"]
	}
}

// An EndedError is the error of a program that ended before it answered.
type EndedError struct {
	Code int // -1 if a signal ended it
	how  string
}

// Error says how the program ended, such as "exit status 3" and "signal: killed".
func (e *EndedError) Error() string {
	return fmt.Sprintf("the server ended before it answered: %s", e.how)
}

// errTooLong is the error for a message that the client doesn't read.
var errTooLong = fmt.Errorf("the server sent a message of more than %d MiB, the limit of this client; let the server return less at once", maxMessage>>20)
