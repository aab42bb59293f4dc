package upstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A login is the visit of a user to the provider.
type login struct {
	Verifier string `json:"verifier"` // RFC 7636
	Nonce    string `json:"nonce"`    // OpenID Connect Core, section 3.1.2.1
}

// Authenticate shows a page with a button, sends the browser to the provider, and returns the
// user when the browser comes back.
func (p *Provider) Authenticate(w http.ResponseWriter, r *oauth.LoginRequest) (*oauth.User, error) {
	ctx, cancel := context.WithTimeout(r.Context(), limits.UpstreamTimeout)
	defer cancel()
	if data, ok := r.Forwarded(); ok {
		return p.finish(ctx, r, data)
	}
	if r.Method != http.MethodPost {
		r.Button(w, oauth.Button{Name: p.config.Name, URL: p.service.issuer(), Scopes: p.scopes()})
		return nil, nil
	}
	return nil, p.begin(ctx, w, r)
}

// begin sends the browser to the provider.
func (p *Provider) begin(ctx context.Context, w http.ResponseWriter, r *oauth.LoginRequest) error {
	at, err := p.service.endpoints(ctx)
	if err != nil {
		return p.failed(err)
	}
	login := login{Verifier: oauth2.GenerateVerifier(), Nonce: rand.Text()}
	data, err := codec.MarshalRecord(login)
	if err != nil {
		return err
	}
	parameters := append(p.service.parameters(login.Nonce, r.Switches()), oauth2.S256ChallengeOption(login.Verifier))
	return r.Forward(w, data, func(state string) string { return p.oauth(at, r.CallbackURL()).AuthCodeURL(state, parameters...) })
}

// finish returns the user of an authorization response (RFC 6749, section 4.1.2).
func (p *Provider) finish(ctx context.Context, r *oauth.LoginRequest, data []byte) (*oauth.User, error) {
	var login login
	if err := codec.Unmarshal(data, &login); err != nil {
		return nil, err
	}
	at, err := p.service.endpoints(ctx)
	if err != nil {
		return nil, p.failed(err)
	}
	code, err := p.codeOf(r, at)
	if err != nil {
		return nil, err
	}
	token, err := p.oauth(at, r.CallbackURL()).Exchange(p.with(ctx), code, oauth2.VerifierOption(login.Verifier))
	if err != nil {
		return nil, p.failed(p.explain(err, code))
	}
	user, err := p.service.identify(p.with(ctx), token, login.Nonce)
	if err != nil {
		return nil, p.failed(err)
	}
	allowed, err := p.config.Allow(ctx, user)
	if err != nil {
		return nil, err
	}
	if !allowed {
		return nil, &oauth.LoginError{
			Status: http.StatusForbidden, Text: "login.refused", Detail: user.Name, Err: fmt.Errorf("%s: Config.Allow refuses the user %s (%s)", p.function, user.ID(), user.Name),
		}
	}
	if err := p.remember(ctx, user, token); err != nil {
		return nil, err
	}
	return &oauth.User{ID: user.ID(), Name: user.Name}, nil
}

// codeOf returns the code of an authorization response. The issuer is checked first: an answer
// of another server says nothing (RFC 9207, section 2.4).
func (p *Provider) codeOf(r *oauth.LoginRequest, at endpoints) (string, error) {
	answer := r.URL.Query()
	if issuer := answer.Get("iss"); issuer != p.service.issuer() && (issuer != "" || at.sendsIssuer) {
		return "", p.failed(fmt.Errorf("the answer comes from the issuer %q, not %q", cut(issuer), p.service.issuer()))
	}
	switch problem := answer.Get("error"); {
	case problem == "access_denied":
		return "", &oauth.LoginError{Status: http.StatusForbidden, Text: "login.denied", Detail: p.config.Name, Err: fmt.Errorf("%s: access_denied", p.function)}
	case problem != "":
		return "", p.failed(fmt.Errorf("%s: %s", cut(problem), cut(answer.Get("error_description"))))
	case answer.Get("code") == "":
		return "", p.failed(errors.New("the answer has neither a code nor an error"))
	}
	return answer.Get("code"), nil
}

// with returns a context with the client for requests.
func (p *Provider) with(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.config.Client)
}

// failed returns the error for a provider that doesn't answer as it should.
func (p *Provider) failed(err error) error {
	return &oauth.LoginError{Status: http.StatusBadGateway, Text: "login.upstream", Detail: p.config.Name, Err: fmt.Errorf("%s: %s", p.function, cut(err.Error()))}
}

// explain returns an error of the token endpoint for the log, without the answer and without
// secrets, which a provider may repeat.
func (p *Provider) explain(err error, secrets ...string) error {
	refusal, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return err
	}
	text := fmt.Sprintf("the token endpoint answers with the status %d: %s %s", refusal.Response.StatusCode, cmp.Or(refusal.ErrorCode, "no error code"), refusal.ErrorDescription)
	for _, secret := range append(secrets, p.config.ClientSecret) {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return errors.New(text)
}

// cut shortens a text of a provider for the log.
func cut(text string) string {
	if len(text) > limits.MaxClaim {
		return text[:limits.MaxClaim] + "..."
	}
	return text
}
