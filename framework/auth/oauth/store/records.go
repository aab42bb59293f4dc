package store

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"
)

// A Hash is the SHA-256 of a secret. The secrets of the server have 256 random bits, so
// they need no salt and no slow hash.
type Hash [sha256.Size]byte

// HashOf returns the hash of a secret.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// A Source is the way in which a client became known.
type Source string

// The sources of clients.
const (
	Static     Source = "static"     // made by an operator
	Registered Source = "registered" // registered itself (RFC 7591)
	Document   Source = "document"   // described by the document at its ID; not in a store
)

// A Client is an OAuth client. Its metadata have the names of RFC 7591.
type Client struct {
	ID     string `json:"-"`
	Source Source `json:"-"`

	Name            string          `json:"client_name,omitempty"`
	RedirectURIs    []string        `json:"redirect_uris,omitempty"`
	GrantTypes      []string        `json:"grant_types,omitempty"`
	AuthMethods     []string        `json:"token_endpoint_auth_methods,omitempty"`
	Scopes          []string        `json:"scopes,omitempty"`
	ApplicationType string          `json:"application_type,omitempty"`
	URI             string          `json:"client_uri,omitempty"`
	Secret          *Hash           `json:"secret,omitempty"` // nil for a client without one
	Keys            json.RawMessage `json:"jwks,omitempty"`
	KeysURI         string          `json:"jwks_uri,omitempty"`

	// Resources are URLs of routes that a resource server may introspect tokens for.
	Resources []string `json:"resources,omitempty"`

	Created time.Time `json:"-"`

	// Used is when a user or an operator first granted the client access. The zero value
	// means never.
	Used time.Time `json:"-"`
}

// IsPublic reports whether a client has neither a secret nor a key (RFC 6749, section 2.1).
func (c Client) IsPublic() bool {
	if len(c.AuthMethods) > 0 {
		return slices.Contains(c.AuthMethods, "none")
	}
	return c.Secret == nil && c.Keys == nil && c.KeysURI == ""
}

// A User is a user of the server's own login.
type User struct {
	ID   string `json:"-"`
	Name string `json:"-"` // the user's name at the login, such as an e-mail address in lower case

	Password string    `json:"password,omitempty"` // encoded hash
	Disabled bool      `json:"disabled,omitempty"` // can't log in, and has no valid tokens
	LoggedIn time.Time `json:"logged_in,omitzero"` // the last time; zero means never
	Created  time.Time `json:"-"`
}

// A Grant is a user's permission for a client, or a client's own permission. Its tokens end
// with it.
type Grant struct {
	ID       string `json:"-"`
	ClientID string `json:"-"`
	UserID   string `json:"-"` // "" if the client acts for itself

	// ClientSource is the source of the client. The grant ends when a client that was in the store
	// is removed from it.
	ClientSource Source `json:"client_source,omitempty"`

	UserName  string         `json:"user_name,omitempty"`
	Scopes    []string       `json:"scopes,omitempty"`
	Resources []string       `json:"resources,omitempty"` // URLs (RFC 8707)
	Claims    map[string]any `json:"claims,omitempty"`    // of the user, from its login

	Created time.Time `json:"-"`
	Used    time.Time `json:"-"`              // when the client got tokens the last time; zero means never
	Until   time.Time `json:"until,omitzero"` // the latest time that it can be renewed to
	Expires time.Time `json:"-"`              // the end of the grant, unless it is renewed
	Revoked time.Time `json:"-"`              // zero unless revoked
}

// Live reports whether the grant is neither revoked nor expired at a time.
func (g Grant) Live(now time.Time) bool { return g.Revoked.IsZero() && now.Before(g.Expires) }

// A Code is an authorization code.
type Code struct {
	Hash Hash `json:"-"`

	RedirectURI string `json:"redirect_uri,omitempty"`
	Challenge   string `json:"code_challenge,omitempty"` // S256 (RFC 7636)

	Expires  time.Time `json:"-"`
	Used     time.Time `json:"-"` // zero unless used
	Failures int       `json:"-"` // failed tries to redeem it
}

// A RefreshToken can be exchanged for new tokens once, until its grant ends.
type RefreshToken struct {
	Hash Hash
	Used time.Time // zero unless used

	// Next is the refresh token that it was exchanged for. Answer has it as a member of a
	// response, sealed with a key that only the holder of this token can derive.
	Next   Hash
	Answer []byte
}

// A Renewal is the change to a grant when a client redeems its code or refresh token.
type Renewal struct {
	Now     time.Time
	Expires time.Time // of the grant
	Next    Hash      // the new refresh token; the zero value means none
	Answer  []byte    // kept with the refresh token that is used; see RefreshToken
}

// A Token is a personal access token.
type Token struct {
	ID     string `json:"-"`
	UserID string `json:"-"`
	Hash   Hash   `json:"-"`

	Name     string    `json:"name,omitempty"`
	UserName string    `json:"user_name,omitempty"`
	Scopes   []string  `json:"scopes,omitempty"`
	Created  time.Time `json:"-"`
	Expires  time.Time `json:"-"` // zero means never
}

// A Value is data that is kept for a while.
type Value struct {
	Data    []byte
	Expires time.Time
}
