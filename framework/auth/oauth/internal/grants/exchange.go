package grants

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/internal/engine/seal"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A CodeRequest redeems an authorization code (RFC 6749, section 4.1.3).
type CodeRequest struct {
	Code        string
	Verifier    string   // RFC 7636
	RedirectURI string   // "" if the request has none
	Resources   []string // some resources of the code, or none for all
}

// Redeem exchanges a code for tokens. The client has been authenticated.
func (e *Engine) Redeem(ctx context.Context, client store.Client, r CodeRequest) (Answer, error) {
	o := &operation{kind: Code, client: client, presented: r.Code, verifier: r.Verifier}
	grant, err := e.presentGrant(ctx, client, r.Code, errCode)
	if err != nil {
		return Answer{}, err
	}
	code, err := e.Store.Code(ctx, grant.ID, store.HashOf(r.Code))
	if err != nil {
		return Answer{}, orElse(err, store.ErrNotFound, errCode)
	}
	now := time.Now()
	o.grant, o.code = grant, &code
	if o.resources, err = narrow(r.Resources, grant.Resources, errTarget); err != nil {
		return Answer{}, err
	}
	switch {
	case r.RedirectURI != "" && r.RedirectURI != code.RedirectURI:
		return Answer{}, errRedirect
	case !matches(r.Verifier, code.Challenge):
		return Answer{}, e.failed(ctx, grant, code, now)
	case !code.Used.IsZero(): // everything else is right, so somebody has both the code and its verifier
		return Answer{}, e.reused(ctx, o, now, errCode)
	case !grant.Live(now) || !now.Before(code.Expires):
		return Answer{}, errCode
	}
	if err := orElse(e.Check(ctx, grant), store.ErrRevoked, errCode); err != nil {
		return Answer{}, err
	}
	o.scopes, o.refreshes = grant.Scopes, refreshes(client)
	answer, err := e.issue(ctx, o)
	switch {
	case errors.Is(err, store.ErrUsed): // by another request at the same time
		return Answer{}, e.reused(ctx, o, now, errCode)
	case errors.Is(err, store.ErrRevoked), errors.Is(err, store.ErrNotFound):
		return Answer{}, errCode
	}
	return answer, err
}

// failed counts a wrong verifier, and ends the grant after many.
func (e *Engine) failed(ctx context.Context, grant store.Grant, code store.Code, now time.Time) error {
	failures, err := e.Store.FailCode(context.WithoutCancel(ctx), grant.ID, code.Hash)
	if err == nil && failures >= limits.WrongVerifiers && code.Used.IsZero() {
		err = e.revoke(ctx, grant, now, func() { e.Base.ReportRevoked(ctx, grant, events.RevokedWrongVerifier) })
	}
	return errors.Join(err, errVerifier)
}

// reused ends a grant whose code or refresh token was used again, and returns the refusal.
func (e *Engine) reused(ctx context.Context, o *operation, now time.Time, refusal error) error {
	return errors.Join(e.revoke(ctx, o.grant, now, func() { e.Base.ReportReused(ctx, o.kind == Refresh, o.grant) }), refusal)
}

// revoke ends a grant, and reports it unless it had ended before.
func (e *Engine) revoke(ctx context.Context, grant store.Grant, now time.Time, report func()) error {
	err := e.Store.RevokeGrant(context.WithoutCancel(ctx), grant.ID, now)
	if err == nil && grant.Live(now) {
		report()
	}
	return err
}

// matches reports whether a verifier belongs to a challenge.
func matches(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// refreshes reports whether a client gets refresh tokens: all do, unless their registration
// leaves the grant out.
func refreshes(client store.Client) bool {
	return len(client.GrantTypes) == 0 || slices.Contains(client.GrantTypes, Refresh)
}

// grant returns the grant of a code or refresh token, if it is the client's.
func (e *Engine) grant(ctx context.Context, client store.Client, secret string, refusal error) (store.Grant, error) {
	id, ok := grantOf(secret)
	if !ok {
		return store.Grant{}, refusal
	}
	grant, err := e.Store.Grant(ctx, id)
	if err != nil {
		return grant, orElse(err, store.ErrNotFound, refusal)
	}
	if grant.ClientID != client.ID {
		return grant, refusal
	}
	endpoint.SetUser(ctx, grant.UserID)
	return grant, nil
}

// presentGrant returns a grant with the present URLs of its resources.
func (e *Engine) presentGrant(ctx context.Context, client store.Client, secret string, refusal error) (store.Grant, error) {
	grant, err := e.grant(ctx, client, secret, refusal)
	if err != nil {
		return grant, err
	}
	if grant.Resources = e.Resources(grant.Resources); len(grant.Resources) == 0 {
		return grant, refusal
	}
	return grant, nil
}

// orElse returns refused in place of an error that is the given one.
func orElse(err, given, refusal error) error {
	if errors.Is(err, given) {
		return refusal
	}
	return err
}

// A RefreshRequest exchanges a refresh token (RFC 6749, section 6).
type RefreshRequest struct {
	Token     string
	Scopes    []string // some scopes of the grant, or none for all
	Resources []string // some resources of the grant, or none for all
}

// Refresh exchanges a refresh token for new tokens. The client has been authenticated.
func (e *Engine) Refresh(ctx context.Context, client store.Client, r RefreshRequest) (Answer, error) {
	o := &operation{kind: Refresh, client: client, presented: r.Token, refreshes: true}
	grant, err := e.presentGrant(ctx, client, r.Token, errRefresh)
	if err != nil {
		return Answer{}, err
	}
	o.grant = grant
	if o.scopes, err = narrow(r.Scopes, grant.Scopes, errScope); err != nil {
		return Answer{}, err
	}
	if o.resources, err = narrow(r.Resources, grant.Resources, errTarget); err != nil {
		return Answer{}, err
	}
	token, err := e.Store.RefreshToken(ctx, grant.ID, store.HashOf(r.Token))
	if err != nil {
		return Answer{}, orElse(err, store.ErrNotFound, errRefresh)
	}
	now := time.Now()
	if !grant.Live(now) {
		return Answer{}, errRefresh
	}
	if err := orElse(e.Check(ctx, grant), store.ErrRevoked, errRefresh); err != nil {
		return Answer{}, err
	}
	if wait := e.Wait(grant.ID); wait > 0 {
		return Answer{}, endpoint.SlowDown(wait)
	}
	if !token.Used.IsZero() {
		return e.again(ctx, o, token, now)
	}
	o.refresh = &token
	answer, err := e.issue(ctx, o)
	switch {
	case errors.Is(err, store.ErrUsed): // by another request at the same time
		if token, err = e.Store.RefreshToken(ctx, grant.ID, token.Hash); err != nil {
			return Answer{}, err
		}
		return e.again(ctx, o, token, now)
	case errors.Is(err, store.ErrRevoked), errors.Is(err, store.ErrNotFound):
		return Answer{}, errRefresh
	}
	return answer, err
}

// again answers a request with a refresh token that was used before. Clients that run
// several processes, or that lost the answer, get the same refresh token for a while, and an
// access token for what they ask for. Otherwise somebody has stolen the token, and its grant
// ends.
func (e *Engine) again(ctx context.Context, o *operation, token store.RefreshToken, now time.Time) (answer Answer, err error) {
	if now.Sub(token.Used).Abs() < e.Grace { // the clock of another process may be ahead
		next, err := e.Store.RefreshToken(ctx, o.grant.ID, token.Next)
		if err != nil {
			return answer, err
		}
		if next.Used.IsZero() {
			refresh, ok := seal.New(o.presented).Open(answerPurpose, string(token.Answer))
			if !ok {
				return answer, errors.New("the store has an answer that the refresh token doesn't open")
			}
			o.next = string(refresh)
			if err = e.answer(o, now); err == nil {
				e.Base.ReportIssued(ctx, o.kind, o.grant)
			}
			return o.answer, err
		}
	}
	return answer, e.reused(ctx, o, now, errRefresh)
}

// Revoke revokes the grant of a refresh token (RFC 7009). It returns store.ErrNotFound if the
// token is not the client's.
func (e *Engine) Revoke(ctx context.Context, client store.Client, token string) error {
	grant, err := e.grant(ctx, client, token, errRefresh)
	if err == nil {
		_, err = e.Store.RefreshToken(ctx, grant.ID, store.HashOf(token))
	}
	if err != nil {
		return orElse(err, errRefresh, store.ErrNotFound)
	}
	return e.RevokeGrant(ctx, grant)
}

// RevokeGrant revokes a grant of the client that asks for it.
func (e *Engine) RevokeGrant(ctx context.Context, grant store.Grant) error {
	endpoint.SetUser(ctx, grant.UserID)
	return e.revoke(ctx, grant, time.Now(), func() { e.Base.ReportRevoked(ctx, grant, events.RevokedByClient) })
}

// answerPurpose binds the next refresh token, which is sealed with the one before. The store has
// only the hashes of both, so a copy of the store opens nothing.
const answerPurpose = "answer of a refresh token"

// renewal returns the change of an operation to its grant: a later end, and the next refresh
// token.
func (e *Engine) renewal(o *operation) store.Renewal {
	now := time.Now()
	renewal := store.Renewal{Now: now, Expires: now.Add(e.Idle)}
	if !o.refreshes {
		renewal.Expires = now.Add(e.access(o.client))
		return renewal
	}
	if renewal.Expires.After(o.grant.Until) {
		renewal.Expires = o.grant.Until
	}
	renewal.Next = store.HashOf(o.next)
	if o.refresh == nil {
		return renewal
	}
	renewal.Answer = []byte(seal.New(o.presented).Seal(answerPurpose, []byte(o.next)))
	return renewal
}

// access returns how long the access tokens of a client are valid.
func (e *Engine) access(of store.Client) time.Duration {
	if of.IsPublic() {
		return cmp.Or(e.PublicAccess, e.Access)
	}
	return e.Access
}

// answer answers an operation with an access token, and with its refresh token if it has one.
func (e *Engine) answer(o *operation, now time.Time) error {
	token, err := e.sign(o, now)
	o.answer = Answer{AccessToken: token, TokenType: "Bearer", ExpiresIn: int(e.access(o.client).Seconds()), RefreshToken: o.next, Scope: strings.Join(o.scopes, " ")}
	return err
}

// sign makes the access token of an operation (RFC 9068). The claims of the token win over
// claims of the user that have the same name.
func (e *Engine) sign(o *operation, now time.Time) (string, error) {
	subject := o.grant.UserID
	if subject == "" {
		subject = o.client.ID
	}
	claims := map[string]any{}
	if o.grant.UserName != "" {
		claims["name"] = o.grant.UserName
	}
	maps.Copy(claims, o.grant.Claims)
	maps.Copy(claims, map[string]any{
		"iss": e.Issuer, "sub": subject, "aud": audience(o.resources), "client_id": o.client.ID, "scope": strings.Join(o.scopes, " "),
		"iat": now.Unix(), "exp": now.Add(e.access(o.client)).Unix(), "jti": newID(), "gid": o.grant.ID,
	})
	return e.Sign(claims)
}

// audience returns the claim aud: a text for one resource.
func audience(resources []string) any {
	if len(resources) == 1 {
		return resources[0]
	}
	return resources
}
