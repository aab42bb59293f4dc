package auth_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// notes is the resource for which the tokens of these tests are.
const notes = "https://example.com/mcp/notes"

// A shaped is an issuer of a product with the configuration that accepts its tokens.
type shaped struct {
	shape     authtest.Shape
	configure func(issuer *authtest.Issuer) auth.Issuer
	resource  string // for which clients get tokens; WorkOS has tokens without one

	audience string         // the claim that stands for the audience
	kinds    map[string]any // claims by which the product tells kinds of tokens apart, with the value of another kind
}

func shapes() map[string]shaped {
	plain := func(issuer *authtest.Issuer) auth.Issuer { return auth.Issuer{URL: issuer.URL()} }
	accept := func(audiences ...string) func(issuer *authtest.Issuer) auth.Issuer {
		return func(issuer *authtest.Issuer) auth.Issuer {
			return auth.Issuer{URL: issuer.URL(), Audiences: audiences}
		}
	}
	return map[string]shaped{
		"Auth0":          {shape: authtest.Auth0, configure: plain, resource: notes, audience: "aud"},
		"Auth0 RFC 9068": {shape: authtest.Auth0RFC9068, configure: plain, resource: notes, audience: "aud"},
		"Auth0 permissions": {
			shape: authtest.Auth0, resource: notes, audience: "aud",
			configure: func(issuer *authtest.Issuer) auth.Issuer {
				return auth.Issuer{URL: issuer.URL(), Claims: auth.Claims{Scopes: "permissions"}}
			},
		},
		"Entra":    {shape: authtest.Entra, configure: accept("0b8f1d7e-52a4-4f6b-8a0d-9c3e6f21d845"), resource: notes, audience: "aud"},
		"Keycloak": {shape: authtest.Keycloak, configure: plain, resource: notes, audience: "aud", kinds: map[string]any{"typ": "Refresh"}},
		"WorkOS":   {shape: authtest.WorkOS, configure: plain, resource: notes, audience: "aud"},
		"WorkOS without resource indicator": {
			shape: authtest.WorkOS, configure: accept("client_01JX5M2Q8W7YB3T4K6V9D0E1FG"), audience: "aud",
		},
		"Cognito": {
			shape: authtest.Cognito, resource: notes, audience: "client_id", kinds: map[string]any{"token_use": "id"},
			configure: func(issuer *authtest.Issuer) auth.Issuer {
				return auth.Issuer{URL: issuer.URL(), Audiences: []string{"test-client"}, Claims: auth.Claims{Audience: "client_id"}}
			},
		},
		"Okta": {shape: authtest.Okta, configure: plain, resource: notes, audience: "aud"},
	}
}

// eachShape runs a test with an issuer and a verifier of each shape.
func eachShape(t *testing.T, test func(t *testing.T, s shaped, issuer *authtest.Issuer, verifier auth.Verifier)) {
	t.Helper()
	for name, s := range shapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issuer := authtest.For(t, s.shape)
			issuer.SetAlgorithm(jose.ES256) // it takes a while to make a key for the usual RS256
			verifier := auth.JWT(s.configure(issuer))
			if issuers, err := verifier.Issuers(); err != nil || !slices.Equal(issuers, []string{issuer.URL()}) {
				t.Fatalf("the issuers are %v: %v", issuers, err)
			}
			test(t, s, issuer, verifier)
		})
	}
}

func TestRightTokensOfEachShapePass(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, s shaped, issuer *authtest.Issuer, verifier auth.Verifier) {
		issuer.SetAlgorithm(jose.RS256)
		token := issuer.Token(s.resource, authtest.Scopes("notes:read", "notes:write"))
		principal, err := verifier.Verify(t.Context(), token, notes)
		if err != nil {
			t.Fatal(err)
		}
		if principal.Subject != "alice" || principal.Client != "test-client" || principal.Issuer != issuer.URL() {
			t.Errorf("the principal is %+v", principal)
		}
		if !slices.Equal(principal.Scopes, []string{"notes:read", "notes:write"}) {
			t.Errorf("the scopes are %v", principal.Scopes)
		}
		if left := time.Until(principal.Expires); left < 59*time.Minute || left > 61*time.Minute {
			t.Errorf("the principal expires in %v", left)
		}
	})
}

func TestTokensOfClientCredentialsPass(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, s shaped, issuer *authtest.Issuer, verifier auth.Verifier) {
		if s.shape == authtest.WorkOS && s.resource != "" {
			t.Skip("tokens of client credentials are for the environment only")
		}
		token := issuer.Token(s.resource, authtest.Scopes("notes:read"), authtest.ClientCredentials())
		principal, err := verifier.Verify(t.Context(), token, notes)
		if err != nil {
			t.Fatal(err)
		}
		if principal.Subject == "" || principal.Subject == "alice" || principal.Client != "test-client" || !slices.Equal(principal.Scopes, []string{"notes:read"}) {
			t.Errorf("the principal is %+v", principal)
		}
	})
}

// settled verifies a token as a client does that obeys Retry-After: while a fetch of the keys runs
// for longer than a request waits, the answer is 503.
func settled(t *testing.T, verifier auth.Verifier, token string) (exchange.Principal, error) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		principal, err := verifier.Verify(t.Context(), token, notes)
		later, ok := errors.AsType[*exchange.Error](err)
		if !ok || later.Status != http.StatusServiceUnavailable || time.Since(begin) > 10*time.Second {
			return principal, err
		}
	}
}

func TestTokensOfEachShapeWithOneClaimAlteredAreRefused(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, s shaped, issuer *authtest.Issuer, verifier auth.Verifier) {
		// A right token first, so that the verifier has the keys.
		if _, err := verifier.Verify(t.Context(), issuer.Token(s.resource), notes); err != nil {
			t.Fatal(err)
		}
		for name, token := range altered(t, s, issuer) {
			principal, err := settled(t, verifier, token)
			if _, refused := errors.AsType[*auth.TokenError](err); !refused {
				t.Errorf("%s: the principal is %+v, the error %v", name, principal, err)
				continue
			}
			for part := range strings.SplitSeq(token, ".") {
				if part != "" && strings.Contains(err.Error(), part) {
					t.Errorf("%s: the error has a part of the token: %v", name, err)
				}
			}
		}
	})
}

// altered returns tokens that differ from a right one in one part.
func altered(t *testing.T, s shaped, issuer *authtest.Issuer) map[string]string {
	t.Helper()
	token := func(options ...authtest.TokenOption) string { return issuer.Token(s.resource, options...) }
	forger, err := jose.GenerateKey(jose.RS256)
	if err != nil {
		t.Fatal(err)
	}
	forger.ID = issuer.Key().ID
	unpublished := *issuer.Key()
	unpublished.ID = "unpublished"
	bob, alice := strings.Split(token(authtest.Subject("bob")), "."), strings.Split(token(), ".")
	url, now := issuer.URL(), time.Now()
	tokens := map[string]string{
		"another issuer":               token(authtest.Claim("iss", "https://evil.example")),
		"the issuer with a slash more": token(authtest.Claim("iss", url+"/")),
		"the issuer in capitals":       token(authtest.Claim("iss", strings.ToUpper(url))),
		"no issuer":                    token(authtest.Claim("iss", nil)),
		"another audience":             token(authtest.Claim(s.audience, "https://example.com/mcp/other")),
		"a longer audience":            token(authtest.Claim(s.audience, notes+"/2")),
		"a prefix of the audience":     token(authtest.Claim(s.audience, strings.TrimSuffix(notes, "/notes"))),
		"other audiences":              token(authtest.Claim(s.audience, []string{"https://example.com", "https://evil.example"})),
		"no audience":                  token(authtest.Claim(s.audience, nil)),
		"an empty audience":            token(authtest.Claim(s.audience, "")),
		"expired":                      token(authtest.Claim("exp", now.Add(-time.Minute).Unix())),
		"no expiry":                    token(authtest.Claim("exp", nil)),
		"an expiry that is a text":     token(authtest.Claim("exp", "tomorrow")),
		"not valid yet":                token(authtest.Claim("nbf", now.Add(time.Minute).Unix())),
		"issued in the future":         token(authtest.Claim("iat", now.Add(time.Minute).Unix())),
		"no subject":                   token(authtest.Claim("sub", nil)),
		"an empty subject":             token(authtest.Claim("sub", "")),
		"the type of a logout token":   token(authtest.Type("logout+jwt")),
		"the type of a DPoP proof":     token(authtest.Type("dpop+jwt")),
		"the type of an ID-JAG":        token(authtest.Type("oauth-id-jag+jwt")),
		"another signature":            token(authtest.SignedBy(forger)),
		"the signature of another":     alice[0] + "." + bob[1] + "." + alice[2],
		"no signature":                 alice[0] + "." + alice[1] + ".",
		"another key":                  token(authtest.SignedBy(&unpublished)),
		"an ID token":                  issuer.IDToken(),
		"an ID token of a client that is an accepted audience": issuer.IDToken(authtest.ClientID(issuer.Audience(s.resource))),
	}
	for claim, value := range s.kinds {
		tokens["another "+claim] = token(authtest.Claim(claim, value))
	}
	return tokens
}

// Only tokens that name the resource are for it: without Audiences, the tokens of products
// that can't name it are refused.
func TestTokensWithoutTheResourceNeedAudiences(t *testing.T) {
	t.Parallel()
	for _, shape := range []authtest.Shape{authtest.Entra, authtest.WorkOS, authtest.Cognito, authtest.Keycloak} {
		issuer := authtest.For(t, shape)
		_, err := auth.JWT(auth.Issuer{URL: issuer.URL()}).Verify(t.Context(), issuer.Token(""), notes)
		if _, refused := errors.AsType[*auth.TokenError](err); !refused || !strings.Contains(err.Error(), "Issuer.Audiences") {
			t.Errorf("%s: the error is %v", shape, err)
		}
	}
}

func TestARotatedKeyIsFetchedAndARetiredOneForgotten(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, s shaped, issuer *authtest.Issuer, verifier auth.Verifier) {
		issuer.SetAlgorithm(jose.ES256)
		old := issuer.Token(s.resource)
		if _, err := verifier.Verify(t.Context(), old, notes); err != nil {
			t.Fatal(err)
		}
		issuer.Rotate()
		issuer.Retire()
		if _, err := settled(t, verifier, issuer.Token(s.resource)); err != nil {
			t.Errorf("a token of the new key: %v", err)
		}
		if _, err := verifier.Verify(t.Context(), old, notes); err == nil {
			t.Error("a token of the retired key is accepted")
		}
		if got := issuer.Fetches(authtest.KeysEndpoint); got != 2 {
			t.Errorf("%d fetches of keys, not 2", got)
		}
	})
}

func TestTokensAreIntrospectedByTheShapesThatSupportIt(t *testing.T) {
	t.Parallel()
	for _, shape := range []authtest.Shape{authtest.Keycloak, authtest.WorkOS, authtest.Okta} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := authtest.For(t, shape)
			verifier := auth.Introspection(auth.IntrospectionConfig{
				Issuer:   auth.Issuer{URL: issuer.URL()},
				ClientID: authtest.DefaultClient, ClientSecret: authtest.DefaultSecret,
			})
			principal, err := verifier.Verify(t.Context(), issuer.Token(notes, authtest.Scopes("notes:read"), authtest.ClientID("app")), notes)
			if err != nil || principal.Subject != "alice" || principal.Client != "app" || !slices.Equal(principal.Scopes, []string{"notes:read"}) {
				t.Errorf("the principal is %+v: %v", principal, err)
			}
			revoked := issuer.Token(notes)
			issuer.Revoke(revoked)
			for name, tt := range map[string]struct{ token, reason string }{
				"revoked":          {revoked, "has expired or was revoked"},
				"expired":          {issuer.Token(notes, authtest.Claim("exp", time.Now().Add(-time.Hour).Unix())), "has expired or was revoked"},
				"another issuer":   {issuer.Token(notes, authtest.Claim("iss", "https://evil.example")), "another issuer"},
				"another audience": {issuer.Token("https://example.com/mcp/other"), "not meant for this resource"},
				"no subject":       {issuer.Token(notes, authtest.Claim("sub", nil)), "no subject"},
				"an ID token":      {issuer.IDToken(), "has expired or was revoked"},
			} {
				_, err := verifier.Verify(t.Context(), tt.token, notes)
				if refused, ok := errors.AsType[*auth.TokenError](err); !ok || !strings.Contains(refused.Reason, tt.reason) {
					t.Errorf("%s: the error is %v, want %q", name, err, tt.reason)
				}
			}
		})
	}
}
