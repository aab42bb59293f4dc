// Package clients finds and authenticates the clients of the authorization server. A client is in
// the store, where it may have registered itself, or a document at its URL describes it.
package clients

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/documents"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// A Registry knows the clients. Several goroutines may use it.
type Registry struct {
	*endpoint.Base

	// Documents has the metadata documents of clients.
	Documents interface {
		Get(ctx context.Context, id string, caller throttle.Key) (documents.Document, error)
	}
	Keys *PublishedKeys

	RedirectSchemes []string // see oauth.Config
	NoPublicClients bool

	registered atomic.Uint64 // since the start
}

// ErrDocument means that the metadata document of a client can't be used at the moment.
var ErrDocument = errors.New("the metadata document of the client can't be used")

// Client returns the client with an ID, which a request names, or store.ErrNotFound. A
// client in the store wins over the document at the URL that its ID may be.
func (g *Registry) Client(r *http.Request, id string) (store.Client, error) {
	ctx := r.Context()
	endpoint.SetClient(ctx, id)
	client, err := g.Store.Client(ctx, id)
	if err == nil {
		return g.supported(client)
	}
	if !errors.Is(err, store.ErrNotFound) || !documents.IsURL(id) {
		return client, err
	}
	document, err := g.Documents.Get(ctx, id, g.Caller(r))
	if err == nil {
		client, err = g.described(document)
	}
	if document.Failure != nil && g.Limits.Snapshots.Take(throttle.KeyOf(id, netip.Addr{})) == 0 {
		g.Logger.InfoContext(ctx, "the metadata document of the client can't be fetched, so its snapshot is used", "error", document.Failure)
	}
	if err != nil {
		g.LogRefusal(r, "a client is refused", ErrDocument.Error(), "error", err)
		return client, ErrDocument
	}
	return client, nil
}

// supported returns a client with those of its authentication methods and redirect URIs that the
// server supports, or store.ErrNotFound if there is no method. An older version may have accepted
// others.
func (g *Registry) supported(client store.Client) (store.Client, error) {
	client.RedirectURIs = slices.DeleteFunc(slices.Clone(client.RedirectURIs), func(uri string) bool {
		return metadata.CheckRedirectURI(uri, g.RedirectSchemes) != nil
	})
	client.AuthMethods = slices.DeleteFunc(slices.Clone(MethodsOf(client)), func(method string) bool { return !slices.Contains(g.AuthMethods(), method) })
	if len(client.AuthMethods) == 0 {
		return store.Client{}, store.ErrNotFound
	}
	return client, nil
}

// described returns the client that a document describes. What this server doesn't support is
// left out.
func (g *Registry) described(document documents.Document) (store.Client, error) {
	client := store.Client{
		ID: document.ClientID, Source: store.Document, Name: document.Name, URI: document.URI, ApplicationType: document.ApplicationType,
		Keys: document.Keys, KeysURI: document.KeysURI,
	}
	for _, uri := range document.RedirectURIs {
		if metadata.CheckRedirectURI(uri, g.RedirectSchemes) == nil {
			client.RedirectURIs = append(client.RedirectURIs, uri)
		}
	}
	for _, grant := range document.GrantTypes {
		if grant == grants.Code || grant == grants.Refresh || grant == grants.Assertion {
			client.GrantTypes = append(client.GrantTypes, grant)
		}
	}
	methods := document.AuthMethods
	if len(methods) == 0 {
		methods = []string{cmp.Or(document.AuthMethod, MethodNone)}
	}
	var keys error
	if slices.Contains(methods, MethodKey) {
		keys = CheckKeys(client.Keys, client.KeysURI)
	}
	for _, method := range g.AuthMethods() {
		if slices.Contains(methods, method) && (method != MethodKey || keys == nil) {
			client.AuthMethods = append(client.AuthMethods, method)
		}
	}
	switch {
	case len(client.RedirectURIs) == 0:
		return client, errors.New("none of its redirect_uris is accepted")
	case len(document.GrantTypes) > 0 && !slices.Contains(client.GrantTypes, grants.Code):
		return client, errors.New("its grant_types lack authorization_code")
	case len(client.AuthMethods) == 0 && keys != nil:
		return client, fmt.Errorf("its authentication method can't be used: %w", keys)
	case len(client.AuthMethods) == 0:
		return client, fmt.Errorf("the server supports none of its authentication methods %.100q", methods)
	case !metadata.IsName(client.Name):
		return client, errors.New("its client_name is too long, or has invisible characters")
	}
	return client, nil
}

// NameOf returns the name of a client for users.
func NameOf(client store.Client) string { return cmp.Or(client.Name, client.ID) }
