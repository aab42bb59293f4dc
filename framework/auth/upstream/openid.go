package upstream

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/bowline-mcp/bowline/framework/auth/internal/issuers"
	"github.com/bowline-mcp/bowline/internal/fetch"
)

// openID is an OpenID provider.
type openID struct {
	config Config
	id     string // the issuer
	found  atomic.Pointer[discovered]
}

// discovered is the metadata of a provider.
type discovered struct {
	provider *oidc.Provider
	endpoints
}

func (o *openID) name() string {
	u, err := url.Parse(o.id)
	if err != nil {
		return ""
	}
	return u.Host
}

func (o *openID) issuer() string { return o.id }
func (o *openID) scopes() []string {
	return []string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail}
}

func (o *openID) check() error {
	if strings.Contains(o.id, "?") {
		return errors.New("an issuer has no query")
	}
	return fetch.ReachFrom(o.id).CheckURL(o.id)
}

// endpoints returns the endpoints in the provider's metadata.
func (o *openID) endpoints(ctx context.Context) (endpoints, error) {
	found, err := o.discover(ctx)
	if err != nil {
		return endpoints{}, err
	}
	return found.endpoints, nil
}

// discover reads the metadata (OpenID Connect Discovery, section 4), until it has succeeded
// once.
func (o *openID) discover(ctx context.Context) (*discovered, error) {
	if found := o.found.Load(); found != nil {
		return found, nil
	}
	var metadata struct {
		oidc.ProviderConfig
		Methods     []string `json:"token_endpoint_auth_methods_supported"`
		SendsIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	}
	address := strings.TrimSuffix(o.id, "/") + "/.well-known/openid-configuration"
	if err := issuers.NewFetcher(o.id, o.config.Client).Discover(ctx, o.id, "authorization_endpoint", &metadata, address); err != nil {
		return nil, fmt.Errorf("the metadata of %s can't be read: %w", o.id, err)
	}
	for name, address := range map[string]string{"authorization_endpoint": metadata.AuthURL, "token_endpoint": metadata.TokenURL, "jwks_uri": metadata.JWKSURL, "userinfo_endpoint": metadata.UserInfoURL} {
		if err := fetch.ReachFrom(o.id).CheckURL(address); err != nil && (name != "userinfo_endpoint" || address != "") {
			return nil, fmt.Errorf("the %s %q in the metadata of %s: %w", name, cut(address), o.id, err)
		}
	}
	metadata.Algorithms = slices.DeleteFunc(metadata.Algorithms, func(name string) bool { return !isSigning(name) })
	provider := metadata.NewProvider(oidc.ClientContext(ctx, o.config.Client))
	found := &discovered{provider, endpoints{provider.Endpoint(), metadata.SendsIssuer}}
	found.AuthStyle = oauth2.AuthStyleInParams
	if len(metadata.Methods) == 0 || slices.Contains(metadata.Methods, "client_secret_basic") { // the default of the specification
		found.AuthStyle = oauth2.AuthStyleInHeader
	}
	o.found.Store(found)
	return found, nil
}

// isSigning reports whether ID tokens may be signed with an algorithm. Anybody who knows the key
// of a symmetric one, such as the program, could sign with it.
func isSigning(algorithm string) bool {
	return slices.Contains([]string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}, algorithm)
}

// parameters returns the parameters of section 3.1.2.1. The scope offline_access needs the
// user's consent (section 11).
func (o *openID) parameters(nonce string, switches bool) []oauth2.AuthCodeOption {
	var prompt []string
	if switches {
		prompt = append(prompt, "login")
	}
	if slices.Contains(o.config.Scopes, oidc.ScopeOfflineAccess) {
		prompt = append(prompt, "consent")
	}
	return withPrompt(prompt, oidc.Nonce(nonce))
}

// withPrompt adds the parameter prompt, unless it is empty.
func withPrompt(prompt []string, parameters ...oauth2.AuthCodeOption) []oauth2.AuthCodeOption {
	if len(prompt) > 0 {
		parameters = append(parameters, oauth2.SetAuthURLParam("prompt", strings.Join(prompt, " ")))
	}
	return parameters
}

// identify returns the user of an ID token (OpenID Connect Core, section 3.1.3.7).
func (o *openID) identify(ctx context.Context, token *oauth2.Token, nonce string) (Identity, error) {
	found, err := o.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Identity{}, errors.New("the token endpoint returned no ID token")
	}
	verified, err := found.provider.Verifier(&oidc.Config{ClientID: o.config.ClientID}).Verify(ctx, raw)
	if err != nil {
		return Identity{}, fmt.Errorf("the ID token is not valid: %w", err)
	}
	user := Identity{Issuer: o.id, Subject: verified.Subject, Claims: map[string]any{}}
	if err := verified.Claims(&user.Claims); err != nil {
		return Identity{}, fmt.Errorf("the ID token is malformed: %w", err)
	}
	party, _ := user.Claims["azp"].(string)
	switch {
	case subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(nonce)) != 1:
		return Identity{}, errors.New("the ID token belongs to another login: its nonce is wrong")
	case party != o.config.ClientID && (party != "" || len(verified.Audience) > 1):
		return Identity{}, fmt.Errorf("the ID token was issued to the client %q (azp)", cut(party))
	case verified.Subject == "":
		return Identity{}, errors.New("the ID token has no subject")
	}
	if err := o.complete(ctx, found.provider, token, &user); err != nil {
		return Identity{}, err
	}
	user.Emails = emailsOf(user.Claims)
	user.Name = nameOf(user)
	return user, nil
}

// complete adds the claims of the userinfo endpoint, if the ID token has no e-mail address:
// some providers put only the subject into ID tokens (OpenID Connect Core, section 5.4).
func (o *openID) complete(ctx context.Context, provider *oidc.Provider, token *oauth2.Token, user *Identity) error {
	if user.Claims["email"] != nil || provider.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("the userinfo endpoint: %w", err)
	}
	if info.Subject != user.Subject { // section 5.3.2
		return errors.New("the userinfo endpoint answers for a different user than the ID token")
	}
	claims := map[string]any{}
	if err := info.Claims(&claims); err != nil {
		return fmt.Errorf("the userinfo endpoint: %w", err)
	}
	delete(user.Claims, "email_verified") // without an address it says nothing
	maps.Copy(claims, user.Claims)
	user.Claims = claims
	return nil
}

// emailsOf returns the address in claims, if the provider has verified it. Some products send
// the text "true".
func emailsOf(claims map[string]any) []string {
	email, _ := claims["email"].(string)
	if verified := claims["email_verified"]; email == "" || verified != true && verified != "true" {
		return nil
	}
	return []string{email}
}

// nameOf returns the name of a user. A name that looks like an e-mail address is left out
// unless the address is verified.
func nameOf(user Identity) string {
	if len(user.Emails) > 0 {
		return user.Emails[0]
	}
	for _, claim := range []string{"preferred_username", "name"} {
		if name, _ := user.Claims[claim].(string); name != "" && !strings.Contains(name, "@") {
			return name
		}
	}
	return user.Subject
}
