package upstream

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// answerTime is how long the provider has for an answer, and for all answers of a login.
const answerTime = 10 * time.Second

// newClient returns the client for requests to a provider. It bounds the time and the size of
// answers. It follows no redirects, which would take secrets to another host.
func newClient(given *http.Client) *http.Client {
	client := &http.Client{}
	if given != nil {
		*client = *given
	}
	if client.Timeout == 0 || client.Timeout > answerTime {
		client.Timeout = answerTime
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Transport = bounded{cmp.Or(client.Transport, http.DefaultTransport)}
	return client
}

// bounded is a transport with a limit on the size of answers.
type bounded struct{ http.RoundTripper }

// RoundTrip sends a request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	w, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		w.Body = &boundedBody{w.Body, limits.MaxIssuerDocument}
	}
	return w, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

// Read fails behind the limit.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", limits.MaxIssuerDocument)
	}
	return n, err
}
