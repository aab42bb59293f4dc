package authcheck

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
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

// explain names the cause of a request without an answer.
func (c *client) explain(address string, err error) *problem {
	p := endpoint.Explain(address, err, c.patience)
	return &problem{p.What, p.Fix}
}

// show quotes a value of a server.
func show(value string) string { return endpoint.Show(value) }
