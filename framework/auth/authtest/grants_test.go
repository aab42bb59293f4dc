package authtest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
)

const (
	redirect = "http://127.0.0.1:7777/callback"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// post sends a form to an endpoint and returns the status and the members of the answer.
func post(t *testing.T, address string, form url.Values) (status int, members map[string]any) {
	t.Helper()
	response, err := http.PostForm(address, form)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(response.Body).Decode(&members); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, members
}

// values returns a form of pairs of a name and a value. Empty values are left out.
func values(pairs ...string) url.Values {
	form := url.Values{}
	for n := 0; n < len(pairs); n += 2 {
		if pairs[n+1] != "" {
			form.Add(pairs[n], pairs[n+1])
		}
	}
	return form
}

// confidential returns a form with the credentials of the default client.
func confidential(pairs ...string) url.Values {
	return values(append(pairs, "client_id", authtest.DefaultClient, "client_secret", authtest.DefaultSecret)...)
}

// authorization returns the parameters of a right authorization request, changed by pairs.
func authorization(pairs ...string) url.Values {
	challenge := sha256.Sum256([]byte(verifier))
	form := values("response_type", "code", "client_id", authtest.DefaultClient, "redirect_uri", redirect, "state", "a+/=",
		"scope", "openid offline_access notes:read", "resource", resource, "nonce", "n-1",
		"code_challenge", base64.RawURLEncoding.EncodeToString(challenge[:]), "code_challenge_method", "S256")
	for n := 0; n < len(pairs); n += 2 {
		form.Set(pairs[n], pairs[n+1])
	}
	return form
}

// authorize sends an authorization request and returns the status and the URL to which the
// answer redirects.
func authorize(t *testing.T, issuer *authtest.Issuer, query url.Values) (status int, location *url.URL) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(issuer.EndpointURL(authtest.AuthorizationEndpoint) + "?" + query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.Header.Get("Location") == "" {
		return response.StatusCode, nil
	}
	location, err = response.Location()
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, location
}

// code returns a fresh authorization code.
func code(t *testing.T, issuer *authtest.Issuer, query url.Values) string {
	t.Helper()
	_, location := authorize(t, issuer, query)
	return location.Query().Get("code")
}

func TestAClientGetsATokenWithItsCredentials(t *testing.T) {
	t.Parallel()
	for _, shape := range authtest.Shapes() {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := imitate(t, shape)
			status, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint),
				confidential("grant_type", "client_credentials", "scope", "notes:read", "resource", resource))
			if status != http.StatusOK || answer["token_type"] != "Bearer" || answer["scope"] != "notes:read" || answer["expires_in"] != 3600.0 {
				t.Fatalf("status %d: %v", status, answer)
			}
			if answer["refresh_token"] != nil || answer["id_token"] != nil {
				t.Errorf("the answer has tokens of a user: %v", answer)
			}
			if claims := verify(t, answer["access_token"].(string), issuer.Key()); claims["sub"] == authtest.DefaultSubject {
				t.Errorf("the token is for a user: %v", claims)
			}
		})
	}
}

func TestClientCredentialsMayComeInTheAuthorizationHeader(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.WorkOS)
	issuer.AddClient(authtest.Client{ID: "https://app.example/id", Secret: "a:b c"})
	request, err := http.NewRequest(http.MethodPost, issuer.EndpointURL(authtest.TokenEndpoint), strings.NewReader("grant_type=client_credentials"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(url.QueryEscape("https://app.example/id"), url.QueryEscape("a:b c"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("the status is %d", response.StatusCode)
	}
}

func TestAScriptedClientLogsInWithAnAuthorizationCode(t *testing.T) {
	t.Parallel()
	for _, shape := range authtest.Shapes() {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := imitate(t, shape)
			issuer.SetSubject("bob")
			status, location := authorize(t, issuer, authorization())
			if status != http.StatusSeeOther || location.Query().Get("state") != "a+/=" {
				t.Fatalf("status %d, location %s", status, location)
			}
			if iss := location.Query().Get("iss"); (shape == authtest.Keycloak) != (iss == issuer.URL()) {
				t.Errorf("the issuer of the answer is %q", iss)
			}
			_, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint),
				confidential("grant_type", "authorization_code", "code", location.Query().Get("code"), "code_verifier", verifier, "redirect_uri", redirect))
			token, _ := answer["access_token"].(string)
			if claims := verify(t, token, issuer.Key()); claims["sub"] != "bob" {
				t.Errorf("the claims are %v", claims)
			}
			id, _ := answer["id_token"].(string)
			if header(t, id)["kid"] == nil || answer["refresh_token"] == nil {
				t.Errorf("the answer is %v", answer)
			}
		})
	}
}

func TestIDTokensHaveTheNonceOfTheRequest(t *testing.T) {
	t.Parallel()
	for _, shape := range []authtest.Shape{authtest.Entra, authtest.Keycloak, authtest.WorkOS} {
		issuer := imitate(t, shape)
		_, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint),
			confidential("grant_type", "authorization_code", "code", code(t, issuer, authorization()), "code_verifier", verifier))
		if claims := verify(t, answer["id_token"].(string), issuer.Key()); claims["nonce"] != "n-1" {
			t.Errorf("%s: the claims are %v", shape, claims)
		}
	}
}

func TestAnUnknownRedirectURIIsNotFollowed(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	issuer.AddClient(authtest.Client{ID: "web", RedirectURIs: []string{"https://app.example/callback", "http://127.0.0.1/callback"}})
	for _, test := range []struct {
		client, redirect string
		status           int
	}{
		{"web", "https://app.example/callback", http.StatusSeeOther},
		{"web", "http://127.0.0.1:41234/callback", http.StatusSeeOther},
		{"web", "https://app.example/callback/", http.StatusBadRequest},
		{"web", "https://app.example:8443/callback", http.StatusBadRequest},
		{"web", "http://localhost:41234/callback", http.StatusBadRequest},
		{"web", "", http.StatusBadRequest},
		{"nobody", "https://app.example/callback", http.StatusBadRequest},
		{authtest.DefaultClient, "http://localhost:41234/any", http.StatusSeeOther},
		{authtest.DefaultClient, "https://app.example/callback", http.StatusBadRequest},
		{authtest.DefaultClient, "http://127.0.0.1:41234/#fragment", http.StatusBadRequest},
		{authtest.DefaultClient, "/callback", http.StatusBadRequest},
	} {
		status, location := authorize(t, issuer, authorization("client_id", test.client, "redirect_uri", test.redirect))
		if status != test.status || (location != nil) != (status == http.StatusSeeOther) {
			t.Errorf("%s to %q: status %d, location %v", test.client, test.redirect, status, location)
		}
	}
}

func TestWrongAuthorizationRequestsAreAnsweredToTheClient(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	issuer.AddClient(authtest.Client{ID: "narrow", Scopes: []string{"notes:read"}})
	two := authorization()
	two.Add("resource", "https://b.example")
	for _, test := range []struct {
		query url.Values
		want  string
	}{
		{authorization("response_type", "token"), "unsupported_response_type"},
		{authorization("code_challenge", ""), "invalid_request"},
		{authorization("code_challenge_method", "plain"), "invalid_request"},
		{authorization("client_id", "narrow", "scope", "notes:write"), "invalid_scope"},
		{two, "invalid_target"},
	} {
		_, location := authorize(t, issuer, test.query)
		if got := location.Query(); got.Get("error") != test.want || got.Get("state") != "a+/=" || got.Has("code") {
			t.Errorf("the answer is %v, not %s", got, test.want)
		}
	}
}

func TestWrongTokenRequestsAreRefused(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	issuer.AddClient(authtest.Client{ID: "public"})
	issuer.AddClient(authtest.Client{ID: "narrow", Secret: "s", Scopes: []string{"notes:read"}})
	redeem := func(pairs ...string) url.Values {
		return confidential(append(pairs, "grant_type", "authorization_code")...)
	}
	for name, test := range map[string]struct {
		form   url.Values
		status int
		want   string
	}{
		"no grant type":        {confidential(), 400, "unsupported_grant_type"},
		"the password grant":   {confidential("grant_type", "password"), 400, "unsupported_grant_type"},
		"a wrong secret":       {values("grant_type", "client_credentials", "client_id", authtest.DefaultClient, "client_secret", "x"), 401, "invalid_client"},
		"an unknown client":    {values("grant_type", "client_credentials", "client_id", "x"), 401, "invalid_client"},
		"a public client":      {values("grant_type", "client_credentials", "client_id", "public"), 400, "unauthorized_client"},
		"a foreign scope":      {values("grant_type", "client_credentials", "client_id", "narrow", "client_secret", "s", "scope", "x"), 400, "invalid_scope"},
		"two resources":        {confidential("grant_type", "client_credentials", "resource", "https://a.example", "resource", "https://b.example"), 400, "invalid_target"},
		"an unknown code":      {redeem("code", "x", "code_verifier", verifier), 400, "invalid_grant"},
		"a wrong verifier":     {redeem("code", code(t, issuer, authorization()), "code_verifier", "x"), 400, "invalid_grant"},
		"no verifier":          {redeem("code", code(t, issuer, authorization())), 400, "invalid_grant"},
		"another redirect URI": {redeem("code", code(t, issuer, authorization()), "code_verifier", verifier, "redirect_uri", "http://127.0.0.1:1/"), 400, "invalid_grant"},
		"another resource":     {redeem("code", code(t, issuer, authorization()), "code_verifier", verifier, "resource", "https://b.example"), 400, "invalid_target"},
		"another client": {values("grant_type", "authorization_code", "code", code(t, issuer, authorization()), "code_verifier", verifier, "client_id", "public"),
			400, "invalid_grant"},
		"an unknown refresh token": {confidential("grant_type", "refresh_token", "refresh_token", "x"), 400, "invalid_grant"},
	} {
		status, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint), test.form)
		if status != test.status || answer["error"] != test.want {
			t.Errorf("%s: status %d, %v", name, status, answer)
		}
	}
}

func TestACodeIsValidOnce(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	form := confidential("grant_type", "authorization_code", "code", code(t, issuer, authorization()), "code_verifier", verifier)
	if status, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint), form); status != http.StatusOK {
		t.Fatal(answer)
	}
	if _, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint), form); answer["error"] != "invalid_grant" {
		t.Errorf("the second answer is %v", answer)
	}
}

func TestARefreshTokenIsValidUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	_, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint),
		confidential("grant_type", "authorization_code", "code", code(t, issuer, authorization("scope", "notes:read notes:write")), "code_verifier", verifier))
	refresh := answer["refresh_token"].(string)
	issuer.SetLifetime(time.Minute)
	renew := func(scope string) map[string]any {
		_, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint),
			confidential("grant_type", "refresh_token", "refresh_token", refresh, "scope", scope))
		return answer
	}
	renewed := renew("")
	if renewed["scope"] != "notes:read notes:write" || renewed["expires_in"] != 60.0 {
		t.Errorf("the answer is %v", renewed)
	}
	if claims := verify(t, renewed["access_token"].(string), issuer.Key()); claims["sub"] != "alice" {
		t.Errorf("the claims are %v", claims)
	}
	if got := renew("notes:read")["scope"]; got != "notes:read" {
		t.Errorf("the scope is %v", got)
	}
	if got := renew("notes:read admin")["error"]; got != "invalid_scope" {
		t.Errorf("the error is %v", got)
	}
	issuer.Revoke(refresh)
	if got := renew("")["error"]; got != "invalid_grant" {
		t.Errorf("the error is %v", got)
	}
}

func TestSomeProductsRefreshOnlyWithOfflineAccess(t *testing.T) {
	t.Parallel()
	for shape, want := range map[authtest.Shape]bool{
		authtest.Auth0: false, authtest.Entra: false, authtest.WorkOS: false, authtest.Okta: false,
		authtest.Keycloak: true, authtest.Cognito: true,
	} {
		issuer := imitate(t, shape)
		_, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint),
			confidential("grant_type", "authorization_code", "code", code(t, issuer, authorization("scope", "openid")), "code_verifier", verifier))
		if _, got := answer["refresh_token"]; got != want {
			t.Errorf("%s: the answer is %v", shape, answer)
		}
	}
}

func TestAClientThatRequestsNoScopeGetsItsOwn(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Entra)
	issuer.AddClient(authtest.Client{ID: "job", Secret: "s", Scopes: []string{"notes.read", "notes.write"}})
	for _, scope := range []string{"", "api://0b8f1d7e-52a4-4f6b-8a0d-9c3e6f21d845/.default"} {
		_, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint),
			values("grant_type", "client_credentials", "client_id", "job", "client_secret", "s", "scope", scope))
		claims := verify(t, answer["access_token"].(string), issuer.Key())
		if got := selected(t, claims, "roles"); got != `{"roles":["notes.read","notes.write"]}` {
			t.Errorf("%q: the roles are %s", scope, got)
		}
	}
}

func TestEntraLeavesOutTheApplicationInScopes(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Entra)
	token := issuer.Token(resource, authtest.Scopes("api://0b8f1d7e-52a4-4f6b-8a0d-9c3e6f21d845/notes.read", "https://example.com/mcp/notes/notes.write"))
	if got := verify(t, token, issuer.Key())["scp"]; got != "notes.read notes.write" {
		t.Errorf("the scopes are %v", got)
	}
}

// Clients that predate RFC 8707 name the API of Auth0 with the parameter audience.
func TestTheParameterAudienceNamesTheResource(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Auth0)
	_, answer := post(t, issuer.EndpointURL(authtest.TokenEndpoint), confidential("grant_type", "client_credentials", "audience", resource))
	if got := verify(t, answer["access_token"].(string), issuer.Key())["aud"]; got != resource {
		t.Errorf("the audience is %v", got)
	}
}
