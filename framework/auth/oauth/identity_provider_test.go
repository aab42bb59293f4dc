package oauth

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

const company = "https://login.example.com"

// A provider is the identity provider of a company, for the clients of a fixture.
type provider struct {
	*fixture
	*publisher
	key *jose.PrivateKey
}

// newProvider returns a provider and a server that trusts it. The server has the client desk.
func newProvider(t *testing.T, alter ...func(*Config, *mcp.Site)) *provider {
	t.Helper()
	p := &provider{key: newKey(t, jose.RS256)}
	p.publisher = &publisher{keys: keySet(t, p.key)}
	p.fixture = newFixture(t, append([]func(*Config, *mcp.Site){func(c *Config, _ *mcp.Site) {
		c.IdentityProviders = []auth.Issuer{{URL: company, JWKS: company + "/keys", Client: &http.Client{Transport: p.publisher}}}
	}}, alter...)...)
	p.adds(t, store.Client{ID: "desk", Source: store.Static, GrantTypes: []string{grantAssertion}, Secret: hashOf(secret)})
	return p
}

// vouches returns an identity assertion for a client, with changed claims.
func (p *provider) vouches(t *testing.T, client string, changes ...any) string {
	t.Helper()
	now := time.Now()
	return sign(t, p.key, identityType, map[string]any{
		"iss": company, "sub": "e42", "aud": issuer, "client_id": client, "resource": resource, "scope": "mcp:use files:write", "email": "ana@example.com",
		"jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}, changes...)
}

func identityForm(assertion string, changes ...string) url.Values {
	return with(url.Values{"grant_type": {grantAssertion}, "assertion": {assertion}}, changes...)
}

func TestAClientExchangesTheAssertionOfACompany(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	answer := answerOf(t, p.post(tokenPath, identityForm(p.vouches(t, "desk")), basic("desk", secret)))
	access, ok := p.accessToken(answer.AccessToken)
	if !ok || answer.RefreshToken != "" || answer.Scope != "mcp:use files:write" || access.claims["sub"] != company+"|e42" || access.claims["aud"] != resource ||
		access.claims["client_id"] != "desk" || access.claims["name"] != "ana@example.com" {
		t.Errorf("the answer is %+v, %+v", answer, access)
	}
	if principal, err := p.Verifier().Verify(t.Context(), answer.AccessToken, resource); err != nil || principal.Subject != company+"|e42" {
		t.Errorf("the principal is %+v, %v", principal, err)
	}
	if log := p.log.String(); !regexp.MustCompile(`level=INFO msg="a grant was issued" .*type=urn:ietf:params:oauth:grant-type:jwt-bearer .* principal="oauth: ` + regexp.QuoteMeta(company) + `\|e42" client=desk`).MatchString(log) {
		t.Errorf("the log is %s", log)
	}
	w := p.get(t, http.MethodGet, wellknown.ServerPaths("")[0])
	for _, want := range []string{`"authorization_grant_profiles_supported":["urn:ietf:params:oauth:grant-profile:id-jag"]`, `"client_credentials","urn:ietf:params:oauth:grant-type:jwt-bearer"]`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the metadata lack %s: %s", want, w.Body)
		}
	}
}

// Only users with passwords are in the store. The company keeps its own.
func TestAUserOfACompanyIsNoneWithAPassword(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(c *Config, _ *mcp.Site) { c.Authenticator = &passwordLogin{} })
	answer := answerOf(t, p.post(tokenPath, identityForm(p.vouches(t, "desk")), basic("desk", secret)))
	if principal, err := p.Verifier().Verify(t.Context(), answer.AccessToken, resource); err != nil || principal.ID != PrincipalID(company+"|e42") {
		t.Errorf("the principal is %+v, %v", principal, err)
	}
	desk, err := p.base.Store.Client(t.Context(), "desk")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"e42", company + "e42", company + ".evil.test|e42", "https://login.example.org|e42"} {
		answer, err := p.tokens.Grants.Issue(t.Context(), grants.Assertion, grants.Authorization{Client: desk, UserID: id, Scopes: []string{"mcp:use"}, Resources: []string{resource}})
		if err != nil {
			t.Fatal(err)
		}
		p.refusesToken(t, id, answer.AccessToken, "was revoked")
	}
}

func TestAnAssertionOfACompanyThatIsWrongIsRefused(t *testing.T) {
	t.Parallel()
	p, foreign := newProvider(t), newKey(t, jose.RS256)
	foreign.ID = p.key.ID
	now := time.Now()
	for what, test := range map[string]struct{ assertion, log string }{
		"no JWT":                  {"hello", "not a signed JSON Web Token"},
		"an ID token":             {sign(t, p.key, "JWT", claimsOf(t, p.vouches(t, "desk"))), "the type (typ)"},
		"an access token":         {sign(t, p.key, "at+jwt", claimsOf(t, p.vouches(t, "desk"))), "the type (typ)"},
		"an unknown provider":     {p.vouches(t, "desk", "iss", "https://login.example.org"), "not one of Config.IdentityProviders"},
		"a provider with a slash": {p.vouches(t, "desk", "iss", company+"/"), "not one of Config.IdentityProviders"},
		"a foreign key":           {sign(t, foreign, identityType, claimsOf(t, p.vouches(t, "desk"))), "signature"},
		"another audience":        {p.vouches(t, "desk", "aud", "https://other.example"), "its audience (aud)"},
		"the token endpoint":      {p.vouches(t, "desk", "aud", issuer+tokenPath), "its audience (aud)"},
		"several audiences":       {p.vouches(t, "desk", "aud", []string{issuer, "https://other.example"}), "its audience (aud)"},
		"another client":          {p.vouches(t, "web"), "its client_id"},
		"no client":               {p.vouches(t, "desk", "client_id", nil), "its client_id"},
		"no subject":              {p.vouches(t, "desk", "sub", nil), "no subject"},
		"no ID":                   {p.vouches(t, "desk", "jti", nil), "no ID (jti)"},
		"no time of issue":        {p.vouches(t, "desk", "iat", nil), "(iat)"},
		"no expiry":               {p.vouches(t, "desk", "exp", nil), "exp"},
		"an expiry in ten years":  {p.vouches(t, "desk", "exp", now.AddDate(10, 0, 0).Unix()), "in more than 1h0m0s"},
		"an issue a month ago":    {p.vouches(t, "desk", "iat", now.AddDate(0, -1, 0).Unix()), "more than 1h0m0s ago"},
		"expired":                 {p.vouches(t, "desk", "exp", now.Add(-time.Minute).Unix()), "expired"},
	} {
		p.log.Reset()
		w := p.post(tokenPath, identityForm(test.assertion), basic("desk", secret))
		refuses(t, what, w, http.StatusBadRequest, "invalid_grant")
		if !strings.Contains(w.Body.String(), "The assertion is not valid, has expired or was used before") {
			t.Errorf("%s: the answer tells more: %s", what, w.Body)
		}
		if log := p.log.String(); !strings.Contains(log, test.log) || strings.Contains(log, test.assertion) {
			t.Errorf("%s: the log is %q, want %q in it", what, log, test.log)
		}
	}
	once := identityForm(p.vouches(t, "desk"))
	answerOf(t, p.post(tokenPath, once, basic("desk", secret)))
	refuses(t, "used twice", p.post(tokenPath, once, basic("desk", secret)), http.StatusBadRequest, "invalid_grant")
	if fmt.Sprint(p.asked) != "["+company+"/keys]" {
		t.Errorf("the fetches are %v", p.asked)
	}
}

func TestAnAssertionOfACompanyIsForTheResourceThatItNames(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	send := func(assertion string, changes ...string) (audience string) {
		answer := answerOf(t, p.post(tokenPath, identityForm(assertion, changes...), basic("desk", secret)))
		access, _ := p.accessToken(answer.AccessToken)
		return fmt.Sprint(access.claims["aud"])
	}
	for want, got := range map[string]string{
		resource:                           send(p.vouches(t, "desk", "resource", "https://EXAMPLE.com/mcp/private/")),
		other:                              send(p.vouches(t, "desk", "resource", []string{resource, other}), "resource", other),
		"[" + resource + " " + other + "]": send(p.vouches(t, "desk", "resource", []string{resource, other})),
	} {
		if got != want {
			t.Errorf("the audience is %s, want %s", got, want)
		}
	}
	refuses(t, "a foreign resource", p.post(tokenPath, identityForm(p.vouches(t, "desk", "resource", "https://other.example/mcp")), basic("desk", secret)), http.StatusBadRequest, "invalid_grant")
	refuses(t, "a foreign one of two", p.post(tokenPath, identityForm(p.vouches(t, "desk", "resource", []string{resource, "https://other.example"})), basic("desk", secret)), http.StatusBadRequest, "invalid_grant")
	refuses(t, "a number", p.post(tokenPath, identityForm(p.vouches(t, "desk", "resource", 1)), basic("desk", secret)), http.StatusBadRequest, "invalid_grant")
	refuses(t, "another resource in the request", p.post(tokenPath, identityForm(p.vouches(t, "desk"), "resource", other), basic("desk", secret)), http.StatusBadRequest, "invalid_target")
	refuses(t, "none of several", p.post(tokenPath, identityForm(p.vouches(t, "desk", "resource", nil)), basic("desk", secret)), http.StatusBadRequest, "invalid_target")
	if got := send(p.vouches(t, "desk", "resource", nil), "resource", other); got != other {
		t.Errorf("the audience of an assertion without a resource is %s", got)
	}
	alone := newProvider(t, func(_ *Config, site *mcp.Site) { site.Resources = []string{resource} })
	answerOf(t, alone.post(tokenPath, identityForm(alone.vouches(t, "desk", "resource", nil)), basic("desk", secret)))
	refuses(t, "a number at the only resource", alone.post(tokenPath, identityForm(alone.vouches(t, "desk", "resource", 1)), basic("desk", secret)), http.StatusBadRequest, "invalid_grant")
}

func TestAnAssertionOfACompanyGrantsItsScopesAtMost(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	for what, test := range map[string]struct {
		asserted        any
		requested, want string
	}{
		"all":                       {"mcp:use files:write", "", "mcp:use files:write"},
		"a part":                    {"mcp:use files:write", "mcp:use", "mcp:use"},
		"more than asserted":        {"mcp:use", "mcp:use files:write", "mcp:use"},
		"a scope of another server": {"mcp:use admin", "", "mcp:use"},
		"OpenID scopes":             {"openid mcp:use", "openid profile", "mcp:use"},
		"none in the assertion":     {nil, "", "mcp:use"},
		"more than the default":     {nil, "mcp:use files:write", "mcp:use"},
	} {
		answer := answerOf(t, p.post(tokenPath, identityForm(p.vouches(t, "desk", "scope", test.asserted), "scope", test.requested), basic("desk", secret)))
		if answer.Scope != test.want {
			t.Errorf("%s: the scope is %q, want %q", what, answer.Scope, test.want)
		}
	}
	for what, asserted := range map[string]any{"another scope": "mcp:use", "an unknown one": "admin", "an empty text": "", "a list": []string{"files:write"}} {
		w := p.post(tokenPath, identityForm(p.vouches(t, "desk", "scope", asserted), "scope", "files:write"), basic("desk", secret))
		refuses(t, what, w, http.StatusBadRequest, "invalid_grant")
	}
	p.adds(t, store.Client{ID: "limited", Source: store.Static, GrantTypes: []string{grantAssertion}, Secret: hashOf(secret), Scopes: []string{"mcp:use"}})
	if answer := answerOf(t, p.post(tokenPath, identityForm(p.vouches(t, "limited")), basic("limited", secret))); answer.Scope != "mcp:use" {
		t.Errorf("the scope of a limited client is %q", answer.Scope)
	}
}

func TestAnAssertionOfACompanyNeedsAClientThatIsKnown(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	refuses(t, "no secret", p.post(tokenPath, identityForm(p.vouches(t, "desk"), "client_id", "desk")), http.StatusUnauthorized, "invalid_client")
	refuses(t, "no assertion", p.post(tokenPath, identityForm(""), basic("desk", secret)), http.StatusBadRequest, "invalid_request")
	refuses(t, "a client without the grant", p.post(tokenPath, identityForm(p.vouches(t, "web")), basic("web", secret)), http.StatusBadRequest, "unauthorized_client")
	p.adds(t, store.Client{ID: "public", Source: store.Static, GrantTypes: []string{grantAssertion}})
	refuses(t, "a public client", p.post(tokenPath, identityForm(p.vouches(t, "public"), "client_id", "public")), http.StatusBadRequest, "unauthorized_client")

	one := newDescription()
	p.clients.Documents = one
	answer := answerOf(t, p.post(tokenPath, identityForm(p.vouches(t, described), "client_id", described)))
	if access, _ := p.accessToken(answer.AccessToken); access.claims["client_id"] != described {
		t.Errorf("the token of a document's client is %+v", access)
	}
	one.document.GrantTypes = []string{grantCode}
	refuses(t, "a document without the grant", p.post(tokenPath, identityForm(p.vouches(t, described), "client_id", described)), http.StatusBadRequest, "unauthorized_client")

	f := newFixture(t)
	f.adds(t, store.Client{ID: "desk", Source: store.Static, GrantTypes: []string{grantAssertion}, Secret: hashOf(secret)})
	refuses(t, "a server without providers", f.post(tokenPath, identityForm(p.vouches(t, "desk")), basic("desk", secret)), http.StatusBadRequest, "unsupported_grant_type")
}

func TestAProviderThatIsDownIsNoReasonToForgetTheAssertion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newProvider(t)
		p.err = errors.New("connection refused")
		form := identityForm(p.vouches(t, "desk"))
		refuses(t, "a provider that is down", p.post(tokenPath, form, basic("desk", secret)), http.StatusServiceUnavailable, "temporarily_unavailable")
		if !strings.Contains(p.log.String(), "connection refused") {
			t.Errorf("the log is %s", p.log)
		}
		p.err = nil
		time.Sleep(time.Second)
		answerOf(t, p.post(tokenPath, form, basic("desk", secret)))
	})
}
