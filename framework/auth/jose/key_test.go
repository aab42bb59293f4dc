package jose_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

func TestPublicKeysArePublishedAsJSONWebKeys(t *testing.T) {
	t.Parallel()
	for algorithm, members := range map[string][]string{
		jose.ES256: {"alg", "crv", "kid", "kty", "use", "x", "y"},
		jose.EdDSA: {"alg", "crv", "kid", "kty", "use", "x"},
		jose.RS256: {"alg", "e", "kid", "kty", "n", "use"},
		jose.PS256: {"alg", "e", "kid", "kty", "n", "use"},
	} {
		private, err := jose.GenerateKey(algorithm)
		if err != nil {
			t.Fatal(err)
		}
		published := membersOf(t, private.Public())
		if got := slices.Sorted(maps.Keys(published)); !slices.Equal(got, members) {
			t.Errorf("%s: the JWK has the members %v, not %v", algorithm, got, members)
		}
		if published["alg"] != algorithm || published["use"] != "sig" || published["kid"] != private.ID {
			t.Errorf("%s: the JWK is %v", algorithm, published)
		}
	}
}

// The key is that of RFC 7638, section 3.1, and RFC 8037, appendix A.
func TestThumbprintsAreThoseOfTheRFCs(t *testing.T) {
	t.Parallel()
	modulus, err := base64.RawURLEncoding.DecodeString("0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs" +
		"tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0f" +
		"M4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw")
	if err != nil {
		t.Fatal(err)
	}
	point, err := base64.RawURLEncoding.DecodeString("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
	if err != nil {
		t.Fatal(err)
	}
	for want, key := range map[string]jose.Key{
		"NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs": {Public: &rsa.PublicKey{N: new(big.Int).SetBytes(modulus), E: 65537}},
		"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k": {Public: ed25519.PublicKey(point)},
	} {
		// An ID and an algorithm don't change the thumbprint.
		key.ID, key.Algorithm = "2011-04-29", "any"
		if got, err := key.Thumbprint(); got != want || err != nil {
			t.Errorf("the thumbprint is %s (%v), not %s", got, err, want)
		}
	}
}

func TestAKeyWithoutIDOrAlgorithmIsPublishedWithoutThem(t *testing.T) {
	t.Parallel()
	private, err := jose.GenerateKey(jose.EdDSA)
	if err != nil {
		t.Fatal(err)
	}
	members := membersOf(t, jose.Key{Public: private.Public().Public})
	if _, has := members["kid"]; has {
		t.Errorf("the JWK has an ID: %v", members)
	}
	if _, has := members["alg"]; has {
		t.Errorf("the JWK has an algorithm: %v", members)
	}
}

func TestKeysOfOtherTypesAreNotPublished(t *testing.T) {
	t.Parallel()
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		key  jose.Key
		want string
	}{
		{jose.Key{Public: p384.Public()}, "must be on P-256, not on P-384"},
		{jose.Key{Public: p384}, "unknown type of public key *ecdsa.PrivateKey"},
		{jose.Key{Public: []byte("secret")}, "unknown type of public key []uint8"},
		{jose.Key{}, "unknown type of public key <nil>"},
	} {
		if _, err := json.Marshal(test.key); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("the error of publishing the key is %v; it has no %q", err, test.want)
		}
		if _, err := test.key.Thumbprint(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("the error of the thumbprint is %v; it has no %q", err, test.want)
		}
	}
}

// membersOf returns the JSON of a key.
func membersOf(t *testing.T, key jose.Key) map[string]string {
	t.Helper()
	data, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]string
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	return members
}
