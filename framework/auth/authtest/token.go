package authtest

import (
	"maps"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

// A TokenOption changes a token that [Issuer.Token] or [Issuer.IDToken] makes.
type TokenOption func(*draft)

// A draft is a token before it is signed.
type draft struct {
	grant  grant
	claims map[string]any // those that replace the product's; nil values remove one
	typ    string
	key    *jose.PrivateKey
}

// Subject makes the token for a user other than the issuer's.
func Subject(subject string) TokenOption { return func(d *draft) { d.grant.subject = subject } }

// ClientID makes the token for a client other than [DefaultClient].
func ClientID(id string) TokenOption { return func(d *draft) { d.grant.client = id } }

// Scopes are what the token grants, which is nothing by default. Each product writes them
// in its own way.
func Scopes(scopes ...string) TokenOption { return func(d *draft) { d.grant.scopes = scopes } }

// ClientCredentials makes the token for the client itself, without a user.
func ClientCredentials() TokenOption { return Subject("") }

// Claim changes or adds a claim, or removes it if the value is nil. It panics when the
// token is made if the value isn't JSON.
func Claim(name string, value any) TokenOption {
	return func(d *draft) { d.claims[name] = value }
}

// Type sets the member typ of the token's header, or removes it if typ is "".
func Type(typ string) TokenOption { return func(d *draft) { d.typ = typ } }

// SignedBy signs the token with a key other than the issuer's. Give the key the ID of
// [Issuer.Key] to forge a token.
func SignedBy(key *jose.PrivateKey) TokenOption { return func(d *draft) { d.key = key } }

// Token returns an access token of the product for a resource, which is the URL of a
// route. It is right unless an option alters it.
func (i *Issuer) Token(resource string, options ...TokenOption) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	grant := i.newGrant()
	grant.resource = resource
	return i.accessToken(grant, options...)
}

// IDToken returns an ID token of the product, which no resource may accept.
func (i *Issuer) IDToken(options ...TokenOption) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.idToken(i.newGrant(), options...)
}

// Audience returns the value by which tokens of the product for a resource are recognized:
// their first audience, or the client if they have no audience.
func (i *Issuer) Audience(resource string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	grant := i.newGrant()
	grant.resource = resource
	switch audience := i.product.claims(grant)["aud"].(type) {
	case string:
		return audience
	case []string:
		return audience[0]
	default:
		return grant.client
	}
}

// Revoke makes the introspection endpoint answer that an access token is inactive, or makes
// a refresh token useless. Verifiers of signatures don't notice it.
func (i *Issuer) Revoke(token string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.issued, token)
	delete(i.refreshes, token)
}

// newGrant returns a grant to the user and the default client.
func (i *Issuer) newGrant() grant {
	return grant{
		base: i.base, issuer: i.URL(), subject: i.subject, client: DefaultClient, scopes: []string{},
		issued: time.Now(), lifetime: i.lifetime,
	}
}

func (i *Issuer) accessToken(grant grant, options ...TokenOption) string {
	i.ensureKeys()
	draft := newDraft(grant, i.product.typ, i.keys, options)
	claims := draft.merge(i.product.claims(draft.grant))
	token := must(draft.key.Sign(draft.typ, claims))
	i.issued[token] = introspection(draft.grant, claims)
	return token
}

func (i *Issuer) idToken(grant grant, options ...TokenOption) string {
	i.ensureKeys()
	draft := newDraft(grant, i.product.idType, i.idKeys, options)
	return must(draft.key.Sign(draft.typ, draft.merge(i.product.idClaims(draft.grant))))
}

func newDraft(grant grant, typ string, keys keyRing, options []TokenOption) *draft {
	draft := &draft{grant: grant, claims: map[string]any{}, typ: typ, key: keys[len(keys)-1].private}
	for _, option := range options {
		option(draft)
	}
	return draft
}

// merge returns claims of the product with the claims of the options.
func (d *draft) merge(claims map[string]any) map[string]any {
	maps.Copy(claims, d.claims)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	return claims
}
