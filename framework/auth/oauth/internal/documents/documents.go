// Package documents fetches the metadata documents of clients whose ID is the URL of the
// document (OAuth Client ID Metadata Document, draft-ietf-oauth-client-id-metadata-document).
// Everybody can name any URL, so a fetch goes to public addresses only, and is small, short
// and rare.
package documents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/internal/cache"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/fetch"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Document is the metadata of a client (RFC 7591, section 2).
type Document struct {
	ClientID        string          `json:"client_id"`
	Name            string          `json:"client_name"`
	URI             string          `json:"client_uri"`
	RedirectURIs    []string        `json:"redirect_uris"`
	GrantTypes      []string        `json:"grant_types"`
	AuthMethod      string          `json:"token_endpoint_auth_method"`
	AuthMethods     []string        `json:"token_endpoint_auth_methods_supported"`
	ApplicationType string          `json:"application_type"`
	Keys            json.RawMessage `json:"jwks"`
	KeysURI         string          `json:"jwks_uri"`

	Secret        json.RawMessage `json:"client_secret"`
	SecretExpires json.RawMessage `json:"client_secret_expires_at"`

	// Failure is why the document comes from the snapshot. It is nil for one that was fetched.
	Failure error `json:"-"`
}

// IsURL reports whether the ID of a client is the URL of its document.
func IsURL(id string) bool { return strings.HasPrefix(id, "https://") }

// CheckURL returns why a URL can't be the URL of a document.
func CheckURL(id string) error {
	if len(id) > limits.MaxClientID {
		return fmt.Errorf("it is longer than %d bytes", limits.MaxClientID)
	}
	u, err := url.Parse(id)
	switch {
	case err != nil || !IsURL(id) || u.Hostname() == "":
		return errors.New("it is not an https URL")
	case u.Path == "" || u.Path == "/":
		return errors.New("it has no path")
	case strings.ContainsAny(id, "?#") || u.User != nil:
		return errors.New("it has a query, a fragment or a user")
	case u.Port() != "" && u.Port() != "443":
		return errors.New("its port isn't 443")
	}
	if err := metadata.CheckHost(u); err != nil {
		return err
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return errors.New("its path has dot segments")
		}
	}
	return nil
}

// A Fetcher fetches documents and keeps them for a while. Several goroutines may use it.
type Fetcher struct {
	client   *http.Client
	snapshot map[string]Document
	starts   *throttle.Limiter // of fetches, by those who named the URLs
	kept     *cache.Cache[string, fetched]
	failed   *cache.Cache[string, fetched] // apart, so that failures don't displace documents
	fetches  singleflight.Group            // by URLs

	mu      sync.Mutex
	hosts   map[string]int       // running fetches, by host
	callers map[throttle.Key]int // running fetches, by who named the URLs
}

// A fetched is the result of a fetch.
type fetched struct {
	document Document
	err      error
}

// New returns a fetcher that sends its requests with a client, as often as a limiter allows
// whoever names a URL. It returns the documents of a snapshot while they can't be fetched.
func New(client *http.Client, snapshot map[string]Document, starts *throttle.Limiter) *Fetcher {
	return &Fetcher{
		client: client, snapshot: snapshot, starts: starts,
		kept: cache.New[string, fetched](limits.CachedDocuments), failed: cache.New[string, fetched](limits.CachedDocuments),
		hosts: map[string]int{}, callers: map[throttle.Key]int{},
	}
}

// NewClient returns a client that connects to public addresses only. It is for all URLs that a
// client of the server names.
func NewClient() *http.Client { return fetch.NewClient(fetch.Public, nil) }

// Get returns the document at a URL for a caller, who named it. The error says why there is none,
// which a program must not tell the caller: it would make the server a scanner of networks.
func (f *Fetcher) Get(ctx context.Context, id string, caller throttle.Key) (Document, error) {
	if err := CheckURL(id); err != nil {
		return Document{}, err
	}
	document, err := f.current(ctx, id, caller)
	if last, ok := f.snapshot[id]; ok && err != nil {
		last.Failure = err
		return last, nil
	}
	return document, err
}

// current returns the document that is at a URL now. Its fetch goes on when the request ends,
// since others may wait.
func (f *Fetcher) current(ctx context.Context, id string, caller throttle.Key) (Document, error) {
	found, ok := f.lately(id)
	for !ok {
		select {
		case <-ctx.Done():
			return Document{}, ctx.Err()
		case result := <-f.fetches.DoChan(id, func() (any, error) { return f.find(id, caller), nil }):
			found = result.Val.(fetched) //nolint:forcetypeassert // find returns one
		}
		refusal, other := errors.AsType[*tooMany](found.err)
		ok = !other || refusal.caller == caller // somebody else may have named the same URL at the same time
	}
	return found.document, found.err
}

// errBusy means that many documents of a host are being fetched.
var errBusy = errors.New("too many documents of its host are being fetched")

// A tooMany is the error for a caller that has named many documents.
type tooMany struct{ caller throttle.Key }

func (*tooMany) Error() string { return "the address of the client has caused too many fetches" }

// lately returns a result that is kept.
func (f *Fetcher) lately(id string) (fetched, bool) {
	now := time.Now()
	if found, ok := f.kept.Get(id, now); ok {
		return found, true
	}
	return f.failed.Get(id, now)
}

// find fetches a document, unless another request has just done so.
func (f *Fetcher) find(id string, caller throttle.Key) fetched {
	if found, ok := f.lately(id); ok {
		return found
	}
	u, err := url.Parse(id)
	if err != nil {
		return fetched{err: err}
	}
	host := strings.ToLower(u.Hostname())
	if err := f.begin(host, caller); err != nil {
		return fetched{err: err}
	}
	defer f.end(host, caller)
	ctx, cancel := context.WithTimeout(context.Background(), limits.DocumentTimeout)
	defer cancel()
	document, lifetime, err := f.fetch(ctx, id)
	now := time.Now()
	if err != nil {
		failure := fetched{err: err}
		f.failed.Put(id, failure, now, now.Add(limits.FailureTime))
		return failure
	}
	found := fetched{document: document}
	f.kept.Put(id, found, now, now.Add(lifetime))
	return found
}

// begin counts a fetch, unless too many run.
func (f *Fetcher) begin(host string, caller throttle.Key) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.hosts[host] >= limits.HostFetches:
		return errBusy
	case f.callers[caller] >= limits.FetchesAtOnce || f.starts.Take(caller) > 0:
		return &tooMany{caller}
	}
	f.hosts[host]++
	f.callers[caller]++
	return nil
}

func (f *Fetcher) end(host string, caller throttle.Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hosts[host]--; f.hosts[host] == 0 {
		delete(f.hosts, host)
	}
	if f.callers[caller]--; f.callers[caller] == 0 {
		delete(f.callers, caller)
	}
}

func (f *Fetcher) fetch(ctx context.Context, id string) (document Document, lifetime time.Duration, err error) {
	answer, err := fetch.Get(ctx, f.client, id, limits.MaxDocument)
	if answer == nil {
		return document, 0, err
	}
	switch {
	case answer.Status != http.StatusOK:
		return document, 0, fmt.Errorf("the status is %d", answer.Status)
	case !isJSON(answer.MediaType()):
		return document, 0, errors.New("it is not JSON")
	case answer.Header.Get("Content-Encoding") != "":
		return document, 0, errors.New("it is compressed")
	case err != nil:
		return document, 0, err
	}
	if err := codec.Unmarshal(answer.Body, &document); err != nil {
		return document, 0, fmt.Errorf("it is not the metadata of a client: %w", err)
	}
	return document, answer.Lifetime(limits.MinDocumentTime, limits.MaxDocumentTime, limits.DocumentTime), document.check(id)
}

// isJSON reports whether a media type is JSON, or a format that is based on it.
func isJSON(kind string) bool {
	return kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

// check returns why a document doesn't describe the client with a URL.
func (d *Document) check(id string) error {
	switch {
	case d.ClientID != id:
		return errors.New("its client_id is not its URL")
	case d.Secret != nil || d.SecretExpires != nil:
		return errors.New("it has a client_secret, which is public then")
	case d.Name == "" || len(d.RedirectURIs) == 0:
		return errors.New("it lacks client_name or redirect_uris")
	}
	for _, method := range append([]string{d.AuthMethod}, d.AuthMethods...) {
		if strings.HasPrefix(method, "client_secret") {
			return fmt.Errorf("its authentication method %.50q needs a secret, which is public then", method)
		}
	}
	return nil
}
