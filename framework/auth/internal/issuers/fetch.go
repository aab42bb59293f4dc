package issuers

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/fetch"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Fetcher sends requests to an issuer, and to the servers that its metadata names. A public
// issuer can't send it to this machine.
type Fetcher struct {
	client *http.Client
	reach  fetch.Reach
}

// A noAnswer is the error of a request that the issuer didn't answer.
type noAnswer struct{ err error }

func (e *noAnswer) Error() string {
	if errors.Is(e.err, fetch.ErrInternal) {
		return e.err.Error()
	}
	return e.err.Error() + "; check that this program can reach the issuer, or set Client"
}

func (e *noAnswer) Unwrap() error { return e.err }

// NewFetcher returns a fetcher for an issuer. Without a client, it uses one of its own.
func NewFetcher(issuer string, client *http.Client) *Fetcher {
	reach := fetch.ReachFrom(issuer)
	return &Fetcher{fetch.NewClient(reach, client), reach}
}

// get fetches a document.
func (f *Fetcher) get(ctx context.Context, address string) (*fetch.Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%q is not a URL", address)
	}
	request.Header.Set("Accept", "application/json")
	return f.Do(request)
}

// Do sends a request. Its errors name the URL, but not the body or the headers.
func (f *Fetcher) Do(request *http.Request) (*fetch.Answer, error) {
	address := request.URL.Redacted()
	if err := f.reach.CheckURL(request.URL.String()); err != nil {
		return nil, fmt.Errorf("refused to send a request to %s: %w", address, err)
	}
	answer, err := fetch.Do(f.client, request, limits.MaxIssuerDocument)
	switch {
	case answer == nil:
		return nil, &noAnswer{err}
	case answer.Status >= 300 && answer.Status < 400:
		return nil, fmt.Errorf("%s redirects to %.*q; redirects are not followed, so configure the URL that it redirects to", address, limits.MaxClaim, answer.Header.Get("Location"))
	case errors.Is(err, fetch.ErrTooLong):
		return nil, fmt.Errorf("the answer of %s is longer than %d bytes; check that it is the right URL", address, limits.MaxIssuerDocument)
	case err != nil:
		return nil, &noAnswer{fmt.Errorf("reading the answer of %s: %w", address, err)}
	}
	return answer, nil
}
