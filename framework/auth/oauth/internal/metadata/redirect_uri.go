package metadata

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// ErrUnknownScheme means that a redirect URI has a private scheme that isn't allowed.
var ErrUnknownScheme = errors.New("the scheme is unknown")

// isDangerous reports whether a scheme runs code or reads files in a browser. No
// configuration allows it.
func isDangerous(scheme string) bool {
	return slices.Contains([]string{"javascript", "data", "file", "vbscript", "blob", "about", "filesystem", "view-source", "ws", "wss", "ftp"}, scheme)
}

// CheckRedirectURI returns why a client may not register a redirect URI (RFC 6749, section
// 3.1.2). It may have the scheme https, http on a loopback host, or a private scheme, which
// has a dot (RFC 8252, section 7.1) or is one of the given ones; for another one the error is
// ErrUnknownScheme. Its query may not have the parameters of an answer, since a client that
// reads the first one of two would mistake that for the server's.
func CheckRedirectURI(uri string, schemes []string) error {
	if len(uri) > limits.MaxClientURI {
		return fmt.Errorf("it is longer than %d bytes", limits.MaxClientURI)
	}
	if at := strings.IndexFunc(uri, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\\*\"<>^`{|}", r) }); at >= 0 {
		return fmt.Errorf("it has a character that a URI can't have, or a wildcard, at position %d", at+1)
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme == "":
		return errors.New("it must be an absolute URI, such as https://client.example/callback")
	case !strings.HasPrefix(uri, u.Scheme+":"): // it would differ from what is shown of it
		return errors.New("its scheme must be in lower case")
	case strings.Contains(uri, "#"):
		return errors.New("it must have no fragment")
	case u.User != nil || strings.Contains(u.Host, "@"):
		return errors.New("it must have no user")
	}
	if err := checkQuery(u.RawQuery); err != nil {
		return err
	}
	switch {
	case u.Scheme == "https":
		return CheckHost(u)
	case u.Scheme == "http":
		if _, _, ok := loopback(uri); !ok || CheckHost(u) != nil {
			return errors.New("http is only for 127.0.0.1, [::1] and localhost; use https")
		}
	case isDangerous(u.Scheme):
		return fmt.Errorf("the scheme %s is not allowed", u.Scheme)
	case !strings.Contains(u.Scheme, ".") && !slices.Contains(schemes, u.Scheme):
		return fmt.Errorf("%w: %s; a private scheme has a dot, such as com.example.app, or is one of %s", ErrUnknownScheme, u.Scheme, strings.Join(schemes, ", "))
	}
	return nil
}

// checkQuery returns why the query of a redirect URI isn't accepted.
func checkQuery(query string) error {
	parameters, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("its query is not encoded as a form")
	}
	for _, name := range []string{"code", "state", "iss", "error", "error_description", "error_uri", "response"} {
		if parameters.Has(name) {
			return fmt.Errorf("its query has the parameter %s, which belongs to the answer", name)
		}
	}
	return nil
}

// MatchRedirectURI reports whether a request may use a redirect URI because of a registered one. Both
// must be equal, byte by byte. On a loopback host the port may differ: a program on the
// user's machine gets one when it starts (RFC 8252, section 7.3).
func MatchRedirectURI(registered, requested string) bool {
	if registered == requested {
		return true
	}
	host, rest, ok := loopback(registered)
	wantHost, wantRest, wantOK := loopback(requested)
	return ok && wantOK && host == wantHost && rest == wantRest
}

// loopback splits a URI with the scheme http and a loopback host into the host and what
// follows the port. It reads the text and not a parsed URL: two spellings are not equal.
func loopback(uri string) (host, rest string, ok bool) {
	authority, ok := strings.CutPrefix(uri, "http://")
	if !ok {
		return "", "", false
	}
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority, rest = authority[:end], authority[end:]
	}
	host = authority
	if colon := strings.LastIndexByte(authority, ':'); colon >= 0 && !strings.HasSuffix(authority, "]") {
		port := authority[colon+1:]
		if port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
			return "", "", false
		}
		host = authority[:colon]
	}
	return host, rest, IsLoopback(host)
}

// IsLoopback reports whether the host of a URI is the user's own machine, in a spelling that
// clients use: localhost, [::1] or an address that begins with 127.
func IsLoopback(host string) bool {
	return host == "[::1]" || host == strings.ToLower(host) && !strings.Contains(host, ":") && naming.IsLoopback(host)
}
