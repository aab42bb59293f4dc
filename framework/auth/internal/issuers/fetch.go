package issuers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Fetcher sends requests to an issuer. It bounds the answers, doesn't follow redirects, and
// keeps a public issuer from sending it to this machine.
type Fetcher struct {
	client *http.Client
	local  bool // the issuer is on loopback
}

// An Answer is the answer of an issuer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// A noAnswer is the error of a request that the issuer didn't answer.
type noAnswer struct{ err error }

func (e *noAnswer) Error() string {
	if errors.Is(e.err, errInternal) {
		return e.err.Error()
	}
	return e.err.Error() + "; check that this program can reach the issuer, or set Issuer.Client"
}

func (e *noAnswer) Unwrap() error { return e.err }

// NewFetcher returns a fetcher for an issuer. Without a client, it uses one of its own.
func NewFetcher(issuer string, client *http.Client) *Fetcher {
	f := &Fetcher{client: &http.Client{}}
	if u, err := url.Parse(issuer); err == nil {
		f.local = naming.IsLoopback(u.Hostname())
	}
	if client != nil {
		*f.client = *client
	} else {
		f.client.Transport = f.transport()
	}
	f.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return f
}

// transport returns a transport that checks each address before it connects, after the name
// was resolved.
func (f *Fetcher) transport() *http.Transport {
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		if at, err := netip.ParseAddrPort(address); err == nil && !f.local && isInternal(at.Addr()) {
			return fmt.Errorf("%w: a public issuer must not point there; if a proxy listens there, set Issuer.Client", errInternal)
		}
		return nil
	}}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    limits.IntrospectionCalls,
		MaxResponseHeaderBytes: limits.MaxHeaderBytes,
		IdleConnTimeout:        30 * time.Second,
	}
}

var errInternal = errors.New("the address is loopback, link-local or unspecified")

// isInternal reports whether an address belongs to this machine or its link, where cloud
// providers serve secrets. Private networks are not internal: issuers of companies are there.
func isInternal(address netip.Addr) bool {
	address = address.Unmap()
	return address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsMulticast() || address.IsUnspecified()
}

// check refuses URLs that the fetcher doesn't send requests to.
func (f *Fetcher) check(u *url.URL) error {
	switch {
	case u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("it is not an https URL")
	case f.local:
		return nil
	case u.Scheme != "https":
		return errors.New("it must be an https URL, since the issuer is not on loopback")
	case naming.IsLoopback(u.Hostname()):
		return fmt.Errorf("%w: a public issuer must not point there", errInternal)
	}
	if address, err := netip.ParseAddr(u.Hostname()); err == nil && isInternal(address) {
		return fmt.Errorf("%w: a public issuer must not point there", errInternal)
	}
	return nil
}

// CheckText is check for a URL of the configuration.
func (f *Fetcher) CheckText(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return errors.New("it is not a URL")
	}
	return f.check(u)
}

// get fetches a document.
func (f *Fetcher) get(ctx context.Context, address string) (*Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%q is not a URL", address)
	}
	request.Header.Set("Accept", "application/json")
	return f.Do(request)
}

// Do sends a request. Its errors name the URL, but not the body or the headers.
func (f *Fetcher) Do(request *http.Request) (*Answer, error) {
	address := request.URL.Redacted()
	if err := f.check(request.URL); err != nil {
		return nil, fmt.Errorf("refused to send a request to %s: %w", address, err)
	}
	response, err := f.client.Do(request)
	if err != nil {
		return nil, &noAnswer{err}
	}
	defer func() { _ = response.Body.Close() }()
	if status := response.StatusCode; status >= 300 && status < 400 {
		return nil, fmt.Errorf("%s redirects to %.*q; redirects are not followed, so configure the URL that it redirects to", address, limits.MaxClaim, response.Header.Get("Location"))
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limits.MaxIssuerDocument+1))
	switch {
	case err != nil:
		return nil, &noAnswer{fmt.Errorf("reading the answer of %s: %w", address, err)}
	case len(body) > limits.MaxIssuerDocument:
		return nil, fmt.Errorf("the answer of %s is longer than %d bytes; check that it is the right URL", address, limits.MaxIssuerDocument)
	}
	return &Answer{response.StatusCode, response.Header, body}, nil
}
