package authtest_test

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

// published returns the keys of an issuer.
func published(t *testing.T, issuer *authtest.Issuer) (keys []map[string]any) {
	t.Helper()
	_, set := get(t, issuer.EndpointURL(authtest.KeysEndpoint))
	list, _ := set["keys"].([]any)
	for _, key := range list {
		keys = append(keys, key.(map[string]any))
	}
	return keys
}

func TestEachShapePublishesKeysAsItsProductDoes(t *testing.T) {
	t.Parallel()
	for shape, want := range map[authtest.Shape]struct {
		members []string
		keys    int
	}{
		authtest.Auth0:    {[]string{"alg", "e", "kid", "kty", "n", "use", "x5c", "x5t", "x5t#S256"}, 1},
		authtest.Entra:    {[]string{"cloud_instance_name", "e", "issuer", "kid", "kty", "n", "use", "x5c", "x5t"}, 1},
		authtest.Keycloak: {[]string{"alg", "e", "kid", "kty", "n", "use", "x5c", "x5t", "x5t#S256"}, 2},
		authtest.WorkOS:   {[]string{"alg", "e", "kid", "kty", "n", "use"}, 1},
		authtest.Cognito:  {[]string{"alg", "e", "kid", "kty", "n", "use"}, 2},
		authtest.Okta:     {[]string{"alg", "e", "kid", "kty", "n", "use"}, 1},
	} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			issuer := authtest.For(t, shape)
			keys := published(t, issuer)
			if len(keys) != want.keys {
				t.Errorf("%d keys, not %d", len(keys), want.keys)
			}
			if got := slices.Sorted(maps.Keys(keys[0])); !slices.Equal(got, want.members) {
				t.Errorf("a key has the members %v, not %v", got, want.members)
			}
			if keys[0]["kid"] != issuer.Key().ID {
				t.Errorf("the ID is %v, that of the key %s", keys[0]["kid"], issuer.Key().ID)
			}
		})
	}
}

func TestACertificateHasItsKey(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Entra)
	chain := published(t, issuer)[0]["x5c"].([]any)
	der, err := base64.StdEncoding.DecodeString(chain[0].(string))
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	if !issuer.Key().Public().Public.(*rsa.PublicKey).Equal(certificate.PublicKey) {
		t.Error("the certificate has another key")
	}
}

func TestARotatedKeyStaysPublishedUntilItIsRetired(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.WorkOS)
	first := issuer.Key().ID
	issuer.Rotate()
	second := issuer.Key().ID
	if got := ids(published(t, issuer)); !slices.Equal(got, []string{second, first}) {
		t.Errorf("after the rotation %v are published", got)
	}
	if header(t, issuer.Token(resource))["kid"] != second {
		t.Error("the old key still signs")
	}
	issuer.Retire()
	if got := ids(published(t, issuer)); !slices.Equal(got, []string{second}) {
		t.Errorf("after the retirement %v are published", got)
	}
}

func TestAnIssuerRotatesAThousandTimes(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Okta)
	issuer.SetAlgorithm(jose.EdDSA)
	for range 1000 {
		issuer.Rotate()
	}
	if got := len(published(t, issuer)); got != 1001 {
		t.Errorf("%d keys are published", got)
	}
}

func TestAnotherAlgorithmCanBeSet(t *testing.T) {
	t.Parallel()
	for _, algorithm := range jose.Algorithms() {
		issuer := authtest.For(t, authtest.Keycloak)
		issuer.SetAlgorithm(algorithm)
		token := issuer.Token(resource)
		verify(t, token, issuer.Key())
		if got := header(t, token)["alg"]; got != algorithm {
			t.Errorf("the algorithm is %v, not %s", got, algorithm)
		}
	}
}

func TestAnUnknownAlgorithmPanics(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Keycloak)
	issuer.SetAlgorithm("HS256")
	defer func() {
		if got, _ := recover().(string); !strings.Contains(got, `unknown algorithm "HS256"`) {
			t.Errorf("the panic is %q", got)
		}
	}()
	issuer.Token(resource)
}

func TestCognitoSignsIDTokensWithAnotherKey(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Cognito)
	access, id := header(t, issuer.Token(resource))["kid"], header(t, issuer.IDToken())["kid"]
	if got := ids(published(t, issuer)); access == id || !slices.Contains(got, access.(string)) || !slices.Contains(got, id.(string)) {
		t.Errorf("access tokens name the key %v, ID tokens %v; published are %v", access, id, got)
	}
}

func ids(keys []map[string]any) (ids []string) {
	for _, key := range keys {
		ids = append(ids, key["kid"].(string))
	}
	return ids
}
