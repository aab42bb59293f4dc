package authtest

import (
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A Shape is a product that an [Issuer] imitates.
type Shape string

// The shapes. Those of Auth0 are its two token profiles for an API.
const (
	Auth0        Shape = "Auth0"          // with permissions of Auth0's access control (RBAC)
	Auth0RFC9068 Shape = "Auth0 RFC 9068" // with the type at+jwt
	Entra        Shape = "Entra"          // Microsoft Entra ID, tokens of version 2.0
	Keycloak     Shape = "Keycloak"
	WorkOS       Shape = "WorkOS" // AuthKit with Connect
	Cognito      Shape = "Cognito"
	Okta         Shape = "Okta" // the authorization server "default"
)

// Shapes returns all shapes.
func Shapes() []Shape {
	return []Shape{Auth0, Auth0RFC9068, Entra, Keycloak, WorkOS, Cognito, Okta}
}

// product returns what is particular to the shape.
func (s Shape) product() (product, error) {
	imitate, ok := map[Shape]func() product{
		Auth0: auth0, Auth0RFC9068: auth0RFC9068, Entra: entra, Keycloak: keycloak, WorkOS: workOS, Cognito: cognito, Okta: okta,
	}[s]
	if !ok {
		return product{}, fmt.Errorf("authtest: unknown shape %q; use one of %q", s, Shapes())
	}
	return imitate(), nil
}

// An Endpoint is a kind of endpoint of an issuer.
type Endpoint string

// The endpoints. Not every product has a registration or an introspection endpoint.
const (
	DiscoveryEndpoint     Endpoint = "discovery" // all discovery documents
	KeysEndpoint          Endpoint = "keys"      // jwks_uri
	AuthorizationEndpoint Endpoint = "authorization"
	TokenEndpoint         Endpoint = "token"
	RegistrationEndpoint  Endpoint = "registration"
	IntrospectionEndpoint Endpoint = "introspection"
)

// A product holds what distinguishes a shape from the others.
type product struct {
	documents []string   // the paths of the discovery documents
	metadata  string     // the name of the file with the discovery document; see discovery
	closed    []Endpoint // those in the discovery document that the issuer doesn't serve

	typ    string // the member typ in the header of access tokens, or ""
	idType string // the same of ID tokens

	// claims returns the claims of an access token, idClaims those of an ID token.
	claims   func(g grant) map[string]any
	idClaims func(g grant) map[string]any

	// certified keys are published with a certificate.
	certified bool

	// publish changes the JSON Web Key of a new key, including its ID. It may be nil.
	publish func(members map[string]any, issuer string)

	// otherKeys are published beside the signing keys.
	otherKeys []map[string]any

	// separateID means that other keys sign ID tokens.
	separateID bool

	// offline means that refresh tokens need the scope offline_access.
	offline bool
}

//go:embed metadata
var files embed.FS

// discovery returns the discovery document of the product (RFC 8414, OpenID Connect Discovery).
// The base is the URL without a path, in place of BASE in the file.
func (p product) discovery(base string) map[string]any {
	text := string(must(files.ReadFile("metadata/" + p.metadata + ".json")))
	var members map[string]any
	must(0, codec.Unmarshal([]byte(strings.ReplaceAll(text, "BASE", base)), &members))
	return members
}

// member returns the member of a discovery document with the URL of an endpoint.
func (e Endpoint) member() string {
	if e == KeysEndpoint {
		return "jwks_uri"
	}
	return string(e) + "_endpoint"
}

// A grant has the facts that a token states, in the terms of OAuth.
type grant struct {
	base, issuer string
	resource     string // "" if the client named none
	subject      string // "" for client credentials
	client       string
	scopes       []string
	nonce        string
	issued       time.Time
	lifetime     time.Duration
}

// claims returns the claims that access and ID tokens of all products have.
func (g grant) claims(subject string) map[string]any {
	return map[string]any{
		"iss": g.issuer,
		"sub": subject,
		"iat": g.issued.Unix(),
		"exp": g.issued.Add(g.lifetime).Unix(),
	}
}

// idClaims returns the claims that ID tokens of all products have.
func (g grant) idClaims() map[string]any {
	claims := g.claims(g.subject)
	claims["aud"] = g.client
	if g.nonce != "" {
		claims["nonce"] = g.nonce
	}
	return claims
}

// scope returns the scopes as a string (RFC 9068).
func (g grant) scope() string { return strings.Join(g.scopes, " ") }

// apiScopes returns the scopes without the scopes of OpenID Connect.
func (g grant) apiScopes() []string {
	openID := []string{"openid", "profile", "email", "address", "phone", "offline_access"}
	return slices.DeleteFunc(slices.Clone(g.scopes), func(scope string) bool { return slices.Contains(openID, scope) })
}

// newID returns a random ID.
func newID() string { return rand.Text() }

// guidOf returns a GUID that is always the same for a name.
func guidOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80 // version 4, variant of RFC 9562
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
