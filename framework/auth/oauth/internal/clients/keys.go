package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/internal/issuers"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/cache"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// PublishedKeys are the keys that clients publish, by their URLs (RFC 7591, jwks_uri). They are
// fetched as the keys of issuers are: rarely, and at most once a minute because of an assertion
// with an unknown key.
type PublishedKeys struct {
	fetcher *issuers.Fetcher
	logger  *slog.Logger

	mu    sync.Mutex
	byURL *cache.Cache[string, *issuers.Keys]
}

// NewPublishedKeys returns keys that are fetched with a client.
func NewPublishedKeys(client *http.Client, logger *slog.Logger) *PublishedKeys {
	return &PublishedKeys{fetcher: issuers.NewFetcher("", client), logger: logger, byURL: cache.New[string, *issuers.Keys](limits.KeyURLs)}
}

// at returns the keys at a URL, which are remembered for a day after their last use.
func (c *PublishedKeys) at(address string) *issuers.Keys {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	keys, known := c.byURL.Get(address, now)
	if !known {
		keys = issuers.NewKeys(c.fetcher, address, address, c.logger)
		// A client whose new key is refused would register again, so it waits for the fetch.
		keys.Patience = limits.IssuerTimeout
		keys.Outage.Client = true
	}
	c.byURL.Put(address, keys, now, now.Add(limits.StaleKeys))
	return keys
}

// keysOf returns the keys of a client. They are fetched if they lack the key of an assertion.
func (g *Registry) keysOf(ctx context.Context, client store.Client, assertion *jose.Unverified) (jose.KeySet, error) {
	if client.KeysURI == "" {
		set, err := jose.ParseKeySet(client.Keys)
		if err != nil {
			err = fmt.Errorf("the keys (jwks) of the client %s: %w", endpoint.Quoted(client.ID), err)
		}
		return set, err
	}
	found, err := g.Keys.at(client.KeysURI).Find(ctx, assertion, time.Now())
	if err != nil { // the log says why
		return jose.KeySet{}, endpoint.Unavailable("The keys of the client (jwks_uri) can't be fetched; try again later")
	}
	return found.Set, nil
}

// CheckKeys returns why a client can't authenticate itself with keys (RFC 7591, section 2).
func CheckKeys(set json.RawMessage, address string) error {
	hasSet := len(set) > 0 && string(set) != "null"
	switch {
	case hasSet == (address != ""):
		return errors.New("private_key_jwt needs either jwks or jwks_uri")
	case address != "":
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" || len(address) > limits.MaxClientURI {
			return errors.New("the jwks_uri must be an https URL without user and fragment")
		}
		return nil
	}
	keys, err := jose.ParseKeySet(set)
	if err != nil {
		return errors.New("the jwks are not a JSON Web Key Set")
	}
	var secrets struct {
		Keys []struct {
			Symmetric json.RawMessage `json:"k"`
			Private   json.RawMessage `json:"d"`
		} `json:"keys"`
	}
	if err := codec.Unmarshal(set, &secrets); err != nil {
		return errors.New("the jwks are not a JSON Web Key Set")
	}
	for _, key := range secrets.Keys {
		if key.Symmetric != nil || key.Private != nil {
			return errors.New("the jwks have a symmetric key or a private one; publish public keys only")
		}
	}
	if keys.IsEmpty() {
		return errors.New("the jwks have no key for signatures with ES256, EdDSA, RS256 or PS256")
	}
	return nil
}
