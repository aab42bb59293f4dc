package upstream_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/upstream"
)

func TestIDTokensAreVerified(t *testing.T) {
	t.Parallel()
	other := must(jose.GenerateKey(jose.ES256))
	unsigned := func(f *fake) string {
		part := func(value any) string { return base64.RawURLEncoding.EncodeToString(must(json.Marshal(value))) }
		_, rest, _ := strings.Cut(f.idToken(f.key), ".")
		claims, _, _ := strings.Cut(rest, ".")
		return part(map[string]string{"alg": "none", "typ": "JWT"}) + "." + claims + "."
	}
	for name, tt := range map[string]struct {
		claims map[string]any
		token  func(*fake) string // in place of the usual one
		log    string
	}{
		"another issuer":           {map[string]any{"iss": "https://evil.example"}, nil, "different provider"},
		"no issuer":                {map[string]any{"iss": nil}, nil, "different provider"},
		"another audience":         {map[string]any{"aud": "another-app"}, nil, "expected audience"},
		"no audience":              {map[string]any{"aud": nil}, nil, "expected audience"},
		"another party":            {map[string]any{"azp": "another-app"}, nil, "issued to the client"},
		"two audiences, no party":  {map[string]any{"aud": []string{clientID, "another-app"}}, nil, "issued to the client"},
		"another nonce":            {map[string]any{"nonce": "of another login"}, nil, "nonce is wrong"},
		"no nonce":                 {map[string]any{"nonce": nil}, nil, "nonce is wrong"},
		"expired":                  {map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}, nil, "expired"},
		"no expiry":                {map[string]any{"exp": nil}, nil, "expired"},
		"not valid yet":            {map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}, nil, "before the nbf"},
		"no subject":               {map[string]any{"sub": nil}, nil, "no subject"},
		"another key":              {nil, func(f *fake) string { return f.idToken(other) }, "failed to verify signature"},
		"alg none":                 {nil, unsigned, "unexpected signature algorithm"},
		"no ID token":              {nil, func(*fake) string { return "" }, "no ID token"},
		"something else":           {nil, func(*fake) string { return "a.b.c" }, "malformed"},
		"a signature of no issuer": {nil, func(f *fake) string { return f.idToken(f.key) + "AAAA" }, "failed to verify signature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			for claim, value := range tt.claims {
				f.claims[claim] = value
			}
			if tt.token != nil {
				f.replaced["/token"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					write(w, map[string]any{"access_token": "upstream-access-token", "token_type": "Bearer", "id_token": tt.token(f)})
				})
			}
			p := serve(t, f.oidc())
			b := p.browser(t)
			page := b.get(b.toCallback())
			page.isRefused(t, name, http.StatusBadGateway, "Fake did not answer as it should")
			if log := p.log.String(); !strings.Contains(log, tt.log) || strings.Contains(log, "upstream-access-token") {
				t.Errorf("the log is %s, want %q in it", log, tt.log)
			}
			if again := b.loginPage(); again.status != http.StatusOK {
				t.Errorf("the user is logged in: the login page leads to %s", again.location)
			}
		})
	}
}

// A party besides ours may be in the audience, if the token was issued to us.
func TestIDTokensMayHaveFurtherAudiences(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.claims["aud"], f.claims["azp"] = []string{"another-app", clientID}, clientID
	if got := serve(t, f.oidc()).browser(t).login(); got.Access == "" {
		t.Error("there is no token")
	}
}

// An e-mail address that the provider has not verified says nothing about the user.
func TestOnlyVerifiedAddressesAreUsed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		claims map[string]any
		info   map[string]any
		want   string // the name on the consent page
	}{
		"verified":                {nil, nil, "ana@example.com"},
		"verified as text":        {map[string]any{"email_verified": "true"}, nil, "ana@example.com"},
		"not verified":            {map[string]any{"email_verified": false, "name": "Ana"}, nil, "Ana"},
		"not verified as text":    {map[string]any{"email_verified": "false"}, nil, "1098"},
		"nothing said":            {map[string]any{"email_verified": nil}, nil, "1098"},
		"an address as a name":    {map[string]any{"email": nil, "preferred_username": "boss@example.com", "name": "boss@example.com"}, map[string]any{"sub": "1098"}, "1098"},
		"a user name":             {map[string]any{"email": nil, "preferred_username": "ana", "name": "Ana"}, map[string]any{"sub": "1098"}, "ana"},
		"in the userinfo":         {map[string]any{"email": nil, "email_verified": nil}, map[string]any{"sub": "1098", "email": "eve@example.com", "email_verified": true}, "eve@example.com"},
		"half in the ID token":    {map[string]any{"email": nil, "email_verified": true}, map[string]any{"sub": "1098", "email": "eve@example.com"}, "1098"},
		"half wrong":              {map[string]any{"email": nil, "email_verified": false}, map[string]any{"sub": "1098", "email": "eve@example.com", "email_verified": true}, "eve@example.com"},
		"userinfo is not trusted": {map[string]any{"email_verified": false}, map[string]any{"sub": "1098", "email_verified": true}, "1098"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			for claim, value := range tt.claims {
				f.claims[claim] = value
			}
			f.userinfo = tt.info
			b := serve(t, f.oidc()).browser(t)
			page := b.follow(b.get(b.toCallback()))
			if !strings.Contains(page.body, "<dd>"+tt.want+" <a") {
				t.Errorf("the page does not name %s: %s", tt.want, page.body)
			}
		})
	}
}

func TestTheUserinfoIsThatOfTheIDToken(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.claims["email"], f.userinfo = nil, map[string]any{"sub": "1099", "email": "boss@example.com", "email_verified": true}
	p := serve(t, f.oidc())
	b := p.browser(t)
	b.get(b.toCallback()).isRefused(t, "the userinfo of another user", http.StatusBadGateway, "Fake did not answer")
	if !strings.Contains(p.log.String(), "a different user than the ID token") {
		t.Errorf("the log is %s", p.log)
	}
}

// A provider that is down doesn't keep the program from starting. The login works when it is
// back.
func TestDiscoveryIsRetried(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.replaced["/.well-known/openid-configuration"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "maintenance", http.StatusServiceUnavailable)
	})
	p := serve(t, f.oidc())
	b := p.browser(t)
	b.submit(b.loginPage(), nil).isRefused(t, "a provider that is down", http.StatusBadGateway, "Fake did not answer as it should. Try again later.")
	if !strings.Contains(p.log.String(), "answers with the status 503") {
		t.Errorf("the log is %s", p.log)
	}
	f.set(func() { f.replaced = map[string]http.Handler{} })
	if got := b.login(); got.Access == "" {
		t.Error("there is no token")
	}
	b.forget()
	b.login()
	if n := strings.Count(f.sent(), "GET /.well-known/openid-configuration"); n != 2 {
		t.Errorf("the metadata was read %d times, want once after the failure", n)
	}
}

func TestMetadataIsChecked(t *testing.T) {
	t.Parallel()
	for name, metadata := range map[string]map[string]any{
		"another issuer":             {"issuer": "https://evil.example"},
		"no token endpoint":          {"token_endpoint": nil},
		"a token endpoint on http":   {"token_endpoint": "http://login.example.com/token"},
		"a script to authorize":      {"authorization_endpoint": "javascript:alert(1)"},
		"keys on http":               {"jwks_uri": "http://login.example.com/keys"},
		"userinfo on http":           {"userinfo_endpoint": "http://login.example.com/userinfo"},
		"a token endpoint with user": {"token_endpoint": "https://a:b@login.example.com/token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.metadata = metadata
			b := serve(t, f.oidc()).browser(t)
			b.submit(b.loginPage(), nil).isRefused(t, name, http.StatusBadGateway, "Fake did not answer")
		})
	}
}

// Google is an OpenID provider with a fixed issuer. The claim hd tells the users of a Workspace
// from those who only have an address in its domain.
func TestGoogleAllowsTheUsersOfAWorkspace(t *testing.T) {
	t.Parallel()
	for workspace, want := range map[any]int{"example.com": http.StatusSeeOther, "evil.example": http.StatusForbidden, nil: http.StatusForbidden} {
		f := newFake(t)
		google := "https://accounts.google.com"
		f.claims["iss"], f.claims["hd"], f.answer = google, workspace, map[string][]string{"iss": {google}}
		f.metadata = map[string]any{"issuer": google, "authorization_endpoint": google + "/authorize", "token_endpoint": google + "/token", "jwks_uri": google + "/keys", "userinfo_endpoint": nil}
		b := serve(t, upstream.Google(f.config(keep, func(c *upstream.Config) {
			c.URL, c.Name, c.Allow, c.Client = "", "", upstream.Domain("example.com"), &http.Client{Transport: &reroute{to: f.url}}
		}))).browser(t)
		at := b.toProvider()
		if !strings.HasPrefix(at, google+"/authorize?") || !strings.Contains(at, "access_type=offline") || !strings.Contains(at, "prompt=consent") || !strings.Contains(b.loginPage().body, "Log in with Google") {
			t.Errorf("the browser is sent to %s", at)
		}
		if page := b.follow(b.get(strings.Replace(at, google, f.url, 1))); page.status != want {
			t.Errorf("a user of %v gets %d: %s", workspace, page.status, page.body)
		}
	}
}
