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
		found, err := e.Fetcher.discover(ctx, e.Issuer, e.Member)
		if err != nil {
			return "", err
		}
		e.found, e.until = found, now.Add(limits.MaxKeyAge)
	}
	return e.found, nil
}

// Forget makes URL fetch the metadata again, since the URL may have changed.
func (e *Endpoint) Forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found = ""
}

// discover returns a URL from the metadata of an issuer, such as that of its keys. It tries
// the addresses that clients try (RFC 8414, OpenID Connect Discovery, MCP specification).
func (f *Fetcher) discover(ctx context.Context, issuer, member string) (string, error) {
	var failures []string
	for _, address := range metadataURLs(issuer) {
		found, err := f.metadata(ctx, issuer, address, member)
		if err == nil {
			return found, nil
		}
		if _, ok := errors.AsType[*noAnswer](err); ok {
			return "", err // the other addresses have the same host
		}
		failures = append(failures, err.Error())
	}
	return "", fmt.Errorf("no metadata of the issuer has its %s; check Issuer.URL, or configure the URL of the endpoint: %s", member, strings.Join(failures, "; "))
}

// metadata returns a member of the metadata at an address.
func (f *Fetcher) metadata(ctx context.Context, issuer, address, member string) (string, error) {
	answer, err := f.get(ctx, address)
	if err != nil {
		return "", err
	}
	if answer.Status != http.StatusOK {
		return "", fmt.Errorf("%s answers with the status %d", address, answer.Status)
	}
	var document map[string]codec.Value
	if err := codec.Unmarshal(answer.Body, &document); err != nil {
		return "", fmt.Errorf("%s is not a document of JSON: %s", address, codec.Explain(err))
	}
	if named, _ := codec.Unquote(document["issuer"]); named != issuer {
		return "", fmt.Errorf("%s names the issuer %.*q, not %q; set Issuer.URL to the exact text if that is your issuer", address, limits.MaxClaim, named, issuer)
	}
	found, _ := codec.Unquote(document[member])
	if found == "" {
		return "", fmt.Errorf("%s has no %s", address, member)
	}
	return found, nil
}

// metadataURLs returns the addresses at which an issuer may publish its metadata.
func metadataURLs(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	origin := u.Scheme + "://" + u.Host
	urls := []string{origin + "/.well-known/oauth-authorization-server" + path, origin + "/.well-known/openid-configuration" + path}
	if path != "" {
		urls = append(urls, origin+path+"/.well-known/openid-configuration")
	}
	return urls
}
