// Package grants issues authorization codes and tokens. It is the only package that uses
// go-oauth2, whose Manager runs the steps of each grant. The adapters of this package give
// it the records of a [store.Store], which the Manager must not check or change by itself:
// the operation of a request has done that before, and what must happen as a whole happens in
// one method of the store.
package grants

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-oauth2/oauth2/v4"
	"github.com/go-oauth2/oauth2/v4/manage"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// A Config sets up an engine.
type Config struct {
	Store store.Store

	// Issuer is the claim iss of access tokens, and Sign signs their claims.
	Issuer string
	Sign   func(claims map[string]any) (token string, err error)

	// Code and Access are how long codes and access tokens are valid. A grant ends after Idle
	// without use, and at the latest after Total. PublicAccess is that of access tokens of
	// clients without a secret or a key; the default is Access.
	Code, Access, PublicAccess, Idle, Total time.Duration

	// Grace is how long a used refresh token returns the answer again that it was exchanged
	// for, if the client has not used that.
	Grace time.Duration

	// Resources returns the present URLs of the resources of a grant, which may have others
	// since the program has moved, without those that are gone. It may be nil.
	Resources func([]string) []string

	// Check returns store.ErrRevoked if the client or the user of a grant may no longer get
	// tokens. It may be nil.
	Check func(ctx context.Context, grant store.Grant) error

	// Wait counts a refresh of a grant, and returns how long its client has to wait if there
	// were too many. It may be nil.
	Wait func(grant string) time.Duration
}

// An Engine issues codes and tokens. Several goroutines may use it.
type Engine struct {
	Config
	manager *manage.Manager
}

// New returns an engine.
func New(config Config) *Engine {
	e := &Engine{Config: config, manager: manage.NewManager()}
	e.manager.MapClientStorage(clients{})
	e.manager.MapTokenStorage(tokens{e})
	e.manager.MapAuthorizeGenerate(codes{})
	e.manager.MapAccessGenerate(access{e})
	e.manager.SetValidateURIHandler(registered)
	e.manager.SetAuthorizeCodeExp(config.Code)
	with := &manage.Config{AccessTokenExp: config.Access, RefreshTokenExp: config.Idle, IsGenerateRefresh: true}
	e.manager.SetAuthorizeCodeTokenCfg(with)
	e.manager.SetClientTokenCfg(&manage.Config{AccessTokenExp: config.Access})
	e.manager.SetRefreshTokenCfg(&manage.RefreshingConfig{AccessTokenExp: config.Access, RefreshTokenExp: config.Idle, IsGenerateRefresh: true})
	return e
}

// An Error is an error of the token endpoint (RFC 6749, section 5.2).
type Error struct {
	Code        string // such as "invalid_grant"
	Description string
}

func (e *Error) Error() string { return e.Code + ": " + e.Description }

// A WaitError means that a client has refreshed its tokens too often.
type WaitError struct{ Wait time.Duration }

func (e *WaitError) Error() string { return "the grant has had too many tokens" }

// The errors of grants. Several causes share one, so that the answer tells nothing about
// codes and tokens of others.
var (
	errCode     = &Error{"invalid_grant", "The authorization code is not valid, has expired or was used before"}
	errVerifier = &Error{"invalid_grant", "The code_verifier does not belong to the authorization request"}
	errRedirect = &Error{"invalid_grant", "The redirect_uri is not that of the authorization request"}
	errRefresh  = &Error{"invalid_grant", "The refresh token is not valid, has expired or was revoked"}
	errTarget   = &Error{"invalid_target", "The resource is not one that was granted"}
	errScope    = &Error{"invalid_scope", "The scope has more than was granted"}
)

// An Answer is a successful answer of the token endpoint (RFC 6749, section 5.1).
type Answer struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
}

// An operation is what one request does. The adapters find it in the context.
type operation struct {
	client    store.Client
	grant     store.Grant
	code      *store.Code // that is made, or redeemed
	refresh   *store.RefreshToken
	presented string // the code or refresh token of the request

	// The tokens that are made. The scopes of an access token may be less than those of the
	// grant, and its resources too.
	scopes, resources []string
	refreshes         bool // makes a refresh token
	next              string
	answer            Answer
}

type operationKey struct{}

func with(ctx context.Context, o *operation) context.Context {
	return context.WithValue(ctx, operationKey{}, o)
}

// errNoOperation means that the Manager was called without an operation. It can't happen.
var errNoOperation = errors.New("there is no operation in the context")

func from(ctx context.Context) (*operation, error) {
	if o, ok := ctx.Value(operationKey{}).(*operation); ok {
		return o, nil
	}
	return nil, errNoOperation
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

// Authorize makes a grant, and returns the code that the client redeems for its tokens.
func (e *Engine) Authorize(ctx context.Context, a Authorization) (code string, err error) {
	now := time.Now()
	o := &operation{client: a.Client}
	o.grant = store.Grant{
		ID: newID(), ClientID: a.Client.ID, ClientSource: a.Client.Source, UserID: a.UserID, UserName: a.UserName, Claims: a.Claims, Scopes: a.Scopes, Resources: a.Resources,
		Created: now, Expires: now.Add(e.Code), Until: now.Add(e.Total),
	}
	o.code = &store.Code{RedirectURI: a.RedirectURI, Challenge: a.Challenge, Expires: now.Add(e.Code)}
	info, err := e.manager.GenerateAuthToken(with(ctx, o), oauth2.Code, &oauth2.TokenGenerateRequest{
		ClientID: a.Client.ID, UserID: a.UserID, RedirectURI: a.RedirectURI, Scope: strings.Join(a.Scopes, " "),
		CodeChallenge: a.Challenge, CodeChallengeMethod: oauth2.CodeChallengeS256,
	})
	if err != nil {
		return "", err
	}
	return info.GetCode(), nil
}

// ClientCredentials returns an access token for a client that acts for itself (RFC 6749,
// section 4.4). The caller has checked the client, scopes and resources.
func (e *Engine) ClientCredentials(ctx context.Context, client store.Client, scopes, resources []string) (Answer, error) {
	return e.direct(ctx, oauth2.ClientCredentials, store.Grant{ClientID: client.ID, Scopes: scopes, Resources: resources}, client)
}

// Assertion returns an access token for the user of an assertion that the caller has checked
// (RFC 7523, section 2.1). There is no refresh token.
func (e *Engine) Assertion(ctx context.Context, a Authorization) (Answer, error) {
	grant := store.Grant{ClientID: a.Client.ID, UserID: a.UserID, UserName: a.UserName, Claims: a.Claims, Scopes: a.Scopes, Resources: a.Resources}
	return e.direct(ctx, "urn:ietf:params:oauth:grant-type:jwt-bearer", grant, a.Client)
}

// direct makes a grant with an access token alone, and without a code. The grant lives as
// long as the token.
func (e *Engine) direct(ctx context.Context, grantType oauth2.GrantType, grant store.Grant, client store.Client) (Answer, error) {
	now := time.Now()
	grant.ClientSource = client.Source
	end := now.Add(e.access(client))
	grant.ID, grant.Created, grant.Used, grant.Expires, grant.Until = newID(), now, now, end, end
	o := &operation{client: client, grant: grant, scopes: grant.Scopes, resources: grant.Resources}
	_, err := e.manager.GenerateAccessToken(with(ctx, o), grantType, &oauth2.TokenGenerateRequest{
		ClientID: client.ID, UserID: grant.UserID, Scope: strings.Join(grant.Scopes, " "), AccessTokenExp: e.access(client),
	})
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
func narrow(wanted, granted []string, refused error) ([]string, error) {
	if len(wanted) == 0 {
		return granted, nil
	}
	for _, one := range wanted {
		if !slices.Contains(granted, one) {
			return nil, refused
		}
	}
	return wanted, nil
}
