// Package endpoint helps clients of an MCP endpoint over HTTP: it checks the URL that a
// person gave, and explains why a request got no answer.
package endpoint

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// Parse returns the URL of an endpoint. The errors are mistakes of the user.
func Parse(rawURL string) (*url.URL, error) {
	u, err := url.Parse(rawURL)
	switch {
	case err != nil || strings.ContainsAny(rawURL, " \t\r\n"):
		return nil, fmt.Errorf("%q is not a URL; write one such as https://mcp.example.com/mcp", rawURL)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q must begin with https://, or with http:// on this machine", rawURL)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%q has no host; write a URL such as https://mcp.example.com/mcp", rawURL)
	case u.User != nil:
		return nil, fmt.Errorf("the URL has a user name or password, which clients don't send; remove it")
	case u.Fragment != "" || strings.HasSuffix(rawURL, "#"):
		return nil, fmt.Errorf("%q has a fragment, which clients don't send; remove it", rawURL)
	}
	return u, nil
}

// CheckToken returns an error if an access token must not be sent to a URL, because others
// could read it.
func CheckToken(u *url.URL) error {
	if naming.IsSecure(u) {
		return nil
	}
	return fmt.Errorf("the access token isn't sent to %s over http://, where others can read it; use https://", naming.Printable(u.Host))
}

// Explain returns the problem behind the error of a request to an address, which gave up
// after the limit, or had none if that is 0. It leaves the query out, which may hold a token.
func Explain(address string, err error, limit time.Duration) *finding.Problem {
	address, _, _ = strings.Cut(address, "?")
	host := address
	if u, parseErr := url.Parse(address); parseErr == nil {
		host = cmp.Or(u.Host, address)
	}
	if failed := new(url.Error); errors.As(err, &failed) {
		err = failed.Err
	}
	if p := explainTLS(host, err); p != nil {
		return p
	}
	unknown := new(net.DNSError)
	switch timeout := net.Error(nil); {
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return finding.NewProblem("Correct the URL, or add the name to the DNS.", "The host %s doesn't exist.", Show(host))
	case errors.Is(err, syscall.ECONNREFUSED):
		return finding.NewProblem("Start the server, or correct the port.", "%s refuses the connection: no program listens there.", host)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		within := "in time"
		if limit > 0 {
			within = "within " + limit.String()
		}
		return finding.NewProblem("Find out what makes the server or its proxy wait; clients give up after about the same time.",
			"%s doesn't answer %s.", Show(address), within)
	}
	return finding.NewProblem("Check that the port serves HTTP.", "%s doesn't answer: %s.", Show(address), Show(err.Error()))
}

// explainTLS returns nil if TLS isn't the cause.
func explainTLS(host string, err error) *finding.Problem {
	unknown, name, invalid, record := new(x509.UnknownAuthorityError), new(x509.HostnameError), new(x509.CertificateInvalidError), new(tls.RecordHeaderError)
	switch {
	case errors.As(err, unknown):
		return finding.NewProblem("Use a certificate of a public authority. To check a server with your own, name its file in SSL_CERT_FILE.",
			"The TLS certificate of %s comes from an authority that this machine doesn't trust.", host)
	case errors.As(err, name):
		return finding.NewProblem("Get a certificate with this host name, or use the name in the certificate.",
			"The TLS certificate of %s is for another host.", host)
	case errors.As(err, invalid) && invalid.Reason == x509.Expired:
		return finding.NewProblem("Renew the certificate, and check the clocks.", "The TLS certificate of %s has expired, or isn't valid yet.", host)
	case errors.As(err, invalid):
		return finding.NewProblem("Replace the certificate.", "The TLS certificate of %s isn't valid: %s.", host, Show(invalid.Error()))
	case errors.As(err, record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return finding.NewProblem("Use http:// on loopback; elsewhere put a proxy with TLS in front.", "%s doesn't use TLS on this port.", host)
	}
	return nil
}

// Show quotes a value of a server as ASCII, so that a terminal doesn't obey its control
// characters, and letters that look alike differ. It cuts long values.
func Show(value string) string {
	const limit = 200
	if len(value) > limit {
		return fmt.Sprintf("%+q…", value[:limit])
	}
	return fmt.Sprintf("%+q", value)
}
