package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/oauth2"

	"github.com/bowline-mcp/bowline/internal/fetch"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

const gitHubURL = "https://github.com"

// github is GitHub, or a GitHub Enterprise Server. It has OAuth, but no ID tokens for users.
type github struct{ config Config }

func (g *github) name() string     { return "GitHub" }
func (g *github) url() string      { return strings.TrimSuffix(cmp.Or(g.config.URL, gitHubURL), "/") }
func (g *github) issuer() string   { return g.url() + "/login/oauth" } // in GitHub's metadata
func (g *github) scopes() []string { return []string{"user:email"} }

// api returns the address of the REST API.
func (g *github) api() string {
	u, err := url.Parse(g.url())
	if err == nil && u.Scheme == "https" && (u.Host == "github.com" || strings.HasSuffix(u.Host, ".ghe.com")) {
		return "https://api." + u.Host
	}
	return g.url() + "/api/v3"
}

func (g *github) check() error { return fetch.ReachFrom(g.url()).CheckURL(g.url()) }

// endpoints returns the endpoints. GitHub sends its issuer since 2026, but older Enterprise
// Servers don't.
func (g *github) endpoints(context.Context) (endpoints, error) {
	at := oauth2.Endpoint{AuthURL: g.issuer() + "/authorize", TokenURL: g.issuer() + "/access_token", AuthStyle: oauth2.AuthStyleInParams}
	return endpoints{Endpoint: at}, nil
}

func (g *github) parameters(_ string, switches bool) []oauth2.AuthCodeOption {
	if switches {
		return []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("prompt", "select_account")}
	}
	return nil
}

// identify returns the user of a token, by the number of the account: its name can change, and
// be taken by somebody else.
func (g *github) identify(ctx context.Context, token *oauth2.Token, _ string) (Identity, error) {
	var account struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
	}
	body, err := g.get(ctx, "/user", token)
	if err != nil {
		return Identity{}, err
	}
	user := Identity{Issuer: g.issuer()}
	if err := errors.Join(codec.Unmarshal(body, &account), codec.Unmarshal(body, &user.Claims)); err != nil || account.ID <= 0 || account.Login == "" {
		return Identity{}, fmt.Errorf("the answer of %s/user is no user with an id and a login", g.api())
	}
	user.Subject, user.Name = strconv.FormatInt(account.ID, 10), account.Login
	user.Emails, err = g.emails(ctx, token)
	return user, err
}

// emails returns the verified addresses of a user. There are none if the user, or the
// permissions of a GitHub App, keep them secret.
func (g *github) emails(ctx context.Context, token *oauth2.Token) (verified []string, err error) {
	body, err := g.get(ctx, "/user/emails", token)
	if errors.Is(err, errSecret) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []struct {
		Email    string `json:"email"`
		Verified bool   `json:"verified"`
	}
	if err := codec.Unmarshal(body, &all); err != nil {
		return nil, fmt.Errorf("the answer of %s/user/emails isn't a list of e-mail addresses", g.api())
	}
	for _, one := range all {
		if one.Verified {
			verified = append(verified, one.Email)
		}
	}
	return verified, nil
}

var errSecret = errors.New("the token doesn't allow it")

// get reads a part of the REST API.
func (g *github) get(ctx context.Context, path string, token *oauth2.Token) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.api()+path, nil)
	if err != nil {
		return nil, err
	}
	token.SetAuthHeader(r)
	r.Header.Set("Accept", "application/vnd.github+json")
	answer, err := fetch.Do(g.config.Client, r, limits.MaxIssuerDocument)
	switch {
	case err != nil:
		return nil, err
	case answer.Status == http.StatusOK:
		return answer.Body, nil
	case answer.Status == http.StatusForbidden || answer.Status == http.StatusNotFound:
		return nil, fmt.Errorf("%s%s answers with the status %d: %w", g.api(), path, answer.Status, errSecret)
	}
	return nil, fmt.Errorf("%s%s answers with the status %d", g.api(), path, answer.Status)
}
