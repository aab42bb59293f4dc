// Package grants issues authorization codes and tokens. It is the only package that uses
// go-oauth2, in one function: a Manager runs the steps of each grant. The adapters give it the
// records of one operation, which it must not check or change by itself: the engine has done
// that before, and what must happen as a whole happens in one method of the [store.Store].
package grants

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// An Engine issues codes and tokens. Several goroutines may use it.
type Engine struct {
	Store store.Store

	// Issuer is the claim iss of access tokens, and Sign signs their claims.
	Issuer string
	Sign   func(claims map[string]any) (token string, err error)

	// Code and Access are how long codes and access tokens are valid. A grant ends after Idle
	// without use, and at the latest after Total. PublicAccess replaces Access for
	// clients without a secret or a key, unless it is 0.
	Code, Access, PublicAccess, Idle, Total time.Duration

	// Grace is how long a used refresh token returns the answer again that it was exchanged
	// for, if the client has not used that.
	Grace time.Duration

	// Resources returns the present URLs of the resources of a grant, which may have others
	// since the program has moved, without those that are gone.
	Resources func([]string) []string

	// Check returns store.ErrRevoked if the client or the user of a grant may no longer get
	// tokens.
	Check func(ctx context.Context, grant store.Grant) error

	// Wait counts a refresh of a grant, and returns how long its client has to wait if there
	// were too many.
	Wait func(grant string) time.Duration

	// Base reports what the engine does with grants.
	Base *endpoint.Base
}

// The errors of grants. Several causes share one, so that the answer tells nothing about
// codes and tokens of others.
var (
	errCode     = endpoint.Refused("invalid_grant", "The authorization code is not valid, has expired or was used before")
	errVerifier = endpoint.Refused("invalid_grant", "The code_verifier does not belong to the authorization request")
	errRedirect = endpoint.Refused("invalid_grant", "The redirect_uri differs from the one in the authorization request")
	errRefresh  = endpoint.Refused("invalid_grant", "The refresh token is not valid, has expired or was revoked")
	errTarget   = endpoint.Refused("invalid_target", "The resource is not one that was granted")
	errScope    = endpoint.Refused("invalid_scope", "The scope has more than was granted")
)

// An Answer is a successful answer of the token endpoint (RFC 6749, section 5.1).
type Answer struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
}

// The types of grants at the token endpoint (RFC 6749, section 1.3; RFC 7523, section 2.1).
const (
	Code        = "authorization_code"
	Refresh     = "refresh_token"
	Credentials = "client_credentials"
	Assertion   = "urn:ietf:params:oauth:grant-type:jwt-bearer"

	authorization = "" // makes a code, at the authorization endpoint
)

// An operation is what one request does.
type operation struct {
	kind      string // the type of the grant
	client    store.Client
	grant     store.Grant
	code      *store.Code // that is made, or redeemed
	refresh   *store.RefreshToken
	presented string // the code or refresh token of the request
	verifier  string // of the code

	// What is made: tokens, or a code in next. The scopes of an access token may be less than
	// those of the grant, and its resources too.
	scopes, resources []string
	refreshes         bool // makes a refresh token
	next              string
	answer            Answer
}

// An Authorization is a user's permission for a client.
type Authorization struct {
	Client           store.Client
	UserID, UserName string
	Claims           map[string]any
	Scopes           []string
	Resources        []string
	RedirectURI      string
	Challenge        string // S256 (RFC 7636)
}

// grant returns the new grant of a permission, which ends after a lifetime unless it is renewed.
func (a Authorization) grant(now time.Time, lifetime, total time.Duration) store.Grant {
	return store.Grant{
		ID: newID(), ClientID: a.Client.ID, ClientSource: a.Client.Source, UserID: a.UserID, UserName: a.UserName, Claims: a.Claims, Scopes: a.Scopes, Resources: a.Resources,
		Created: now, Expires: now.Add(lifetime), Until: now.Add(total),
	}
}

// Authorize makes a grant, and returns the code that the client redeems for its tokens.
func (e *Engine) Authorize(ctx context.Context, a Authorization) (code string, err error) {
	now := time.Now()
	o := &operation{kind: authorization, client: a.Client, grant: a.grant(now, e.Code, e.Total)}
	o.code = &store.Code{RedirectURI: a.RedirectURI, Challenge: a.Challenge, Expires: o.grant.Expires}
	err = e.run(ctx, o)
	return o.next, err
}

// Issue returns an access token without a code and without a refresh token: with Credentials for a
// client that acts for itself (RFC 6749, section 4.4), and with Assertion for the user of an
// assertion (RFC 7523, section 2.1). The caller has checked all of it. The grant lives as long as
// the token.
func (e *Engine) Issue(ctx context.Context, kind string, a Authorization) (Answer, error) {
	now, lifetime := time.Now(), e.access(a.Client)
	o := &operation{kind: kind, client: a.Client, grant: a.grant(now, lifetime, lifetime), scopes: a.Scopes, resources: a.Resources}
	o.grant.Used = now
	return e.issue(ctx, o)
}

// issue runs an operation that issues tokens.
func (e *Engine) issue(ctx context.Context, o *operation) (Answer, error) {
	err := e.run(ctx, o)
	if err == nil {
		e.Base.ReportIssued(ctx, o.kind, o.grant)
	}
	return o.answer, err
}

// The random bytes of the ID of a grant, and of its codes and refresh tokens.
const (
	idBytes     = 16
	secretBytes = 32
)

// newID returns the ID of a grant. A command would take one with a hyphen in front for a flag.
func newID() string {
	for {
		if id := random(idBytes); id[0] != '-' {
			return id
		}
	}
}

// newSecret returns a code or refresh token of a grant. It has random bits behind the ID.
func newSecret(grant string) string { return grant + "." + random(secretBytes) }

func random(size int) string {
	bytes := make([]byte, size)
	_, _ = rand.Read(bytes) // never fails
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// grantOf returns the ID of the grant of a code or refresh token. It returns false for a text
// that can't be one, and that a store would have to look for.
func grantOf(secret string) (id string, ok bool) {
	id, rest, _ := strings.Cut(secret, ".")
	return id, isRandom(id, idBytes) && isRandom(rest, secretBytes)
}

// isRandom reports whether a text can be one that random returns.
func isRandom(text string, size int) bool {
	bytes, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && len(bytes) == size
}

// narrow returns the wanted values if all are granted, or all that are granted if none is
// wanted.
func narrow(wanted, granted []string, refusal error) ([]string, error) {
	if len(wanted) == 0 {
		return granted, nil
	}
	for _, one := range wanted {
		if !slices.Contains(granted, one) {
			return nil, refusal
		}
	}
	return wanted, nil
}
