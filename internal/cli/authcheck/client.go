package authcheck

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/fetch"
)

// The limits of a check. A server can't make it hang or fill the memory.
const (
	requestTime = 10 * time.Second // Claude waits as long
	totalTime   = 2 * time.Minute
	maxBody     = 1 << 20
)

// A client sends the requests of a check. It keeps no cookies and follows no redirects.
type client struct {
	http     *http.Client
	patience time.Duration // with each request
}

func newClient() *client {
	return &client{http: fetch.NewClient(fetch.Everywhere, nil), patience: requestTime}
}

// A request is one request of the check. Header has pairs of a name and a value.
type request struct {
	method, url, body string
	header            []string
}

// An answer is the answer to a request.
type answer struct {
	*fetch.Answer
	tooLarge bool // the body has more than maxBody bytes, and was not read
}

func (a *answer) String() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status)))
}

func (a *answer) succeeded() bool { return a.Status >= 200 && a.Status < 300 }

func (a *answer) redirects() bool { return a.Status >= 300 && a.Status < 400 }

// isMCP reports whether the answer has one of the two media types of MCP.
func (a *answer) isMCP() bool {
	return a.MediaType() == "application/json" || a.MediaType() == "text/event-stream"
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
	got, err := fetch.Do(c.http, message, maxBody)
	tooLarge := errors.Is(err, fetch.ErrTooLong)
	if err != nil && !tooLarge {
		return nil, c.explain(r.url, err)
	}
	return &answer{got, tooLarge}, nil
}

// explain names the cause of a request without an answer.
func (c *client) explain(address string, err error) *problem {
	p := endpoint.Explain(address, err, c.patience)
	return &problem{p.What.Error(), p.Fix}
}

// show quotes a value of a server.
func show(value string) string { return endpoint.Show(value) }
