package clients

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// registrationPrefix begins the IDs of clients that register.
const registrationPrefix = "dcr_"

// A registration is the metadata of a client (RFC 7591, section 2). Members that are not here
// are ignored.
type registration struct {
	RedirectURIs    []string `json:"redirect_uris"`
	AuthMethod      string   `json:"token_endpoint_auth_method"`
	GrantTypes      []string `json:"grant_types"`
	ResponseTypes   []string `json:"response_types"`
	Name            string   `json:"client_name,omitempty"`
	URI             string   `json:"client_uri,omitempty"`
	Scope           string   `json:"scope,omitempty"`
	ApplicationType string   `json:"application_type,omitempty"`

	Keys    json.RawMessage `json:"jwks,omitempty"`
	KeysURI string          `json:"jwks_uri,omitempty"`
}

// A registered is the answer to a registration, with the metadata that the server accepted.
type registered struct {
	ID            string `json:"client_id"`
	IssuedAt      int64  `json:"client_id_issued_at"`
	Secret        string `json:"client_secret,omitempty"`
	SecretExpires *int64 `json:"client_secret_expires_at,omitempty"` // 0 for never, only with a secret
	registration
}

// Register is the registration endpoint (RFC 7591).
func (g *Registry) Register(r *http.Request) (any, error) {
	answer, err := g.registerClient(r)
	if refusal, ok := errors.AsType[*endpoint.Error](err); ok {
		g.LogRefusal(r, "a registration is refused", refusal.Description)
	}
	return answer, err
}

func (g *Registry) registerClient(r *http.Request) (any, error) {
	if wait := g.Limits.Registrations.Take(g.Caller(r)); wait > 0 {
		return nil, endpoint.SlowDown(wait)
	}
	asked, err := readRegistration(r)
	if err != nil {
		return nil, err
	}
	if asked.RedirectURIs, err = g.acceptedURIs(asked.RedirectURIs); err != nil {
		return nil, err
	}
	public := asked.AuthMethod == MethodNone
	if err := g.normalize(&asked); err != nil {
		return nil, err
	}
	now := time.Now()
	answer := registered{ID: registrationPrefix + rand.Text() + rand.Text(), IssuedAt: now.Unix(), registration: asked}
	client := store.Client{
		ID: answer.ID, Source: store.Registered, Name: asked.Name, RedirectURIs: asked.RedirectURIs, GrantTypes: asked.GrantTypes,
		AuthMethods: []string{asked.AuthMethod}, ApplicationType: asked.ApplicationType, URI: asked.URI, Created: now,
		Keys: asked.Keys, KeysURI: asked.KeysURI,
	}
	if asked.AuthMethod == MethodBasic || asked.AuthMethod == MethodPost {
		answer.Secret, answer.SecretExpires = rand.Text()+rand.Text(), new(int64)
		hash := store.HashOf(answer.Secret)
		client.Secret = &hash
		if public {
			// Of the clients that asked for none, some send the secret in the body and
			// others in the header, whatever the answer says.
			client.AuthMethods = []string{MethodPost, MethodBasic}
		}
	}
	if err := g.Store.CreateClient(r.Context(), client); err != nil {
		return nil, err
	}
	if g.registered.Add(1)%limits.PruneEvery == 0 {
		if _, err := g.Store.PruneClients(r.Context(), limits.UnusedClients); err != nil {
			return nil, err
		}
	}
	endpoint.SetClient(r.Context(), client.ID)
	g.Logger.InfoContext(r.Context(), "a client registered", "name", client.Name, "redirect_uris", cut(client.RedirectURIs), "address", g.Address(r))
	return answer, nil
}

// cut returns redirect URIs for the log.
func cut(uris []string) []string {
	short := make([]string, len(uris))
	for i, uri := range uris {
		short[i] = naming.Cut(uri, limits.MaxLogged)
	}
	return short
}

// codeMetadata is the error of a registration that is not accepted (RFC 7591, section 3.2.2).
const codeMetadata = "invalid_client_metadata"

func readRegistration(r *http.Request) (asked registration, err error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return asked, &endpoint.Error{Status: http.StatusUnsupportedMediaType, Code: codeMetadata, Description: "Send the metadata of the client as application/json"}
	}
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return asked, endpoint.Refused(codeMetadata, "The body could not be read")
	case codec.Unmarshal(body, &asked) != nil:
		return asked, endpoint.Refused(codeMetadata, "The body is not the metadata of a client as JSON (RFC 7591)")
	}
	return asked, nil
}

// acceptedURIs returns the redirect URIs that a client may have, or an error. Those with an
// unknown private scheme are left out, since a client registers one for each of its forms.
func (g *Registry) acceptedURIs(uris []string) (accepted []string, err error) {
	refusal := endpoint.Refused("invalid_redirect_uri", "")
	if len(uris) == 0 || len(uris) > limits.RedirectURIs {
		refusal.Description = fmt.Sprintf("The client needs 1 to %d redirect_uris", limits.RedirectURIs)
		return nil, refusal
	}
	for i, uri := range uris {
		err := metadata.CheckRedirectURI(uri, g.RedirectSchemes)
		if err != nil {
			refusal.Description = fmt.Sprintf("The redirect URI number %d is refused: %v", i+1, err)
		}
		switch {
		case err == nil:
			accepted = append(accepted, uri)
		case !errors.Is(err, metadata.ErrUnknownScheme):
			return nil, refusal
		}
	}
	if len(accepted) == 0 {
		return nil, refusal
	}
	return accepted, nil
}

// normalize replaces the requested metadata with the accepted ones.
func (g *Registry) normalize(c *registration) error {
	switch c.AuthMethod {
	case "":
		c.AuthMethod = MethodBasic // the default of RFC 7591
	case MethodKey:
		if err := CheckKeys(c.Keys, c.KeysURI); err != nil {
			return endpoint.Refused(codeMetadata, "The keys of the client are not accepted: %v", err)
		}
	case MethodNone:
		if g.NoPublicClients {
			// VS Code and the SDKs for Go and TypeScript use a secret that they haven't asked
			// for, and an error would end their attempt (RFC 7591, section 3.2.1).
			c.AuthMethod = MethodPost
		}
	case MethodBasic, MethodPost:
	default:
		return endpoint.Refused(codeMetadata, "The token_endpoint_auth_method is unknown; use one of %s", strings.Join(g.AuthMethods(), ", "))
	}
	if c.AuthMethod != MethodKey {
		c.Keys, c.KeysURI = nil, ""
	}
	if len(c.GrantTypes) > 0 && !slices.Contains(c.GrantTypes, grants.Code) {
		return endpoint.Refused(codeMetadata, "The grant_types lack authorization_code, which is the only one that a client can register for")
	}
	c.GrantTypes, c.ResponseTypes = []string{grants.Code, grants.Refresh}, []string{"code"}
	if !metadata.IsName(c.Name) {
		return endpoint.Refused(codeMetadata, "The client_name has more than %d characters, or invisible ones", limits.MaxClientName)
	}
	if c.URI != "" {
		if u, err := url.Parse(c.URI); err != nil || u.Scheme != "https" || u.Host == "" || len(c.URI) > limits.MaxClientURI {
			return endpoint.Refused(codeMetadata, "The client_uri must be an https URL")
		}
	}
	if c.ApplicationType != "" && c.ApplicationType != "web" && c.ApplicationType != "native" {
		return endpoint.Refused(codeMetadata, "The application_type must be web or native")
	}
	// A client asks for its scopes when it needs them. Clients register for those of the first
	// challenge only, and must be able to get more later.
	c.Scope = ""
	return nil
}
