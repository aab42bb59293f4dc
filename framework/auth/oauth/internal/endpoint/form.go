package endpoint

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// ReadForm reads the form in the body of a request. Parameters in the URL are refused, since
// URLs are logged and secrets must not be.
func ReadForm(r *http.Request) (url.Values, error) {
	if r.URL.RawQuery != "" {
		return nil, Invalid("Send the parameters in the body, not in the URL")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, Invalid("Send the parameters as application/x-www-form-urlencoded")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, Invalid("The body could not be read")
	}
	return ParseRequest(string(body))
}

// ParseRequest parses the parameters of a client's request, which may become keys and rows.
func ParseRequest(text string) (url.Values, error) {
	f, err := ParseForm(text)
	if err == nil {
		err = CheckParameters(f)
	}
	return f, err
}

// ParseForm parses parameters. Each is there once, and an empty one is as one that is not there
// (RFC 6749, section 3.2).
func ParseForm(text string) (url.Values, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, Invalid("The parameters are not encoded as a form")
	}
	found := url.Values{}
	for name, given := range values {
		if len(given) > 1 {
			if name == "resource" {
				return nil, Refused("invalid_target", "A token is for one resource; send the parameter resource once")
			}
			return nil, Invalid("The parameter %.50s occurs more than once", name)
		}
		if given[0] != "" {
			found[name] = given
		}
	}
	return found, nil
}

// CheckParameters returns an error for a parameter that is too long, or that not every store
// can keep in as many bytes: one with invalid UTF-8 or a control character.
func CheckParameters(values url.Values) error {
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
				return Invalid("The parameter %.50s is longer than %d bytes", name, size)
			}
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
				return Invalid("The parameter %.50s has invalid UTF-8 or a control character", name)
			}
		}
	}
	return nil
}

// CheckPageForm returns an error for the form of a page that the page can't have sent. Only
// scopes are there several times.
func CheckPageForm(values url.Values) error {
	for name, given := range values {
		if len(given) > 1 && name != "scope" {
			return Invalid("The parameter %.50s occurs more than once", name)
		}
	}
	return CheckParameters(values)
}
