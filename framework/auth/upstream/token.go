package upstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/oauth2"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// ErrNoToken means that the provider's token of the caller is missing: the caller never logged
// in at the provider, or the provider ended the login. Models see its text.
var ErrNoToken = exchange.Errorf("There is no login at the provider for this user; disconnect the app from this server, connect it again, and log in")

// A record has the identity of a user as of the last login.
type record struct {
	User  Identity `json:"user"`
	Token string   `json:"token,omitempty"` // an oauth2.Token, sealed; "" unless it is kept
}

// Token returns an access token of the provider for the caller of a tool, so that the tool can
// use the provider's API as the user. The error is [ErrNoToken] for a caller without one.
// Config.Keep has to be set.
//
// A token that has expired is refreshed, by one request at a time for each user. A refresh that
// has begun takes up to ten seconds and continues when ctx ends.
func (p *Provider) Token(ctx context.Context) (string, error) {
	if !p.config.Keep {
		return "", fmt.Errorf("%s: Config.Keep is not set, so there are no tokens; set it, and Key", p.function)
	}
	caller := exchange.PrincipalFrom(ctx)
	if p.records == nil || caller.Issuer != p.issuer { // another issuer may give one of its users the same ID
		return "", ErrNoToken
	}
	token, err := p.token(ctx, caller.Subject)
	if err != nil || token.Valid() {
		return token.AccessToken, err
	}
	err = p.locked(ctx, caller.Subject, func() error {
		token, err = p.refreshed(ctx, caller.Subject)
		return err
	})
	return token.AccessToken, err
}

// token returns the stored token of a user, which may have expired.
func (p *Provider) token(ctx context.Context, id string) (token oauth2.Token, err error) {
	found, err := p.record(ctx, id)
	if err != nil {
		return token, err
	}
	text, ok := p.keys.Open(purpose(id), found.Token)
	if !ok { // none, or sealed with another key
		return token, ErrNoToken
	}
	return token, codec.Unmarshal(text, &token)
}

// refreshed returns a valid token of a user. The caller has the lock. A refresh outlives its
// request: the provider may have rotated the refresh token, so the answer must not be lost.
func (p *Provider) refreshed(ctx context.Context, id string) (oauth2.Token, error) {
	old, err := p.token(ctx, id)
	if err != nil || old.Valid() { // another request was faster
		return old, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.UpstreamTimeout)
	defer cancel()
	at, err := p.service.endpoints(ctx)
	if err != nil {
		return old, fmt.Errorf("%s: %w", p.function, err)
	}
	found, err := p.record(ctx, id)
	if err != nil {
		return old, err
	}
	token := &oauth2.Token{}
	if old.RefreshToken != "" {
		token, err = p.oauth(at, "").TokenSource(p.with(ctx), &oauth2.Token{RefreshToken: old.RefreshToken}).Token()
	}
	if refusal, ok := errors.AsType[*oauth2.RetrieveError](err); old.RefreshToken == "" || ok && (refusal.ErrorCode == "invalid_grant" || refusal.ErrorCode == "bad_refresh_token") {
		return oauth2.Token{}, errors.Join(p.keep(ctx, id, record{User: found.User}, nil), ErrNoToken)
	}
	if err != nil {
		return old, fmt.Errorf("%s: %w", p.function, p.explain(err, old.RefreshToken))
	}
	return *token, p.keep(context.WithoutCancel(ctx), id, found, token)
}

// remember keeps the identity of a user, and the token if Config.Keep is set.
func (p *Provider) remember(ctx context.Context, user Identity, token *oauth2.Token) error {
	if !p.config.Keep {
		return p.keep(ctx, user.ID(), record{User: user}, nil)
	}
	return p.locked(ctx, user.ID(), func() error { return p.keep(ctx, user.ID(), record{User: user}, token) })
}

// keep stores a record, with a token unless it is nil.
func (p *Provider) keep(ctx context.Context, id string, r record, token *oauth2.Token) error {
	if token != nil {
		text, err := codec.MarshalRecord(token)
		if err != nil {
			return err
		}
		r.Token = p.keys.Seal(purpose(id), text)
	}
	data, err := codec.MarshalRecord(r)
	if err != nil {
		return err
	}
	return p.records.SetValue(ctx, keyOf("user", id), store.Value{Data: data, Expires: time.Now().Add(p.lifetime)})
}

// record returns the record of a user, or ErrNoToken.
func (p *Provider) record(ctx context.Context, id string) (found record, err error) {
	value, err := p.records.Value(ctx, keyOf("user", id))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return found, ErrNoToken
	case err != nil:
		return found, err
	}
	return found, codec.Unmarshal(value.Data, &found)
}

// CheckUser returns store.ErrRevoked for a user whom Config.Allow refuses now, and for users of
// another provider. It knows users as of their last login.
func (p *Provider) CheckUser(ctx context.Context, id string) error {
	found, err := p.record(ctx, id)
	if errors.Is(err, ErrNoToken) { // a user of another login
		return nil
	}
	if err != nil {
		return err
	}
	if found.User.Issuer != p.service.issuer() {
		return store.ErrRevoked
	}
	allowed, err := p.config.Allow(ctx, found.User)
	if err == nil && !allowed {
		err = store.ErrRevoked
	}
	return err
}

// The times of a lock. It ends by itself after lockTime, in case that its process has died.
const (
	lockTime = 2 * limits.UpstreamTimeout
	lockWait = 50 * time.Millisecond
)

// locked calls a function while no other request of any process does so for the same user.
func (p *Provider) locked(ctx context.Context, id string, do func() error) error {
	key := keyOf("lock", id)
	for {
		now := time.Now()
		err := p.records.AddValue(ctx, key, store.Value{Data: []byte("locked"), Expires: now.Add(lockTime)}, now)
		if err == nil {
			break
		}
		if !errors.Is(err, store.ErrExists) {
			return err
		}
		select {
		case <-time.After(lockWait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := do()
	_, unlockErr := p.records.TakeValue(context.WithoutCancel(ctx), key)
	if errors.Is(unlockErr, store.ErrNotFound) { // it ended by itself
		unlockErr = nil
	}
	return errors.Join(err, unlockErr)
}

// keyOf returns the key of a value about a user.
func keyOf(kind, id string) store.Hash { return store.HashOf("upstream " + kind + " " + id) }

// purpose binds a sealed token to its user.
func purpose(id string) string { return "upstream token of " + id }
