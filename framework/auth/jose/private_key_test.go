//go:debug rsa1024min=0

package jose_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

func TestTokensAreSignedWithEachAlgorithm(t *testing.T) {
	t.Parallel()
	for _, algorithm := range jose.Algorithms() {
		private, err := jose.GenerateKey(algorithm)
		if err != nil {
			t.Fatal(err)
		}
		token, err := private.Sign("at+jwt", map[string]any{"sub": "alice"})
		if err != nil {
			t.Fatal(err)
		}
		parsed := parse(t, token, private)
		if subject, _ := parsed.Claims.GetSubject(); subject != "alice" {
			t.Errorf("%s: the claims are %v", algorithm, parsed.Claims)
		}
		if want := map[string]any{"alg": algorithm, "kid": private.ID, "typ": "at+jwt"}; !maps.Equal(parsed.Header, want) {
			t.Errorf("%s: the header is %v, not %v", algorithm, parsed.Header, want)
		}
	}
}

func TestATokenWithoutTypeHasNoTypeInItsHeader(t *testing.T) {
	t.Parallel()
	private := generated(t, jose.ES256)
	token, err := private.Sign("", map[string]any{"sub": "alice"})
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(parse(t, token, private).Header)); !slices.Equal(got, []string{"alg", "kid"}) {
		t.Errorf("the header has the members %v", got)
	}
}

func TestClaimsThatAreNotJSONAreNotSigned(t *testing.T) {
	t.Parallel()
	if token, err := generated(t, jose.EdDSA).Sign("", map[string]any{"sub": func() {}}); err == nil {
		t.Errorf("the token is %q", token)
	}
}

func TestTheIDOfAGeneratedKeyIsItsThumbprint(t *testing.T) {
	t.Parallel()
	private := generated(t, jose.ES256)
	if thumbprint, err := private.Public().Thumbprint(); private.ID != thumbprint || err != nil {
		t.Errorf("the ID is %s, the thumbprint %s (%v)", private.ID, thumbprint, err)
	}
}

func TestUnknownAlgorithmsAreNamedWithThoseThatExist(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []string{"", "none", "HS256", "es256", "RS512"} {
		_, err := jose.GenerateKey(algorithm)
		if err == nil || !strings.HasSuffix(err.Error(), "use one of ES256, EdDSA, RS256, PS256") {
			t.Errorf("%q: the error is %v", algorithm, err)
		}
	}
}

func TestAStoredKeyIsReadAgain(t *testing.T) {
	t.Parallel()
	for _, algorithm := range jose.Algorithms() {
		private := generated(t, algorithm)
		text, err := private.PEM()
		if err != nil {
			t.Fatal(err)
		}
		read, err := jose.ParsePrivateKey(algorithm, text)
		if err != nil {
			t.Fatal(err)
		}
		if read.ID != private.ID {
			t.Errorf("%s: the ID is %s, not %s", algorithm, read.ID, private.ID)
		}
		token, err := read.Sign("", map[string]any{"sub": "alice"})
		if err != nil {
			t.Fatal(err)
		}
		parse(t, token, private)
	}
}

func TestStoredKeysThatDoNotFitAreRefused(t *testing.T) {
	t.Parallel()
	stored := func(key any, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	}
	p256, err := generated(t, jose.ES256).PEM()
	if err != nil {
		t.Fatal(err)
	}
	p384 := stored(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	short := stored(rsa.GenerateKey(rand.Reader, 1024))
	for _, test := range []struct {
		algorithm string
		text      []byte
		want      string
	}{
		{jose.RS256, p256, "*ecdsa.PrivateKey does not fit RS256"},
		{jose.EdDSA, p256, "*ecdsa.PrivateKey does not fit EdDSA"},
		{jose.ES256, p384, "*ecdsa.PrivateKey does not fit ES256"},
		{jose.RS256, short, "the RSA key has 1024 bits; at least 2048 are required"},
		{"HS256", p256, "unknown algorithm"},
		{jose.ES256, []byte("no key"), "no PEM block"},
		{jose.ES256, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY"}), "no PEM block"},
		{jose.ES256, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY"}), "is not PKCS #8"},
	} {
		if _, err := jose.ParsePrivateKey(test.algorithm, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v; it has no %q", test.algorithm, err, test.want)
		}
	}
}

func generated(t *testing.T, algorithm string) *jose.PrivateKey {
	t.Helper()
	private, err := jose.GenerateKey(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	return private
}

// parse verifies a token with the library, independently of this package.
func parse(t *testing.T, token string, private *jose.PrivateKey) *jwt.Token {
	t.Helper()
	parsed, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return private.Public().Public, nil })
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
