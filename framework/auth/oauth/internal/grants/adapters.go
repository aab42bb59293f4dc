package grants

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-oauth2/oauth2/v4"
	"github.com/go-oauth2/oauth2/v4/manage"
	"github.com/go-oauth2/oauth2/v4/models"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// run lets go-oauth2 run the steps of an operation. Each operation has a Manager of its own,
// which sees the records of that operation and no others.
func (e *Engine) run(ctx context.Context, o *operation) (err error) {
	s := steps{e, o}
	manager := manage.NewManager()
	manager.MapClientStorage(s)
	manager.MapTokenStorage(s)
	manager.MapAuthorizeGenerate(codes{o})
	manager.MapAccessGenerate(s)
	manager.SetValidateURIHandler(registered)
	request := &oauth2.TokenGenerateRequest{ClientID: o.client.ID, Code: o.presented, CodeVerifier: o.verifier, Refresh: o.presented}
	if o.code != nil {
		request.RedirectURI = o.code.RedirectURI
	}
	switch o.kind {
	case authorization:
		_, err = manager.GenerateAuthToken(ctx, oauth2.Code, request)
	case Refresh:
		_, err = manager.RefreshAccessToken(ctx, request)
	default:
		_, err = manager.GenerateAccessToken(ctx, oauth2.GrantType(o.kind), request)
	}
	return err
}

// steps are what the Manager asks for. The methods that it has no use for here do nothing.
type steps struct {
	*Engine
	o *operation
}

// GetByID returns the client of the operation, which has been authenticated.
func (s steps) GetByID(context.Context, string) (oauth2.ClientInfo, error) {
	c := s.o.client
	return &models.Client{ID: c.ID, Domain: strings.Join(c.RedirectURIs, "\n"), Public: c.IsPublic()}, nil
}

// registered checks a redirect URI a second time, behind the server.
func registered(domain, uri string) error {
	for one := range strings.SplitSeq(domain, "\n") {
		if metadata.MatchRedirectURI(one, uri) {
			return nil
		}
	}
	return errors.New("the redirect URI is not one of the client's")
}

// codes makes the code of an operation.
type codes struct{ o *operation }

func (c codes) Token(context.Context, *oauth2.GenerateBasic) (string, error) {
	c.o.next = newSecret(c.o.grant.ID)
	c.o.code.Hash = store.HashOf(c.o.next)
	return c.o.next, nil
}

// Token makes the tokens of the operation.
func (s steps) Token(context.Context, *oauth2.GenerateBasic, bool) (token, refresh string, err error) {
	if s.o.refreshes {
		s.o.next = newSecret(s.o.grant.ID)
	}
	err = s.answer(s.o, time.Now())
	return s.o.answer.AccessToken, s.o.next, err
}

// Create keeps what the operation makes. It does all of it at once, so the methods that remove
// something have nothing to do.
func (s steps) Create(ctx context.Context, _ oauth2.TokenInfo) error {
	o := s.o
	if o.presented == "" {
		return s.Store.CreateGrant(ctx, o.grant, o.code)
	}
	if o.refresh != nil {
		return s.Store.RotateRefreshToken(ctx, o.grant.ID, o.refresh.Hash, s.renewal(o))
	}
	return s.Store.RedeemCode(ctx, o.grant.ID, o.code.Hash, s.renewal(o))
}

func (steps) RemoveByCode(context.Context, string) error    { return nil }
func (steps) RemoveByAccess(context.Context, string) error  { return nil }
func (steps) RemoveByRefresh(context.Context, string) error { return nil }

// GetByCode returns the code of the operation. Its time has been checked.
func (s steps) GetByCode(_ context.Context, code string) (oauth2.TokenInfo, error) {
	return &models.Token{
		ClientID: s.o.client.ID, Code: code, CodeCreateAt: time.Now(), CodeExpiresIn: s.Code, RedirectURI: s.o.code.RedirectURI,
		CodeChallenge: s.o.code.Challenge, CodeChallengeMethod: string(oauth2.CodeChallengeS256),
	}, nil
}

// GetByRefresh returns the refresh token of the operation. Its time has been checked.
func (s steps) GetByRefresh(_ context.Context, token string) (oauth2.TokenInfo, error) {
	return &models.Token{ClientID: s.o.client.ID, Refresh: token}, nil
}

func (steps) GetByAccess(context.Context, string) (oauth2.TokenInfo, error) {
	return nil, errors.New("access tokens are not kept")
}
