package authtest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

// verify checks the signature of a token and returns its claims.
func verify(t *testing.T, token string, key *jose.PrivateKey) map[string]any {
	t.Helper()
	parsed, err := jwt.NewParser(jwt.WithoutClaimsValidation()).Parse(token, func(*jwt.Token) (any, error) { return key.Public().Public, nil })
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Claims.(jwt.MapClaims)
}

// header returns the header of a token.
func header(t *testing.T, token string) map[string]any {
	t.Helper()
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Header
}

// selected returns some claims as JSON.
func selected(t *testing.T, claims map[string]any, names ...string) string {
	t.Helper()
	chosen := map[string]any{}
	for _, name := range names {
		if value, ok := claims[name]; ok {
			chosen[name] = value
		}
	}
	data, err := json.Marshal(chosen)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The claims of products differ in the names of the client and the scopes, in the audience,
// and in what tells an access token from an ID token.
func TestEachShapeMakesTokensAsItsProductDoes(t *testing.T) {
	t.Parallel()
	names := []string{"sub", "aud", "azp", "cid", "client_id", "scope", "scp", "roles", "permissions", "gty", "typ", "token_use", "ver"}
	for shape, want := range map[authtest.Shape]struct{ typ, user, client string }{
		authtest.Auth0: {
			"JWT",
			`{"aud":["https://example.com/mcp/notes","BASE/userinfo"],"azp":"test-client","permissions":["notes:read"],"scope":"openid notes:read","sub":"alice"}`,
			`{"aud":"https://example.com/mcp/notes","azp":"test-client","gty":"client-credentials","permissions":["notes:read"],"scope":"openid notes:read","sub":"test-client@clients"}`,
		},
		authtest.Auth0RFC9068: {
			"at+jwt",
			`{"aud":["https://example.com/mcp/notes","BASE/userinfo"],"client_id":"test-client","scope":"openid notes:read","sub":"alice"}`,
			`{"aud":"https://example.com/mcp/notes","client_id":"test-client","scope":"openid notes:read","sub":"test-client@clients"}`,
		},
		authtest.Entra: {
			"JWT",
			`{"aud":"0b8f1d7e-52a4-4f6b-8a0d-9c3e6f21d845","azp":"test-client","scp":"notes:read","sub":"alice","ver":"2.0"}`,
			`{"aud":"0b8f1d7e-52a4-4f6b-8a0d-9c3e6f21d845","azp":"test-client","roles":["notes:read"],"sub":"GUID","ver":"2.0"}`,
		},
		authtest.Keycloak: {
			"JWT",
			`{"aud":["https://example.com/mcp/notes","account"],"azp":"test-client","scope":"openid notes:read","sub":"alice","typ":"Bearer"}`,
			`{"aud":["https://example.com/mcp/notes","account"],"azp":"test-client","client_id":"test-client","scope":"openid notes:read","sub":"GUID","typ":"Bearer"}`,
		},
		authtest.WorkOS: {
			"<nil>",
			`{"aud":"https://example.com/mcp/notes","client_id":"test-client","scope":"openid notes:read","sub":"alice"}`,
			`{"aud":"client_01JX5M2Q8W7YB3T4K6V9D0E1FG","client_id":"test-client","scope":"openid notes:read","sub":"test-client"}`,
		},
		authtest.Cognito: {
			"<nil>",
			`{"client_id":"test-client","scope":"openid notes:read","sub":"alice","token_use":"access"}`,
			`{"client_id":"test-client","scope":"openid notes:read","sub":"test-client","token_use":"access"}`,
		},
		authtest.Okta: {
			"<nil>",
			`{"aud":"https://example.com/mcp/notes","cid":"test-client","scp":["openid","notes:read"],"sub":"alice","ver":1}`,
			`{"aud":"https://example.com/mcp/notes","cid":"test-client","scp":["openid","notes:read"],"sub":"test-client","ver":1}`,
		},
	} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := authtest.For(t, shape)
			user := issuer.Token(resource, authtest.Scopes("openid", "notes:read"))
			if got := fmt.Sprint(header(t, user)["typ"]); got != want.typ {
				t.Errorf("the type is %s, not %s", got, want.typ)
			}
			claims := verify(t, user, issuer.Key())
			if got := strings.ReplaceAll(selected(t, claims, names...), base(t, issuer), "BASE"); got != want.user {
				t.Errorf("the claims of the user are\n%s, not\n%s", got, want.user)
			}
			now := float64(time.Now().Unix())
			if iat, exp := claims["iat"].(float64), claims["exp"].(float64); claims["iss"] != issuer.URL() || iat > now || iat < now-60 || exp != iat+3600 {
				t.Errorf("iss %v, iat %v, exp %v", claims["iss"], iat, exp)
			}
			claims = verify(t, issuer.Token(resource, authtest.Scopes("openid", "notes:read"), authtest.ClientCredentials()), issuer.Key())
			if oid, ok := claims["sub"].(string); ok && len(oid) == 36 {
				claims["sub"] = "GUID"
			}
			if got := selected(t, claims, names...); got != want.client {
				t.Errorf("the claims of the client are\n%s, not\n%s", got, want.client)
			}
		})
	}
}

func TestIDTokensAreForTheClient(t *testing.T) {
	t.Parallel()
	for _, shape := range authtest.Shapes() {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := authtest.For(t, shape)
			issuer.SetAlgorithm(jose.EdDSA)
			token := issuer.IDToken(authtest.ClientID("app"))
			parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
			if err != nil {
				t.Fatal(err)
			}
			claims := parsed.Claims.(jwt.MapClaims)
			if claims["aud"] != "app" || claims["sub"] != "alice" || claims["iss"] != issuer.URL() {
				t.Errorf("the claims are %v", claims)
			}
			for _, name := range []string{"scope", "scp", "client_id", "permissions"} {
				if value, has := claims[name]; has {
					t.Errorf("the token has the claim %s: %v", name, value)
				}
			}
		})
	}
}

func TestTheAudienceIsThatOfATokenOfAUser(t *testing.T) {
	t.Parallel()
	for shape, want := range map[authtest.Shape]struct{ with, without string }{
		authtest.Auth0:    {resource, "BASE/userinfo"},
		authtest.Entra:    {"0b8f1d7e-52a4-4f6b-8a0d-9c3e6f21d845", "0b8f1d7e-52a4-4f6b-8a0d-9c3e6f21d845"},
		authtest.Keycloak: {resource, "account"},
		authtest.WorkOS:   {resource, "client_01JX5M2Q8W7YB3T4K6V9D0E1FG"},
		authtest.Cognito:  {"test-client", "test-client"},
		authtest.Okta:     {resource, "api://default"},
	} {
		issuer := authtest.For(t, shape)
		if got := issuer.Audience(resource); got != want.with {
			t.Errorf("%s: the audience is %s, not %s", shape, got, want.with)
		}
		if got := strings.ReplaceAll(issuer.Audience(""), base(t, issuer), "BASE"); got != want.without {
			t.Errorf("%s: the audience without a resource is %s, not %s", shape, got, want.without)
		}
	}
}

func TestOptionsAlterOnePartOfAToken(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Auth0RFC9068)
	right := verify(t, issuer.Token(resource), issuer.Key())
	for name, test := range map[string]struct {
		option authtest.TokenOption
		want   map[string]any // nil values mean that the claim is missing
	}{
		"a claim":            {authtest.Claim("iss", "https://evil.example"), map[string]any{"iss": "https://evil.example"}},
		"no claim":           {authtest.Claim("exp", nil), map[string]any{"exp": nil}},
		"one claim more":     {authtest.Claim("nbf", 2000000000), map[string]any{"nbf": 2000000000.0}},
		"another subject":    {authtest.Subject("bob"), map[string]any{"sub": "bob"}},
		"another client":     {authtest.ClientID("app"), map[string]any{"client_id": "app"}},
		"other scopes":       {authtest.Scopes("a", "b"), map[string]any{"scope": "a b"}},
		"client credentials": {authtest.ClientCredentials(), map[string]any{"sub": "test-client@clients", "aud": resource}},
	} {
		claims := verify(t, issuer.Token(resource, test.option), issuer.Key())
		for claim, value := range test.want {
			if fmt.Sprint(claims[claim]) != fmt.Sprint(value) {
				t.Errorf("%s: the claim %s is %v, not %v", name, claim, claims[claim], value)
			}
		}
		for _, claim := range slices.Sorted(maps.Keys(right)) {
			if _, altered := test.want[claim]; !altered && claim != "jti" && claim != "iat" && claim != "exp" &&
				fmt.Sprint(claims[claim]) != fmt.Sprint(right[claim]) {
				t.Errorf("%s: the claim %s is %v, not %v", name, claim, claims[claim], right[claim])
			}
		}
	}
}

func TestTheTypeOfATokenCanBeAlteredOrRemoved(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Auth0RFC9068)
	if got := header(t, issuer.Token(resource, authtest.Type("JWT")))["typ"]; got != "JWT" {
		t.Errorf("the type is %v", got)
	}
	if got, has := header(t, issuer.Token(resource, authtest.Type("")))["typ"]; has {
		t.Errorf("the type is %v", got)
	}
}

func TestATokenCanBeForged(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Okta)
	forger, err := jose.GenerateKey(jose.ES256)
	if err != nil {
		t.Fatal(err)
	}
	forger.ID = issuer.Key().ID
	token := issuer.Token(resource, authtest.SignedBy(forger))
	verify(t, token, forger)
	if got := header(t, token)["kid"]; got != issuer.Key().ID {
		t.Errorf("the ID of the key is %v", got)
	}
}

func TestTheLifetimeAndTheSubjectCanBeSet(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	issuer.SetLifetime(time.Minute)
	issuer.SetSubject("bob")
	claims := verify(t, issuer.Token(resource), issuer.Key())
	if claims["sub"] != "bob" || claims["exp"].(float64) != claims["iat"].(float64)+60 {
		t.Errorf("the claims are %v", claims)
	}
}

func TestAClaimThatIsNotJSONPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if got, _ := recover().(string); !strings.HasPrefix(got, "authtest: ") {
			t.Errorf("the panic is %q", got)
		}
	}()
	imitate(t, authtest.Okta).Token(resource, authtest.Claim("sub", func() {}))
}
