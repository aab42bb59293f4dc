// Package fetch makes requests to servers that a program doesn't know well, such as issuers of
// tokens, hosts of metadata documents, and servers under examination. Its clients follow no
// redirects, which would take secrets to another host, connect only within a reach, and read
// only so much of an answer.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// NewClient returns a client that follows no redirects. If a program gives its own client, it
// is a copy of that. Otherwise it connects within the reach, which is checked after names are
// resolved: a name can't have another address when it is checked than when it is used.
func NewClient(reach Reach, given *http.Client) *http.Client {
	client := &http.Client{}
	if given != nil {
		*client = *given
	} else {
		client.Transport = newTransport(reach)
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

func newTransport(reach Reach) *http.Transport {
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return reach.check(to.Addr())
	}}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: limits.IntrospectionCalls, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: limits.MaxHeaderBytes,
	}
	if reach == Public { // each server is asked once in a while, and a proxy would connect to any address
		transport.Proxy, transport.DisableKeepAlives, transport.DisableCompression = nil, true, true
		transport.MaxResponseHeaderBytes = limits.MaxDocumentHeader
	}
	return transport
}

// An Answer is the answer to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // an event stream has none here, since it may have no end
}

// MediaType returns the media type of the body, or "".
func (a *Answer) MediaType() string {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return kind
}

// Lifetime returns how long the answer may be used (RFC 9111, section 5.2), within the bounds. It
// is otherwise if the answer doesn't say.
func (a *Answer) Lifetime(least, most, otherwise time.Duration) time.Duration {
	for directive := range strings.SplitSeq(strings.Join(a.Header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-store", "no-cache":
			return least
		case "max-age":
			if seconds, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil {
				return min(max(time.Duration(min(seconds, 1<<30))*time.Second, least), most)
			}
		}
	}
	return otherwise
}

// Get requests a JSON document; see [Do].
func Get(ctx context.Context, client *http.Client, address string, most int) (*Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	return Do(client, request, most)
}

// Do sends a request. If the body of the answer can't be read, it returns the answer without
// it and the error, which is ErrTooLong for a body with more bytes than most.
func Do(client *http.Client, request *http.Request, most int) (*Answer, error) {
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer := &Answer{Status: response.StatusCode, Header: response.Header}
	if answer.MediaType() == "text/event-stream" {
		return answer, nil
	}
	body, err := io.ReadAll(&boundedBody{response.Body, most, most})
	if err != nil {
		return answer, err
	}
	answer.Body = body
	return answer, nil
}

// ErrTooLong means that an answer is longer than it may be.
var ErrTooLong = errors.New("the answer is longer")

// Bound returns a transport that reads at most so many bytes of each answer, for a client that
// other code reads the answers of. The default transport is net/http's.
func Bound(transport http.RoundTripper, most int) http.RoundTripper {
	return bounded{cmp.Or(transport, http.DefaultTransport), most}
}

type bounded struct {
	http.RoundTripper
	most int
}

// RoundTrip sends a request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	w, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		w.Body = &boundedBody{w.Body, b.most, b.most}
	}
	return w, err
}

type boundedBody struct {
	io.ReadCloser
	left, most int
}

// Read fails behind the limit.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("%w than %d bytes", ErrTooLong, b.most)
	}
	return n, err
}
