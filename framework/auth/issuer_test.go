package auth_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
)

func TestAVerifierNamesItsIssuer(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://login.example.com", "https://login.example.com/", "https://login.example.com/realms/staff", "https://10.0.0.7:8443/a",
		"http://localhost:8080/realms/staff", "http://127.0.0.1:8080", "http://[::1]:8080", "https://localhost",
	} {
		for _, verifier := range []auth.Verifier{
			auth.JWT(auth.Issuer{URL: url}),
			auth.Introspection(auth.IntrospectionConfig{Issuer: auth.Issuer{URL: url}, ClientID: "id", ClientSecret: "secret"}),
		} {
			if issuers, err := verifier.Issuers(); err != nil || !slices.Equal(issuers, []string{url}) {
				t.Errorf("%s: %q, %v", url, issuers, err)
			}
		}
	}
}

func TestMistakesInAnIssuerAreReportedWhenTheProgramStarts(t *testing.T) {
	t.Parallel()
	const url = "https://login.example.com"
	for name, tt := range map[string]struct {
		issuer auth.Issuer
		want   string
	}{
		"no URL":                      {auth.Issuer{}, `Issuer.URL "": it is missing; set it to the claim iss`},
		"a name":                      {auth.Issuer{URL: "login.example.com"}, "an https URL"},
		"a broken URL":                {auth.Issuer{URL: "https://[::1"}, "not a URL"},
		"a URL without a host":        {auth.Issuer{URL: "https:///realms"}, "an https URL"},
		"http":                        {auth.Issuer{URL: "http://login.example.com"}, "an https URL"},
		"another scheme":              {auth.Issuer{URL: "file:///issuer"}, "an https URL"},
		"a query":                     {auth.Issuer{URL: url + "?tenant=a"}, "no query"},
		"an empty query":              {auth.Issuer{URL: url + "?"}, "no query"},
		"a fragment":                  {auth.Issuer{URL: url + "#a"}, "no query, fragment"},
		"an empty fragment":           {auth.Issuer{URL: url + "#"}, "no query, fragment"},
		"a user":                      {auth.Issuer{URL: "https://user:password@login.example.com"}, "user"},
		"a space":                     {auth.Issuer{URL: url + " "}, "white space"},
		"a link-local issuer":         {auth.Issuer{URL: "https://169.254.169.254"}, "link-local"},
		"an unspecified issuer":       {auth.Issuer{URL: "https://0.0.0.0"}, "unspecified"},
		"http keys":                   {auth.Issuer{URL: url, JWKS: "http://login.example.com/keys"}, "Issuer.JWKS"},
		"keys on loopback":            {auth.Issuer{URL: url, JWKS: "https://127.0.0.1/keys"}, "loopback"},
		"keys without a scheme":       {auth.Issuer{URL: url, JWKS: "/keys"}, "Issuer.JWKS"},
		"an empty audience":           {auth.Issuer{URL: url, Audiences: []string{"a", ""}}, "Issuer.Audiences"},
		"an implied scope of two":     {auth.Issuer{URL: url, Implies: map[string][]string{"a": {"b c"}}}, "Issuer.Implies"},
		"an empty scope that implies": {auth.Issuer{URL: url, Implies: map[string][]string{"": {"b"}}}, "Issuer.Implies"},
		"a negative leeway":           {auth.Issuer{URL: url, Leeway: -1}, "Issuer.Leeway"},
		"a leeway of an hour":         {auth.Issuer{URL: url, Leeway: time.Hour}, "at most 5m0s"},
	} {
		verifier := auth.JWT(tt.issuer)
		issuers, err := verifier.Issuers()
		if err == nil || len(issuers) > 0 || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "auth.JWT: ") {
			t.Errorf("%s: %q, %v, want %q", name, issuers, err, tt.want)
		}
		if _, err := verifier.Verify(t.Context(), "token", resource); err == nil {
			t.Errorf("%s: a token is accepted", name)
		}
	}
	_, err := auth.JWT(auth.Issuer{Leeway: -1, Audiences: []string{""}}).Issuers()
	for _, field := range []string{"URL", "Leeway", "Audiences"} {
		if !strings.Contains(err.Error(), "Issuer."+field) {
			t.Errorf("of several mistakes, that in %s is missing: %v", field, err)
		}
	}
}

// A program may use a verifier without a route, so that nothing checks it at the start.
func TestAVerifierWithMistakesAcceptsNoToken(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Keycloak)
	config := issuer.introspecting()
	config.Issuer.Audiences = []string{""}
	for name, verifier := range map[string]auth.Verifier{"JWT": auth.JWT(config.Issuer), "Introspection": auth.Introspection(config)} {
		if _, err := verifier.Verify(t.Context(), issuer.token(), resource); err == nil || !strings.Contains(err.Error(), "Issuer.Audiences") {
			t.Errorf("%s: a right token gets %v, want the mistake", name, err)
		}
	}
	issuer.fetches(t, 0, 0)
}
