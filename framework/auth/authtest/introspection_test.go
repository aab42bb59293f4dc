package authtest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
)

// introspect returns the answer about a token to the default client.
func introspect(t *testing.T, issuer *authtest.Issuer, token string) map[string]any {
	t.Helper()
	status, answer := post(t, issuer.EndpointURL(authtest.IntrospectionEndpoint), confidential("token", token))
	if status != http.StatusOK {
		t.Fatalf("status %d: %v", status, answer)
	}
	return answer
}

func TestAnActiveTokenIsDescribed(t *testing.T) {
	t.Parallel()
	for _, shape := range []authtest.Shape{authtest.Keycloak, authtest.WorkOS, authtest.Okta} {
		issuer := imitate(t, shape)
		answer := introspect(t, issuer, issuer.Token(resource, authtest.Scopes("notes:read", "notes:write")))
		const want = `{"active":true,"client_id":"test-client","scope":"notes:read notes:write","sub":"alice","token_type":"Bearer","username":"alice"}`
		if got := selected(t, answer, "active", "client_id", "scope", "sub", "token_type", "username"); got != want {
			t.Errorf("%s: the answer is %s", shape, got)
		}
		if answer["iss"] != issuer.URL() || answer["aud"] == nil || answer["exp"] == nil || answer["jti"] == nil {
			t.Errorf("%s: the answer is %v", shape, answer)
		}
	}
}

func TestOtherTokensAreInactive(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	revoked := issuer.Token(resource)
	issuer.Revoke(revoked)
	for name, token := range map[string]string{
		"revoked":            revoked,
		"expired":            issuer.Token(resource, authtest.Claim("exp", time.Now().Unix()-1)),
		"of another issuer":  imitate(t, authtest.Keycloak).Token(resource),
		"an ID token":        issuer.IDToken(),
		"no token":           "x",
		"an altered token":   issuer.Token(resource) + "x",
		"the empty token":    "",
		"an unsecured token": "eyJhbGciOiJub25lIn0.e30.",
	} {
		if answer := introspect(t, issuer, token); answer["active"] != false || len(answer) != 1 {
			t.Errorf("%s: the answer is %v", name, answer)
		}
	}
}

func TestIntrospectionNeedsAClientWithASecret(t *testing.T) {
	t.Parallel()
	issuer := imitate(t, authtest.Keycloak)
	issuer.AddClient(authtest.Client{ID: "public"})
	token := issuer.Token(resource)
	for name, form := range map[string][]string{
		"no client":       {"token", token},
		"a public client": {"token", token, "client_id", "public"},
		"a wrong secret":  {"token", token, "client_id", authtest.DefaultClient, "client_secret", "x"},
	} {
		status, answer := post(t, issuer.EndpointURL(authtest.IntrospectionEndpoint), values(form...))
		if status != http.StatusUnauthorized || answer["error"] != "invalid_client" {
			t.Errorf("%s: status %d, %v", name, status, answer)
		}
	}
}
