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
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
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

	// Failure is why the document is that of the snapshot. It is nil for one that was fetched.
	Failure error `json:"-"`
}

// IsURL reports whether the ID of a client is the URL of its document.
func IsURL(id string) bool { return strings.HasPrefix(id, "https://") }

// CheckURL returns why a URL can't be that of a document.
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
		return errors.New("it has another port than 443")
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
	client *http.Client

	snapshot map[string]Document

	starts *throttle.Limiter // of fetches, by those who named the URLs

	mu      sync.Mutex
	cached  map[string]cached
	failed  map[string]cached
	running map[string]*fetch
	hosts   map[string]int       // running fetches
	callers map[throttle.Key]int // the same of those who named the URLs
}

type cached struct {
	document Document
	err      error
	until    time.Time
}

// A fetch is one that runs for all requests that want its document.
type fetch struct {
	done     chan struct{}
	document Document
	err      error
}

// New returns a fetcher that sends its requests with a client, as often as a limiter allows
// whoever names a URL. It returns the documents of a snapshot while they can't be fetched.
func New(client *http.Client, snapshot map[string]Document, starts *throttle.Limiter) *Fetcher {
	return &Fetcher{
		client: client, snapshot: snapshot, starts: starts,
		cached: map[string]cached{}, failed: map[string]cached{}, running: map[string]*fetch{}, hosts: map[string]int{}, callers: map[throttle.Key]int{},
	}
}

// NewClient returns a client that connects to public addresses only, and doesn't follow
// redirects. It is for all URLs that a client of the server names.
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: limits.DocumentTimeout, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		// This sees the address of each connection, after the resolution of its name: a name
		// can't have another address when it is checked than when it is used.
		to, err := netip.ParseAddrPort(address)
		if err != nil || !IsPublic(to.Addr()) {
			return errPrivate
		}
		return nil
	}}
	return &http.Client{
		Timeout:       limits.DocumentTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: 16 << 10, TLSHandshakeTimeout: limits.DocumentTimeout},
	}
}

var errPrivate = errors.New("the address is not public")

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

// current returns the document that is at a URL now.
func (f *Fetcher) current(ctx context.Context, id string, caller throttle.Key) (Document, error) {
	running, err := f.start(id, caller)
	if err != nil {
		return Document{}, err
	}
	select {
	case <-running.done:
		return running.document, running.err
	case <-ctx.Done():
		return Document{}, ctx.Err()
	}
}

// The errors for a document that is not fetched now: many of its host are being fetched, or
// the caller has named many.
var (
	errBusy    = errors.New("too many documents of its host are being fetched")
	errTooMany = errors.New("the address of the client has caused too many fetches")
)

// start returns the fetch of a document: a finished one if the document or a failure is kept,
// or the one that runs.
func (f *Fetcher) start(id string, caller throttle.Key) (*fetch, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, kept := range []map[string]cached{f.cached, f.failed} {
		if have, ok := kept[id]; ok && time.Now().Before(have.until) {
			done := make(chan struct{})
			close(done)
			return &fetch{done: done, document: have.document, err: have.err}, nil
		}
	}
	if running := f.running[id]; running != nil {
		return running, nil
	}
	u, err := url.Parse(id)
	if err != nil {
		return nil, err
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case f.hosts[host] >= limits.HostFetches:
		return nil, errBusy
	case f.callers[caller] >= limits.FetchesAtOnce || f.starts.Take(caller) > 0:
		return nil, errTooMany
	}
	f.hosts[host]++
	f.callers[caller]++
	running := &fetch{done: make(chan struct{})}
	f.running[id] = running
	go f.run(id, host, caller, running)
	return running, nil
}

// run fetches a document. It goes on when the first request ends, since others may wait.
func (f *Fetcher) run(id, host string, caller throttle.Key, running *fetch) {
	ctx, cancel := context.WithTimeout(context.Background(), limits.DocumentTimeout)
	defer cancel()
	var lifetime time.Duration
	running.document, lifetime, running.err = f.fetch(ctx, id)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, id)
	if f.hosts[host]--; f.hosts[host] == 0 {
		delete(f.hosts, host)
	}
	if f.callers[caller]--; f.callers[caller] == 0 {
		delete(f.callers, caller)
	}
	if running.err == nil {
		keep(f.cached, id, cached{document: running.document, until: time.Now().Add(lifetime)})
	} else {
		keep(f.failed, id, cached{err: running.err, until: time.Now().Add(limits.FailureTime)})
	}
	close(running.done)
}

// keep keeps a document or a failure, and forgets an arbitrary one if there are too many.
func keep(all map[string]cached, id string, one cached) {
	if _, known := all[id]; !known && len(all) >= limits.CachedDocuments {
		for other := range all {
			delete(all, other)
			break
		}
	}
	all[id] = one
}

func (f *Fetcher) fetch(ctx context.Context, id string) (document Document, lifetime time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return document, 0, err
	}
	r.Header.Set("Accept", "application/json")
	w, err := f.client.Do(r)
	if err != nil {
		return document, 0, err
	}
	defer w.Body.Close() //nolint:errcheck // it was read
	kind, _, err := mime.ParseMediaType(w.Header.Get("Content-Type"))
	switch {
	case w.StatusCode != http.StatusOK:
		return document, 0, fmt.Errorf("the status is %d", w.StatusCode)
	case err != nil || !isJSON(kind):
		return document, 0, errors.New("it is not JSON")
	case w.Header.Get("Content-Encoding") != "":
		return document, 0, errors.New("it is compressed")
	}
	body, err := io.ReadAll(io.LimitReader(w.Body, limits.MaxDocument+1))
	switch {
	case err != nil:
		return document, 0, err
	case len(body) > limits.MaxDocument:
		return document, 0, fmt.Errorf("it is larger than %d bytes", limits.MaxDocument)
	}
	if err := codec.Unmarshal(body, &document); err != nil {
		return document, 0, fmt.Errorf("it is not the metadata of a client: %w", err)
	}
	return document, lifetimeOf(w.Header), document.check(id)
}

// isJSON reports whether a media type is JSON, or a format that is based on it.
func isJSON(kind string) bool {
	return kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

// check returns why a document is not that of a client with a URL.
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

// lifetimeOf returns how long a document is kept (RFC 9111, section 5.2).
func lifetimeOf(h http.Header) time.Duration {
	for directive := range strings.SplitSeq(h.Get("Cache-Control"), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-store", "no-cache":
			return limits.MinDocumentTime
		case "max-age":
			if seconds, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil {
				return min(max(time.Duration(seconds)*time.Second, limits.MinDocumentTime), limits.MaxDocumentTime)
			}
		}
	}
	return limits.DocumentTime
}
