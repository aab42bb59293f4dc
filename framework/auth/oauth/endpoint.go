package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A requestError is an answer that refuses a request (RFC 6749, section 5.2).
type requestError struct {
	status      int
	code        string // such as "invalid_request"
	description string
	header      http.Header
}

func (e *requestError) Error() string { return e.code + ": " + e.description }

// invalid returns the error for a request that is malformed.
func invalid(format string, args ...any) *requestError {
	return &requestError{status: http.StatusBadRequest, code: "invalid_request", description: fmt.Sprintf(format, args...)}
}

// slowDown returns the error for a client that has to wait.
func slowDown(wait time.Duration) *requestError {
	seconds := strconv.Itoa(int(wait.Seconds()))
	return &requestError{
		status: http.StatusTooManyRequests, code: "temporarily_unavailable", description: "There are too many requests; try again in " + seconds + " s",
		header: http.Header{"Retry-After": {seconds}},
	}
}

// An endpoint is a handler that returns its answer, which is sent as JSON.
type endpoint func(r *http.Request) (answer any, err error)

// serve answers requests with a method by an endpoint, with a status if it succeeds. Answers are never stored by caches,
// since most have tokens.
func (s *Server) serve(method string, status int, do endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method {
			w.Header().Set("Allow", method)
			s.refuse(w, r, &requestError{status: http.StatusMethodNotAllowed, code: "invalid_request", description: "This endpoint takes " + method + " requests"})
			return
		}
		answer, err := do(r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		s.writeJSON(w, r, status, answer)
	}
}

// refuse answers with an error. Errors that the client can't fix are logged, not returned.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if waits, ok := errors.AsType[*grants.WaitError](err); ok {
		err = slowDown(waits.Wait)
	}
	refused, ok := errors.AsType[*requestError](err)
	if grant, refusedGrant := errors.AsType[*grants.Error](err); !ok && refusedGrant {
		refused = &requestError{status: http.StatusBadRequest, code: grant.Code, description: grant.Description}
	} else if !ok && s.logFailure(r, err) == http.StatusServiceUnavailable {
		refused = unavailable("The server is busy; try again later")
	} else if !ok {
		refused = &requestError{status: http.StatusInternalServerError, code: "server_error", description: "The server failed; its log says why"}
	}
	for name, values := range refused.header {
		w.Header()[name] = values
	}
	s.writeJSON(w, r, refused.status, map[string]string{"error": refused.code, "error_description": ascii(refused.description)})
}

// logFailure logs an error that the client can't fix, and returns the status of the answer.
func (s *Server) logFailure(r *http.Request, err error) (status int) {
	level, status := slog.LevelError, http.StatusInternalServerError
	switch {
	case r.Context().Err() != nil: // the client is gone
		level, status = slog.LevelDebug, http.StatusServiceUnavailable
	case store.IsBusy(err):
		level, status = slog.LevelWarn, http.StatusServiceUnavailable
	}
	s.logger().Log(r.Context(), level, "an OAuth request failed", "path", r.URL.Path, "status", status, "error", err)
	return status
}

func (s *Server) writeJSON(w http.ResponseWriter, r *http.Request, status int, answer any) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if answer == nil {
		w.WriteHeader(status)
		return
	}
	text, err := json.Marshal(answer)
	if err != nil { // claims that a program made
		s.refuse(w, r, err)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone
}

// ascii returns a description with the characters that RFC 6749 allows in one.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"' || r == '\\':
			return '\''
		case r < ' ' || r > '~':
			return '?'
		}
		return r
	}, text)
}

// A form has the parameters of a request. Each is there once, and an empty one is as one that
// is not there (RFC 6749, section 3.2).
type form url.Values

// get returns a parameter, or "".
func (f form) get(name string) string {
	if values := f[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// logRefusal logs why the request of a client that wants access is refused, since clients
// rarely tell their users.
func (s *Server) logRefusal(r *http.Request, what, reason string, attrs ...any) {
	address := s.address(r)
	if s.refusals.Take(throttle.KeyOf("", address)) == 0 {
		s.logger().WarnContext(r.Context(), what, append([]any{"reason", reason, "address", address}, attrs...)...)
	}
}

// refuseLimit answers a request that exceeds a limit of the program. The code is that of a
// request which the client should not repeat.
func (s *Server) refuseLimit(code string) func(http.ResponseWriter, *http.Request, *exchange.Error) {
	return func(w http.ResponseWriter, r *http.Request, refused *exchange.Error) {
		answer := &requestError{status: refused.Status, code: code, description: refused.Message}
		if refused.Header.Get("Retry-After") != "" {
			answer.code = "temporarily_unavailable"
		}
		s.refuse(w, r, answer)
	}
}

// readForm reads the form in the body of a request. Parameters in the URL are refused, since
// URLs are logged and secrets must not be.
func readForm(r *http.Request) (form, error) {
	if r.URL.RawQuery != "" {
		return nil, invalid("Send the parameters in the body, not in the URL")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, invalid("Send the parameters as application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, invalid("The body could not be read")
	}
	return parseRequest(string(body))
}

// parseRequest parses the parameters of a client's request, which may become keys and rows.
func parseRequest(text string) (form, error) {
	f, err := parseForm(text)
	if err == nil {
		err = checkParameters(url.Values(f))
	}
	return f, err
}

// parseForm parses parameters.
func parseForm(text string) (form, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, invalid("The parameters are not encoded as a form")
	}
	found := form{}
	for name, given := range values {
		if len(given) > 1 {
			if name == "resource" {
				return nil, &requestError{status: http.StatusBadRequest, code: "invalid_target", description: "A token is for one resource; send the parameter resource once"}
			}
			return nil, invalid("The parameter %.50s occurs more than once", name)
		}
		if given[0] != "" {
			found[name] = given
		}
	}
	return found, nil
}

// checkParameters returns an error for a parameter that is too long, or that not every store
// can keep in as many bytes: one with invalid UTF-8 or a control character.
func checkParameters(values url.Values) error {
	for name, given := range values {
		size := limits.MaxParameter
		switch name {
		case "client_id":
			size = limits.MaxClientID
		case "token", "code": // an access token may have many claims, and so may the code of another server
			size = limits.MaxToken
		case "client_assertion", "assertion":
			size = limits.MaxAssertion
		}
		for _, text := range append(given, name) {
			if len(text) > size {
				return invalid("The parameter %.50s is longer than %d bytes", name, size)
			}
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
				return invalid("The parameter %.50s has invalid UTF-8 or a control character", name)
			}
		}
	}
	return nil
}

// checkPageForm returns an error for the form of a page that the page can't have sent. Only
// scopes are there several times.
func checkPageForm(values url.Values) error {
	for name, given := range values {
		if len(given) > 1 && name != "scope" {
			return invalid("The parameter %.50s occurs more than once", name)
		}
	}
	return checkParameters(values)
}
