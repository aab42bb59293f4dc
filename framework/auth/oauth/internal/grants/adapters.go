package grants

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-oauth2/oauth2/v4"
	"github.com/go-oauth2/oauth2/v4/models"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// clients gives the Manager the client of the operation, and no other.
type clients struct{}

func (clients) GetByID(ctx context.Context, id string) (oauth2.ClientInfo, error) {
	o, err := from(ctx)
	if err != nil {
		return nil, err
	}
	if o.client.ID != id {
		return nil, errors.New("the client is not that of the operation")
	}
	return client{o.client}, nil
}

// A client is the client of the operation, which has been authenticated.
type client struct{ store.Client }

func (c client) GetID() string              { return c.ID }
func (c client) GetSecret() string          { return "" }
func (c client) GetDomain() string          { return strings.Join(c.RedirectURIs, "\n") }
func (c client) GetUserID() string          { return "" }
func (c client) VerifyPassword(string) bool { return true }

// registered checks a redirect URI a second time, behind the server.
func registered(domain, uri string) error {
	for one := range strings.SplitSeq(domain, "\n") {
		if metadata.MatchRedirectURI(one, uri) {
			return nil
		}
	}
	return errors.New("the redirect URI is not one of the client's")
}

// codes makes the code of the operation.
type codes struct{}

func (codes) Token(ctx context.Context, _ *oauth2.GenerateBasic) (string, error) {
	o, err := from(ctx)
	if err != nil {
		return "", err
	}
	code := newSecret(o.grant.ID)
	o.code.Hash = store.HashOf(code)
	return code, nil
}

// access makes the tokens of the operation.
type access struct{ *Engine }

func (a access) Token(ctx context.Context, _ *oauth2.GenerateBasic, _ bool) (token, refresh string, err error) {
	o, err := from(ctx)
	if err != nil {
		return "", "", err
	}
	if o.refreshes {
		o.next = newSecret(o.grant.ID)
	}
	err = a.answer(o, time.Now())
	return o.answer.AccessToken, o.next, err
}

// tokens keeps what the operation makes. Create does all of it at once, so the methods that
// remove something have nothing to do.
type tokens struct{ *Engine }

func (t tokens) Create(ctx context.Context, _ oauth2.TokenInfo) error {
	o, err := from(ctx)
	if err != nil {
		return err
	}
	if o.presented == "" {
		return t.Store.CreateGrant(ctx, o.grant, o.code)
	}
	renewal, err := t.renewal(o)
	if err != nil {
		return err
	}
	if o.refresh != nil {
		return t.Store.RotateRefreshToken(ctx, o.grant.ID, o.refresh.Hash, renewal)
	}
	return t.Store.RedeemCode(ctx, o.grant.ID, o.code.Hash, renewal)
}

func (tokens) RemoveByCode(context.Context, string) error    { return nil }
func (tokens) RemoveByAccess(context.Context, string) error  { return nil }
func (tokens) RemoveByRefresh(context.Context, string) error { return nil }

// GetByCode returns the code of the operation. Its time has been checked.
func (t tokens) GetByCode(ctx context.Context, code string) (oauth2.TokenInfo, error) {
	o, err := from(ctx)
	if err != nil {
		return nil, err
	}
	if o.code == nil || o.presented != code {
		return nil, errors.New("the code is not that of the operation")
	}
	info := t.info(o)
	info.SetCode(code)
	info.SetCodeCreateAt(time.Now())
	info.SetCodeExpiresIn(t.Code)
	info.SetCodeChallenge(o.code.Challenge)
	info.SetCodeChallengeMethod(oauth2.CodeChallengeS256)
	info.SetRedirectURI(o.code.RedirectURI)
	return info, nil
}

// GetByRefresh returns the refresh token of the operation. Its time has been checked.
func (t tokens) GetByRefresh(ctx context.Context, token string) (oauth2.TokenInfo, error) {
	o, err := from(ctx)
	if err != nil {
		return nil, err
	}
	if o.refresh == nil || o.presented != token {
		return nil, errors.New("the refresh token is not that of the operation")
	}
	info := t.info(o)
	info.SetRefresh(token)
	info.SetRefreshCreateAt(time.Now())
	info.SetRefreshExpiresIn(t.Idle)
	return info, nil
}

func (tokens) GetByAccess(context.Context, string) (oauth2.TokenInfo, error) {
	return nil, errors.New("access tokens are not kept")
}

// info returns the fields of a grant that the Manager reads.
func (tokens) info(o *operation) *models.Token {
	info := models.NewToken()
	info.SetClientID(o.client.ID)
	info.SetUserID(o.grant.UserID)
	info.SetScope(strings.Join(slices.Clone(o.grant.Scopes), " "))
	return info
}
