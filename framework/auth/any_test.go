package auth_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// static returns a verifier of one token.
func static(name, token string) auth.Verifier {
	return auth.Static(fmt.Sprintf("%s %x", name, sha256.Sum256([]byte(token))))
}

func TestATokenOfAnyVerifierIsAccepted(t *testing.T) {
	t.Parallel()
	first, second, asked := newIssuer(t, authtest.Keycloak), newIssuerAt(t, "https://second.test", authtest.Okta), newIssuerAt(t, "https://third.test", authtest.Keycloak)
	verifier := checked(t, auth.Any(first.jwt(), static("ana", "secret"), auth.Any(second.jwt(), asked.introspection())))
	tokens := []struct{ token, issuer string }{{first.token(), first.URL()}, {second.token(), second.URL()}, {asked.token(), asked.URL()}, {"secret", ""}}
	for range 2 { // the second time they are known
		for _, token := range tokens {
			if principal := accepts(t, verifier, token.token); principal.Issuer != token.issuer {
				t.Errorf("the issuer is %q, want %q", principal.Issuer, token.issuer)
			}
		}
	}
	issuers, err := verifier.Issuers()
	if want := []string{first.URL(), second.URL(), asked.URL()}; err != nil || !slices.Equal(issuers, want) {
		t.Errorf("the issuers are %q, %v, want %q", issuers, err, want)
	}
}

func TestTheErrorOfSeveralVerifiersIsTheMostHelpful(t *testing.T) {
	t.Parallel()
	first, second := newIssuer(t, authtest.Keycloak), newIssuerAt(t, "https://second.test", authtest.Okta)
	down := newIssuerAt(t, "https://down.test", authtest.Keycloak)
	down.Replace(authtest.DiscoveryEndpoint, http.NotFoundHandler())
	asked := down.introspection()
	expired := authtest.Claim("exp", 1)

	refuses(t, auth.Any(first.jwt(), second.jwt(), asked), second.token(expired), "has expired")
	refuses(t, auth.Any(asked, second.jwt(), first.jwt()), second.token(expired), "has expired")
	unavailable(t, auth.Any(first.jwt(), asked, second.jwt()), "opaque")
	unavailable(t, auth.Any(first.jwt(), down.jwt()), down.token())
	refuses(t, auth.Any(first.jwt()), "opaque", "not a JSON Web Token")
	refused := refusal(t, auth.Any(first.jwt(), second.jwt()), newIssuerAt(t, "https://third.test", authtest.Okta).token(), "is not known")
	for _, text := range []string{first.URL(), second.URL(), "https://third.test"} {
		if !strings.Contains(refused.Error(), text) || strings.Contains(refused.Reason, text) {
			t.Errorf("the cause lacks %q, or the client reads it: %v", text, refused)
		}
	}
	unavailable(t, auth.Any(auth.Any(first.jwt(), second.jwt()), asked), "opaque")

	third := newIssuerAt(t, "https://third.test", authtest.Keycloak)
	unavailable(t, auth.Any(third.introspection(), asked), "opaque") // which may be the other's
	revoked := third.token()
	third.Revoke(revoked)
	refuses(t, auth.Any(third.introspection(), asked), revoked, "has expired or was revoked")
}

func TestAnyWithoutVerifiersIsAMistake(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		verifier auth.Verifier
		want     string
	}{
		"none":     {auth.Any(), "auth.Any: it has no verifier"},
		"nil":      {auth.Any(static("ana", "secret"), nil), "auth.Any: verifier 2 is nil"},
		"mistakes": {auth.Any(auth.JWT(auth.Issuer{URL: "http://a.test"}), auth.JWT(auth.Issuer{URL: "https://b.test?c"})), "https://b.test?c"},
	} {
		if _, err := tt.verifier.Issuers(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := auth.Any(auth.JWT(auth.Issuer{}), auth.JWT(auth.Issuer{Leeway: -1})).Issuers(); strings.Count(err.Error(), "Issuer.URL") != 2 {
		t.Errorf("%v, want the mistakes of both", err)
	}
	if _, err := auth.Any().Verify(t.Context(), "token", resource); err == nil {
		t.Error("a token is accepted without a verifier")
	}
}

// A failing verifier returns an error that is neither a refusal nor a status.
type failing struct{ auth.Verifier }

var errFailing = errors.New("failing")

func (failing) Verify(context.Context, string, string) (exchange.Principal, error) {
	return exchange.Principal{}, errFailing
}

func TestAVerifierThatFailsDoesNotHideARefusal(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Okta)
	refuses(t, auth.Any(failing{}, issuer.jwt()), issuer.token(authtest.Claim("exp", 1)), "has expired")
	if _, err := auth.Any(failing{}, issuer.jwt()).Verify(t.Context(), "opaque", resource); !errors.Is(err, errFailing) {
		t.Errorf("%v, want the error of the verifier that fails", err)
	}
}

func TestTheIssuersOfSeveralVerifiersAreAList(t *testing.T) {
	t.Parallel()
	one, two := auth.JWT(auth.Issuer{URL: "https://one.example.com"}), auth.JWT(auth.Issuer{URL: "https://two.example.com"})
	issuers, err := auth.Any(one, auth.Static(), two, one).Issuers()
	if want := []string{"https://one.example.com", "https://two.example.com"}; err != nil || !slices.Equal(issuers, want) {
		t.Errorf("the issuers are %v, %v, want each once: %v", issuers, err, want)
	}
}
