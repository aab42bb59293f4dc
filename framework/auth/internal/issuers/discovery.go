package issuers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// An Endpoint is a URL of an issuer, which is configured or in the metadata of the issuer.
type Endpoint struct {
	Fetcher *Fetcher
	Issuer  string
	Member  string // of the metadata
	Fixed   string // the configured URL, or ""

	mu    sync.Mutex // is held while the metadata is fetched, so that it is fetched once
	found string
	until time.Time
}

// URL returns the URL. It fetches the metadata if it is old.
func (e *Endpoint) URL(ctx context.Context) (string, error) {
	if e.Fixed != "" {
		return e.Fixed, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := time.Now(); e.found == "" || !now.Before(e.until) {
		u, err := url.Parse(e.Issuer)
		if err != nil {
			return "", fmt.Errorf("the issuer %.*q is not a URL", limits.MaxClaim, e.Issuer)
		}
		var metadata map[string]codec.Value
		if err := e.Fetcher.Discover(ctx, e.Issuer, e.Member, &metadata, wellknown.ServerURLs(u)...); err != nil {
			return "", err
		}
		e.found, _ = codec.Unquote(metadata[e.Member])
		e.until = now.Add(limits.MaxKeyAge)
	}
	return e.found, nil
}

// Forget makes URL fetch the metadata again, since the URL may have changed.
func (e *Endpoint) Forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found = ""
}

// Discover decodes the metadata of an issuer, which is at the first of the addresses that answers
// with a certain member, such as the URL of its keys (RFC 8414, OpenID Connect Discovery, MCP
// specification).
func (f *Fetcher) Discover(ctx context.Context, issuer, member string, into any, addresses ...string) error {
	var failures []string
	for _, address := range addresses {
		err := f.metadata(ctx, issuer, address, member, into)
		if err == nil {
			return nil
		}
		if _, ok := errors.AsType[*noAnswer](err); ok {
			return err // the other addresses have the same host
		}
		if len(addresses) == 1 {
			return err
		}
		failures = append(failures, err.Error())
	}
	return fmt.Errorf("no metadata of the issuer has its %s; check the URL of the issuer, or configure the URL of the endpoint: %s", member, strings.Join(failures, "; "))
}

// metadata decodes the metadata at an address.
func (f *Fetcher) metadata(ctx context.Context, issuer, address, member string, into any) error {
	answer, err := f.get(ctx, address)
	if err != nil {
		return err
	}
	if answer.Status != http.StatusOK {
		return fmt.Errorf("%s answers with the status %d", address, answer.Status)
	}
	var document map[string]codec.Value
	if err := codec.Unmarshal(answer.Body, &document); err != nil {
		return fmt.Errorf("%s is not a document of JSON: %s", address, codec.Explain(err))
	}
	if named, _ := codec.Unquote(document["issuer"]); named != issuer {
		return fmt.Errorf("%s names the issuer %.*q, not %q; set the URL of the issuer to the exact text if that is your issuer", address, limits.MaxClaim, named, issuer)
	}
	if found, _ := codec.Unquote(document[member]); found == "" {
		return fmt.Errorf("%s has no %s", address, member)
	}
	if err := codec.Unmarshal(answer.Body, into); err != nil {
		return fmt.Errorf("%s is malformed: %s", address, codec.Explain(err))
	}
	return nil
}
