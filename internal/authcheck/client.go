package authcheck

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// The limits of a check. A server can't make it hang or fill the memory.
const (
	requestTime = 10 * time.Second // Claude waits as long
	totalTime   = 2 * time.Minute
	maxBody     = 1 << 20
	maxHeader   = 64 << 10
)

// A client sends the requests of a check. It keeps no cookies and follows no redirects.
type client struct {
	http     *http.Client
	patience time.Duration // with each request
}

func newClient() *client {
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeader,
	}
	return &client{patience: requestTime, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// A request is one request of the check. Header has pairs of a name and a value.
type request struct {
	method, url, body string
	header            []string
}

// An answer is the answer to a request.
type answer struct {
	status   int
	header   http.Header
	body     []byte // not read from an event stream
	tooLarge bool   // the body has more than maxBody bytes
}

func (a *answer) String() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)))
}

func (a *answer) succeeded() bool { return a.status >= 200 && a.status < 300 }

func (a *answer) redirects() bool { return a.status >= 300 && a.status < 400 }

func (a *answer) mediaType() string {
	mediaType, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	return mediaType
}

// isMCP reports whether the answer has one of the two media types of MCP.
func (a *answer) isMCP() bool {
	return a.mediaType() == "application/json" || a.mediaType() == "text/event-stream"
}

// send returns the answer to a request, or why there is none.
func (c *client) send(ctx context.Context, r request) (*answer, *problem) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	message, err := http.NewRequestWithContext(ctx, r.method, r.url, strings.NewReader(r.body))
	if err != nil {
		return nil, c.explain(r.url, err)
	}
	message.Header.Set("User-Agent", "mcp-auth-check")
	for i := 0; i+1 < len(r.header); i += 2 {
		message.Header.Set(r.header[i], r.header[i+1])
	}
	response, err := c.http.Do(message)
	if err != nil {
		return nil, c.explain(r.url, err)
	}
	defer func() { _ = response.Body.Close() }()
	a := &answer{status: response.StatusCode, header: response.Header}
	if a.mediaType() == "text/event-stream" {
		return a, nil
	}
	a.body, err = io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return nil, c.explain(r.url, err)
	}
	a.tooLarge = len(a.body) > maxBody
	return a, nil
}

// explain names the cause of a request without an answer. It leaves the query out, which
// may hold a token.
func (c *client) explain(address string, err error) *problem {
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
		return &problem{fmt.Sprintf("The host %s doesn't exist.", show(host)), "Correct the URL, or add the name to the DNS."}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &problem{fmt.Sprintf("%s refuses the connection: no program listens there.", host), "Start the server, or correct the port."}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &problem{fmt.Sprintf("%s doesn't answer within %s.", show(address), c.patience),
			"Find out what makes the server or its proxy wait; clients give up after about the same time."}
	}
	return &problem{fmt.Sprintf("%s doesn't answer: %s.", show(address), show(err.Error())), "Check that the port serves HTTP."}
}

// explainTLS returns nil if TLS isn't the cause.
func explainTLS(host string, err error) *problem {
	unknown, name, invalid, record := new(x509.UnknownAuthorityError), new(x509.HostnameError), new(x509.CertificateInvalidError), new(tls.RecordHeaderError)
	switch {
	case errors.As(err, unknown):
		return &problem{fmt.Sprintf("The TLS certificate of %s comes from an authority that this machine doesn't trust.", host),
			"Use a certificate of a public authority. To check a server with your own, name its file in SSL_CERT_FILE."}
	case errors.As(err, name):
		return &problem{fmt.Sprintf("The TLS certificate of %s is for another host.", host), "Get a certificate with this host name, or use the name in the certificate."}
	case errors.As(err, invalid) && invalid.Reason == x509.Expired:
		return &problem{fmt.Sprintf("The TLS certificate of %s has expired, or isn't valid yet.", host), "Renew the certificate, and check the clocks."}
	case errors.As(err, invalid):
		return &problem{fmt.Sprintf("The TLS certificate of %s isn't valid: %s.", host, show(invalid.Error())), "Replace the certificate."}
	case errors.As(err, record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return &problem{fmt.Sprintf("%s doesn't use TLS on this port.", host), "Use http:// on loopback; elsewhere put a proxy with TLS in front."}
	}
	return nil
}

// show quotes a value of a server as ASCII, so that a terminal doesn't obey its control
// characters, and letters that look alike differ. It cuts long values.
func show(value string) string {
	const limit = 200
	if len(value) > limit {
		return fmt.Sprintf("%+q…", value[:limit])
	}
	return fmt.Sprintf("%+q", value)
}
