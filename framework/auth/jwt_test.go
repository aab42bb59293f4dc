package auth_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

func TestARightTokenOfEachProductIsAccepted(t *testing.T) {
	t.Parallel()
	for _, shape := range authtest.Shapes() {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := newIssuer(t, shape)
			token := issuer.token(authtest.Scopes("files:read", "files:write"), authtest.ClientID(authtest.DefaultClient))
			principal := accepts(t, issuer.jwt(), token)
			if principal.Subject != authtest.DefaultSubject || principal.Issuer != issuer.URL() || principal.ID != issuer.URL()+" "+authtest.DefaultSubject {
				t.Errorf("the principal is %q (%q of %q)", principal.ID, principal.Subject, principal.Issuer)
			}
			if principal.Client != authtest.DefaultClient {
				t.Errorf("the client is %q", principal.Client)
			}
			if !slices.Equal(principal.Scopes, []string{"files:read", "files:write"}) {
				t.Errorf("the scopes are %q", principal.Scopes)
			}
			if left := time.Until(principal.Expires); left < time.Hour || left > time.Hour+31*time.Second {
				t.Errorf("the token ends in %v, want an hour and the leeway", left)
			}
			if principal.Claims["iss"] != issuer.URL() || principal.Claims["exp"] == nil {
				t.Errorf("the claims are %v", principal.Claims)
			}
		})
	}
}

func TestATokenOfAServiceIsAccepted(t *testing.T) {
	t.Parallel()
	for _, shape := range authtest.Shapes() {
		issuer := newIssuer(t, shape)
		config := issuer.config()
		if shape == authtest.WorkOS { // such tokens have the ID of the environment
			config.Audiences = []string{"client_01HRDMC6CM357W30QMHMQ96Q0S"}
		}
		token := issuer.token(authtest.ClientCredentials(), authtest.Scopes("files:read"))
		if shape == authtest.WorkOS {
			token = issuer.token(authtest.ClientCredentials(), authtest.Scopes("files:read"), authtest.Claim("aud", config.Audiences[0]))
		}
		principal := accepts(t, checked(t, auth.JWT(config)), token)
		if principal.Subject == "" || principal.Client != authtest.DefaultClient || !principal.Can("files:read") {
			t.Errorf("%s: the principal is %+v", shape, principal)
		}
	}
}

// The resource is https://files.test/mcp/files.
func TestTheHostOfAnAudienceMayHaveCapitalLetters(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Auth0RFC9068)
	verifier := issuer.jwt()
	for audience, valid := range map[string]bool{
		"https://files.test/mcp/files": true, "HTTPS://Files.Test/mcp/files": true, "https://FILES.TEST/mcp/files/": true,
		"https://files.test/MCP/files": false, "https://files.test/mcp": false, "https://files.test/mcp/files2": false,
		"https://files.test": false, "http://files.test/mcp/files": false, "https://files.test:443/mcp/files": false,
		"https://files.test@evil.test/mcp/files": false, "https://evil.test?https://files.test/mcp/files": false,
		"https://file\u017f.test/mcp/files": false, // its capital letter is S
		"https://files.test/mcp/files?a":    false, "https://files.test/mcp/files//": false, "files.test/mcp/files": false, "/mcp/files": false, "/": false, "": false,
	} {
		_, err := verifier.Verify(t.Context(), issuer.token(authtest.Claim("aud", audience)), resource)
		if (err == nil) != valid {
			t.Errorf("the audience %q: the error is %v", audience, err)
		}
	}
}

func TestATokenOfAProductWithOneFaultIsRefused(t *testing.T) {
	t.Parallel()
	hour := time.Hour / time.Second
	for _, shape := range authtest.Shapes() {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := newIssuer(t, shape)
			verifier := issuer.jwt()
			now := time.Now().Unix()
			forged, err := jose.GenerateKey(jose.ES256)
			if err != nil {
				t.Fatal(err)
			}
			forged.ID = issuer.Key().ID
			audience, notMeant := "aud", "not meant for this resource"
			if claim := issuer.config().Claims.Audience; claim != "" {
				audience, notMeant = claim, "" // without its client, it may be an ID token
			}
			for name, tt := range map[string]struct {
				option authtest.TokenOption
				reason string
			}{
				"an issuer with a slash":       {authtest.Claim("iss", issuer.URL()+"/"), "from another issuer"},
				"an issuer in upper case":      {authtest.Claim("iss", strings.ToUpper(issuer.URL())), "from another issuer"},
				"another issuer":               {authtest.Claim("iss", "https://evil.test"), "from another issuer"},
				"no issuer":                    {authtest.Claim("iss", nil), "from another issuer"},
				"a list of issuers":            {authtest.Claim("iss", []string{issuer.URL()}), "from another issuer"},
				"another audience":             {authtest.Claim(audience, "https://other.test/mcp"), "not meant for this resource"},
				"a prefix of the audience":     {authtest.Claim(audience, "https://files.test/mcp"), "not meant for this resource"},
				"a longer audience":            {authtest.Claim(audience, resource+"/more"), "not meant for this resource"},
				"an audience of upper case":    {authtest.Claim(audience, strings.ToUpper(resource)), "not meant for this resource"},
				"another client as audience":   {authtest.Claim(audience, "other-client"), "not meant for this resource"},
				"an empty audience":            {authtest.Claim(audience, ""), notMeant},
				"no audience in a list":        {authtest.Claim(audience, []string{}), notMeant},
				"an audience of words":         {authtest.Claim(audience, "other "+resource), "not meant for this resource"},
				"expired":                      {authtest.Claim("exp", now-int64(hour)), "has expired"},
				"no expiry":                    {authtest.Claim("exp", nil), "malformed"},
				"not yet valid":                {authtest.Claim("nbf", now+int64(hour)), "not valid yet"},
				"issued in the future":         {authtest.Claim("iat", now+int64(hour)), "not valid yet"},
				"no subject":                   {authtest.Claim("sub", nil), "no subject"},
				"a subject of a number":        {authtest.Claim("sub", 7), "no subject"},
				"scopes of a number":           {authtest.Claim(scopesOf(shape), 7), "malformed"},
				"a forged signature":           {authtest.SignedBy(forged), "signature"},
				"the claim nonce":              {authtest.Claim("nonce", "n"), "not an access token"},
				"the claim at_hash":            {authtest.Claim("at_hash", "h"), "not an access token"},
				"the claim c_hash":             {authtest.Claim("c_hash", "h"), "not an access token"},
				"the claim s_hash":             {authtest.Claim("s_hash", "h"), "not an access token"},
				"the claim events":             {authtest.Claim("events", map[string]any{}), "not an access token"},
				"the use of an ID token":       {authtest.Claim("token_use", "id"), "not an access token"},
				"the type of a refresh token":  {authtest.Claim("typ", "Refresh"), "not an access token"},
				"the type of an ID token":      {authtest.Claim("typ", "ID"), "not an access token"},
				"the type of a logout token":   {authtest.Claim("typ", "Logout"), "not an access token"},
				"the type of an offline token": {authtest.Claim("typ", "Offline"), "not an access token"},
				"a key of the client":          {authtest.Claim("cnf", map[string]any{"jkt": "t"}), "bound to a key"},
				"an ID-JAG":                    {authtest.Type("oauth-id-jag+jwt"), "not an access token"},
				"a logout token":               {authtest.Type("logout+jwt"), "not an access token"},
				"a DPoP proof":                 {authtest.Type("dpop+jwt"), "not an access token"},
				"a client assertion":           {authtest.Type("client-authentication+jwt"), "not an access token"},
				"a type with a prefix":         {authtest.Type("application/application/at+jwt"), "not an access token"},
			} {
				token := issuer.token(tt.option)
				for range 2 { // the second time, too, when the token might be known
					refuses(t, verifier, token, tt.reason)
				}
				if t.Failed() {
					t.Fatal(name)
				}
			}
			refuses(t, verifier, issuer.IDToken(), "")
			if shape != authtest.Cognito { // its ID tokens have another key, which is published too
				refuses(t, verifier, issuer.IDToken(authtest.Claim("aud", issuer.Audience(resource))), "not an access token")
			}
			accepts(t, verifier, issuer.token())
		})
	}
}

func scopesOf(shape authtest.Shape) string {
	if shape == authtest.Entra || shape == authtest.Okta {
		return "scp"
	}
	return "scope"
}

func TestTheTypesOfAccessTokensAreAccepted(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.WorkOS)
	verifier := issuer.jwt()
	for _, typ := range []string{"at+jwt", "application/at+jwt", "AT+JWT", "application/okta-internal-at+jwt", "JWT", "jwt", ""} {
		accepts(t, verifier, issuer.token(authtest.Type(typ)))
	}
	accepts(t, verifier, issuer.token(authtest.Type("at+jwt"), authtest.Claim("client_id", nil)))
	accepts(t, verifier, issuer.token(authtest.Claim("token_use", "access"), authtest.Claim("typ", "Bearer")))
	for _, typ := range []string{"JWT", ""} {
		refused := refusal(t, verifier, issuer.token(authtest.Type(typ), authtest.Claim("client_id", nil)), "not an access token")
		if !strings.Contains(refused.Error(), "client_id, azp, cid, appid") {
			t.Errorf("the cause doesn't name the claims of clients: %v", refused)
		}
	}
}

func TestAnAudienceMayBeOneOfSeveral(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Keycloak)
	config := issuer.config()
	config.Audiences = []string{"files", "https://api.test/"}
	verifier := checked(t, auth.JWT(config))
	for _, audience := range []any{resource, resource + "/", []any{"account", resource}, []any{7, "files"}, "files", "https://api.test", "https://api.test/"} {
		accepts(t, verifier, issuer.token(authtest.Claim("aud", audience)))
	}
	for _, audience := range []any{resource + "//", "file", "filess", "https://api.test/v1", "", "/", nil, 7, []any{}} {
		refuses(t, verifier, issuer.token(authtest.Claim("aud", audience)), "not meant for this resource")
	}
	for _, audience := range []string{"", "/"} {
		if _, err := verifier.Verify(t.Context(), issuer.token(authtest.Claim("aud", audience)), ""); err == nil {
			t.Errorf("the audience %q is accepted without a resource", audience)
		}
	}
}

// A wrong audience is the most frequent mistake in the setup of an issuer.
func TestARefusedAudienceIsExplainedInTheLogButNotToTheClient(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Entra)
	config := issuer.config()
	config.Audiences = nil
	refused := refusal(t, checked(t, auth.JWT(config)), issuer.token(authtest.ClientID("the-client")), "not meant for this resource")
	for _, text := range []string{issuer.Audience(resource), resource, issuer.URL(), "the-client", "Issuer.Audiences"} {
		if !strings.Contains(refused.Err.Error(), text) {
			t.Errorf("the cause lacks %q: %v", text, refused.Err)
		}
		if strings.Contains(refused.Reason, text) {
			t.Errorf("the client reads %q: %s", text, refused.Reason)
		}
	}
	many := refusal(t, checked(t, auth.JWT(config)), issuer.token(authtest.Claim("aud", strings.Repeat("a", 4000))), "not meant for this resource")
	if len(many.Err.Error()) > 1000 {
		t.Errorf("the cause has %d bytes", len(many.Err.Error()))
	}
}

func TestATokenForOneResourceIsRefusedAtAnother(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Auth0RFC9068)
	verifier := issuer.jwt()
	token := issuer.token()
	accepts(t, verifier, token)
	for range 2 {
		if _, err := verifier.Verify(t.Context(), token, "https://files.test/mcp/other"); err == nil {
			t.Error("a known token is accepted for another resource")
		}
	}
}

func TestScopesAreReadFromTheClaimsOfEachIssuer(t *testing.T) {
	t.Parallel()
	type claims = []authtest.TokenOption
	issuer := newIssuer(t, authtest.WorkOS)
	without := authtest.Claim("scope", nil)
	for name, tt := range map[string]struct {
		claims  claims
		mapping string
		want    []string
	}{
		"a text":                   {claims{authtest.Claim("scope", "a b  c")}, "", []string{"a", "b", "c"}},
		"a list":                   {claims{authtest.Claim("scope", []any{"a", "b", 7})}, "", []string{"a", "b"}},
		"scp":                      {claims{without, authtest.Claim("scp", "a b")}, "", []string{"a", "b"}},
		"a list in scp":            {claims{without, authtest.Claim("scp", []any{"a"})}, "", []string{"a"}},
		"permissions":              {claims{without, authtest.Claim("permissions", []any{"a"})}, "", []string{"a"}},
		"roles":                    {claims{without, authtest.Claim("roles", []any{"a"})}, "", []string{"a"}},
		"permissions beside scope": {claims{authtest.Claim("scope", "a"), authtest.Claim("permissions", []any{"b"})}, "", []string{"a"}},
		"an empty scope":           {claims{authtest.Claim("scope", ""), authtest.Claim("permissions", []any{"b"})}, "", nil},
		"a mapping":                {claims{authtest.Claim("scope", "a"), authtest.Claim("permissions", []any{"b"})}, "permissions", []string{"b"}},
		"duplicates":               {claims{authtest.Claim("scope", "a b a")}, "", []string{"a", "b"}},
		"none":                     {claims{without}, "", nil},
	} {
		config := issuer.config()
		config.Claims.Scopes = tt.mapping
		if principal := accepts(t, checked(t, auth.JWT(config)), issuer.token(tt.claims...)); !slices.Equal(principal.Scopes, tt.want) {
			t.Errorf("%s: the scopes are %q, want %q", name, principal.Scopes, tt.want)
		}
	}
}

func TestABroaderScopeImpliesNarrowerOnes(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Okta)
	config := issuer.config()
	config.Implies = map[string][]string{"admin": {"write"}, "write": {"read", "list"}, "read": {"read", "admin2"}, "admin2": {"read"}}
	verifier := checked(t, auth.JWT(config))
	principal := accepts(t, verifier, issuer.token(authtest.Scopes("admin", "other")))
	if want := []string{"admin", "write", "read", "admin2", "list", "other"}; !slices.Equal(principal.Scopes, want) {
		t.Errorf("the scopes are %q, want %q", principal.Scopes, want)
	}
	if principal := accepts(t, verifier, issuer.token(authtest.Scopes("admins"))); principal.Can("write") {
		t.Error("a scope with a similar name implies others")
	}
}

func TestOtherClaimsCanNameTheSubjectAndTheClient(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Entra)
	config := issuer.config()
	config.Claims.Subject, config.Claims.Client = "oid", "tid"
	principal := accepts(t, checked(t, auth.JWT(config)), issuer.token(authtest.Claim("sub", nil), authtest.Claim("oid", "o"), authtest.Claim("tid", "t")))
	if principal.ID != issuer.URL()+" o" || principal.Client != "t" {
		t.Errorf("the principal is %q with the client %q", principal.ID, principal.Client)
	}
	refused := refusal(t, issuer.jwt(), issuer.token(authtest.Claim("sub", nil)), "no subject")
	if !strings.Contains(refused.Err.Error(), "Issuer.Claims.Subject") {
		t.Errorf("the cause doesn't name the fix: %v", refused)
	}
}

func TestThePrincipalStaysTheSameWhenItsTokenIsRefreshed(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Keycloak)
	verifier := issuer.jwt()
	first := accepts(t, verifier, issuer.token(authtest.Scopes("a"), authtest.ClientID("one")))
	second := accepts(t, verifier, issuer.token(authtest.Scopes("a", "b"), authtest.ClientID("two")))
	if first.ID != second.ID {
		t.Errorf("the IDs are %q and %q", first.ID, second.ID)
	}
	if other := accepts(t, verifier, issuer.token(authtest.Subject("bob"))); other.ID == first.ID {
		t.Errorf("two users have the ID %q", other.ID)
	}
}

func TestTokensThatNoKeyCanVerifyCauseNoRequest(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Auth0)
	verifier := issuer.jwt()
	encode := base64.RawURLEncoding.EncodeToString
	payload := fmt.Sprintf(`{"iss":%q,"sub":"alice","aud":%q,"exp":9999999999,"client_id":"c"}`, issuer.URL(), resource)
	forge := func(header, payload string) string {
		return encode([]byte(header)) + "." + encode([]byte(payload)) + "." + encode([]byte("signature"))
	}
	for name, tt := range map[string]struct{ token, reason string }{
		"nothing":          {"", "not a JSON Web Token"},
		"opaque":           {"6f1ed002ab5595859014ebf0951522d9", "not a JSON Web Token"},
		"none":             {forge(`{"alg":"none","kid":"k"}`, payload), "algorithm"},
		"nOnE":             {forge(`{"alg":"nOnE","kid":"k"}`, payload), "algorithm"},
		"HS256":            {forge(`{"alg":"HS256","kid":"k"}`, payload), "algorithm"},
		"no key":           {forge(`{"alg":"ES256"}`, payload), "unknown key"},
		"a key in it":      {forge(`{"alg":"ES256","jwk":{"kty":"EC"},"jku":"https://evil.test","x5u":"https://evil.test","x5c":[]}`, payload), "unknown key"},
		"critical members": {forge(`{"alg":"ES256","kid":"k","crit":["exp"]}`, payload), "malformed"},
		"duplicates":       {forge(`{"alg":"ES256","kid":"k"}`, `{"iss":"a",`+payload[1:]), "malformed"},
		"another issuer":   {forge(`{"alg":"ES256","kid":"k"}`, `{"iss":"https://evil.test"}`), "another issuer"},
		"no issuer":        {forge(`{"alg":"ES256","kid":"k"}`, `{}`), "another issuer"},
		"more than 8 KiB":  {forge(`{"alg":"ES256","kid":"`+strings.Repeat("k", 8<<10)+`"}`, payload), "malformed"},
	} {
		refuses(t, verifier, tt.token, tt.reason)
		if issuer.Fetches(authtest.DiscoveryEndpoint)+issuer.Fetches(authtest.KeysEndpoint) > 0 {
			t.Fatalf("%s caused a request", name)
		}
	}
}

func TestAKnownTokenIsAcceptedUntilItExpires(t *testing.T) {
	t.Parallel()
	for _, leeway := range []time.Duration{0, time.Second, 5 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			issuer := newIssuer(t, authtest.Okta)
			issuer.SetLifetime(10 * time.Minute)
			config := issuer.config()
			config.Leeway = leeway
			verifier := checked(t, auth.JWT(config))
			if leeway == 0 {
				leeway = 30 * time.Second
			}
			token := issuer.token()
			accepts(t, verifier, token)
			time.Sleep(10*time.Minute + leeway - time.Second)
			expires := accepts(t, verifier, token).Expires
			if left := time.Until(expires); left <= 0 || left > time.Second {
				t.Errorf("an accepted token ends in %v", left)
			}
			time.Sleep(time.Second)
			refuses(t, verifier, token, "has expired")
			synctest.Wait()
		})
	}
}

// A spy is a transport that records requests, other than those of introspection, whose
// purpose is to send the token.
type spy struct {
	http.RoundTripper
	requests *buffer
}

func (s spy) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		_ = r.Clone(r.Context()).Write(s.requests)
	}
	return s.RoundTripper.RoundTrip(r)
}

func TestNoTokenIsInALogAnErrorOrARequestForKeys(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		log, requests := &buffer{}, &buffer{}
		config := issuer.config()
		config.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		config.Client.Transport = spy{config.Client.Transport, requests}
		verifiers := []auth.Verifier{
			auth.JWT(config),
			auth.Introspection(auth.IntrospectionConfig{Issuer: config, ClientID: authtest.DefaultClient, ClientSecret: authtest.DefaultSecret}),
		}
		verifiers = append(verifiers, auth.Any(verifiers...))
		tokens := []string{"opaque-token-of-the-issuer", "opaque.token-with.dots", strings.Repeat("a", 9000)}
		for _, option := range []authtest.TokenOption{
			authtest.Scopes("a"), authtest.Claim("exp", 1), authtest.Claim("aud", "other"), authtest.Claim("iss", "https://evil.test"), authtest.Claim("sub", nil),
			authtest.Type("dpop+jwt"), authtest.Claim("nonce", "n"), authtest.Claim("scope", 7),
		} {
			token := issuer.token(option)
			tokens = append(tokens, token, token[:len(token)-9], issuer.unknownKey("other"), "."+token, token+"=")
		}
		var errs []string
		for _, fault := range []http.Handler{answering(500, ""), after(time.Hour, answering(200, "")), http.RedirectHandler("https://elsewhere.test", http.StatusFound), answering(401, ""), nil} {
			issuer.Replace(authtest.KeysEndpoint, fault)
			issuer.Replace(authtest.IntrospectionEndpoint, fault)
			for _, token := range tokens {
				for _, verifier := range verifiers {
					_, err := verifier.Verify(t.Context(), token, resource)
					errs = append(errs, fmt.Sprintf("%v %+v %#v", err, err, err))
				}
			}
			time.Sleep(10 * time.Minute)
		}
		for _, token := range tokens {
			checkSecret(t, "the log", log.String(), token)
			checkSecret(t, "an error", strings.Join(errs, "\n"), token)
			checkSecret(t, "a request", requests.String(), token)
		}
		if log.lines("works again") == 0 || !strings.Contains(requests.String(), "GET ") {
			t.Errorf("nothing was recorded: %s", log)
		}
	})
}
