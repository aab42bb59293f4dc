package oauth

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/documents"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// errDocument means that the metadata document of a client can't be used at the moment.
var errDocument = errors.New("the metadata document of the client can't be used")

// client returns the client with an ID, which a request names, or store.ErrNotFound. A client in the store wins over
// the document at the URL that its ID may be.
func (s *Server) client(r *http.Request, id string) (store.Client, error) {
	ctx := r.Context()
	client, err := s.store.Client(ctx, id)
	if err == nil {
		return s.supported(client)
	}
	if !errors.Is(err, store.ErrNotFound) || !documents.IsURL(id) {
		return client, err
	}
	document, err := s.documents.Get(ctx, id, throttle.KeyOf("", s.address(r)))
	if err == nil {
		client, err = s.described(document)
	}
	if document.Failure != nil && s.snapshots.Take(throttle.KeyOf(id, netip.Addr{})) == 0 {
		s.logger().InfoContext(ctx, "the metadata document of the client can't be fetched, so its snapshot is used", "client", quoted(id), "error", document.Failure)
	}
	if err != nil {
		s.logRefusal(r, "a client is refused", errDocument.Error(), "client", quoted(id), "error", err)
		return client, errDocument
	}
	return client, nil
}

// supported returns a client with those of its authentication methods and redirect URIs that the
// server supports, or store.ErrNotFound if there is no method. An older version may have accepted
// others.
func (s *Server) supported(client store.Client) (store.Client, error) {
	client.RedirectURIs = slices.DeleteFunc(slices.Clone(client.RedirectURIs), func(uri string) bool {
		return metadata.CheckRedirectURI(uri, s.config.RedirectSchemes) != nil
	})
	client.AuthMethods = slices.DeleteFunc(slices.Clone(methodsOf(client)), func(method string) bool { return !slices.Contains(s.authMethods(), method) })
	if len(client.AuthMethods) == 0 {
		return store.Client{}, store.ErrNotFound
	}
	return client, nil
}

// described returns the client that a document describes. What this server doesn't support is
// left out.
func (s *Server) described(document documents.Document) (store.Client, error) {
	client := store.Client{
		ID: document.ClientID, Source: store.Document, Name: document.Name, URI: document.URI, ApplicationType: document.ApplicationType,
		Keys: document.Keys, KeysURI: document.KeysURI,
	}
	for _, uri := range document.RedirectURIs {
		if metadata.CheckRedirectURI(uri, s.config.RedirectSchemes) == nil {
			client.RedirectURIs = append(client.RedirectURIs, uri)
		}
	}
	for _, grant := range document.GrantTypes {
		if grant == grantCode || grant == grantRefresh || grant == grantAssertion {
			client.GrantTypes = append(client.GrantTypes, grant)
		}
	}
	methods := document.AuthMethods
	if len(methods) == 0 {
		methods = []string{cmp.Or(document.AuthMethod, methodNone)}
	}
	var keys error
	if slices.Contains(methods, methodKey) {
		keys = checkKeys(client.Keys, client.KeysURI)
	}
	for _, method := range s.authMethods() {
		if slices.Contains(methods, method) && (method != methodKey || keys == nil) {
			client.AuthMethods = append(client.AuthMethods, method)
		}
	}
	switch {
	case len(client.RedirectURIs) == 0:
		return client, errors.New("none of its redirect_uris is accepted")
	case len(document.GrantTypes) > 0 && !slices.Contains(client.GrantTypes, grantCode):
		return client, errors.New("its grant_types lack authorization_code")
	case len(client.AuthMethods) == 0 && keys != nil:
		return client, fmt.Errorf("its authentication method can't be used: %w", keys)
	case len(client.AuthMethods) == 0:
		return client, fmt.Errorf("none of its authentication methods %.100q is among those of the server", methods)
	case !metadata.IsName(client.Name):
		return client, errors.New("its client_name is too long, or has invisible characters")
	}
	return client, nil
}

// unavailable returns the error for a request that can't be decided at the moment. Clients
// keep their tokens, and try again.
func unavailable(description string) *requestError {
	return &requestError{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", description: description, header: http.Header{"Retry-After": {"30"}}}
}
