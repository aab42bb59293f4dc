package jose_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

// document returns a key set as an issuer publishes it.
func document[K any](t *testing.T, keys ...K) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]any{"keys": append([]K{}, keys...)})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parseSet(t *testing.T, data []byte) jose.KeySet {
	t.Helper()
	set, err := jose.ParseKeySet(data)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestAKeySetReadsTheKeysThatPackageJoseWrites(t *testing.T) {
	t.Parallel()
	var keys []jose.Key
	for _, algorithm := range jose.Algorithms() {
		keys = append(keys, generated(t, algorithm).Public())
	}
	set := parseSet(t, document(t, keys...))
	if set.Len() != len(keys) || len(set.Skipped()) > 0 {
		t.Fatalf("%d keys, skipped %q, want %d", set.Len(), set.Skipped(), len(keys))
	}
	for _, key := range keys {
		if !set.Has(key.ID) {
			t.Errorf("the set lacks the key of %s", key.Algorithm)
		}
	}
	if set.Has("other") || set.Has("") {
		t.Error("the set has a key that nobody published")
	}
}

// A change has the changed members of a key; nil removes a member.
type change = map[string]any

func TestAKeySetSkipsKeysThatCannotVerifyTokens(t *testing.T) {
	t.Parallel()
	ec, rsa2048, okp := generated(t, jose.ES256).Public(), generated(t, jose.RS256).Public(), generated(t, jose.EdDSA).Public()
	for name, tt := range map[string]struct {
		key    jose.Key
		change change
		reason string
	}{
		"no ID":                {ec, change{"kid": nil}, `no "kid"`},
		"an ID of a number":    {ec, change{"kid": 7}, "/kid must be a string"},
		"encryption":           {ec, change{"use": "enc"}, `"use"`},
		"signing only":         {ec, change{"key_ops": []string{"sign"}}, `"key_ops"`},
		"no operation":         {ec, change{"key_ops": []string{}}, `"key_ops"`},
		"symmetric":            {ec, change{"kty": "oct", "k": "c2VjcmV0", "alg": "HS256"}, `"oct"`},
		"an unknown type":      {ec, change{"kty": "AKP"}, `"AKP"`},
		"another curve":        {ec, change{"crv": "P-384"}, `"P-384"`},
		"X25519":               {okp, change{"crv": "X25519"}, `"X25519"`},
		"ES256 with RSA":       {rsa2048, change{"alg": "ES256"}, `"ES256"`},
		"HS256 with RSA":       {rsa2048, change{"alg": "HS256"}, `"HS256"`},
		"none with EC":         {ec, change{"alg": "none"}, `"none"`},
		"another RSA":          {rsa2048, change{"alg": "RSA-OAEP"}, `"RSA-OAEP"`},
		"a private part":       {ec, change{"d": "AAAA"}, "private part"},
		"a point off curve":    {ec, change{"x": strings.Repeat("A", 43)}, "curve"},
		"a short coordinate":   {ec, change{"y": "AAAA"}, "length"},
		"a long Ed25519 key":   {okp, change{"x": strings.Repeat("A", 86)}, "length"},
		"not base64url":        {okp, change{"x": "+/+/"}, "base64url"},
		"no modulus":           {rsa2048, change{"n": nil}, "bits"},
		"exponent 1":           {rsa2048, change{"e": "AQ"}, "exponent"},
		"exponent 3":           {rsa2048, change{"e": "Aw"}, "exponent"},
		"an even exponent":     {rsa2048, change{"e": "AQAC"}, "exponent"},
		"a huge exponent":      {rsa2048, change{"e": strings.Repeat("_", 12)}, "exponent"},
		"RSA with 1024 bits":   {rsa2048, change{"n": modulus(1024)}, "1024 bits"},
		"RSA with 16 384 bits": {rsa2048, change{"n": modulus(16384)}, "16384 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad, good := change{}, generated(t, jose.ES256).Public()
			for member, value := range membersOf(t, tt.key) {
				bad[member] = value
			}
			for member, value := range tt.change {
				if bad[member] = value; value == nil {
					delete(bad, member)
				}
			}
			set := parseSet(t, document[any](t, bad, good))
			if set.Len() != 1 || !set.Has(good.ID) {
				t.Errorf("%d keys, want only the other one", set.Len())
			}
			if skipped := set.Skipped(); len(skipped) != 1 || !strings.HasPrefix(skipped[0], "key 1 ") || !strings.Contains(skipped[0], tt.reason) {
				t.Errorf("skipped %q, want the first with a reason with %s", skipped, tt.reason)
			}
		})
	}
}

func TestTheLargestRSAKeysAreRead(t *testing.T) {
	t.Parallel()
	large := change{}
	for member, value := range membersOf(t, generated(t, jose.RS256).Public()) {
		large[member] = value
	}
	large["n"], large["e"] = modulus(8192), encode("\x7f\xff\xff\xff")
	if set := parseSet(t, document[any](t, large)); set.Len() != 1 {
		t.Errorf("skipped %q", set.Skipped())
	}
}

// modulus returns an odd number with that many bits.
func modulus(bits uint) string {
	n := new(big.Int).Lsh(big.NewInt(1), bits-1)
	return base64.RawURLEncoding.EncodeToString(n.SetBit(n, 0, 1).Bytes())
}

func TestATokenOfASkippedKeyIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	private := generated(t, jose.ES256)
	key := change{"use": "enc"}
	for member, value := range membersOf(t, private.Public()) {
		if member != "use" {
			key[member] = value
		}
	}
	token := sign(t, private, "at+jwt", map[string]any{"exp": 9999999999})
	err := verify(parseSet(t, document(t, key)), token, time.Now(), 0)
	if !errors.Is(err, jose.ErrUnknownKey) || !strings.Contains(err.Error(), `its "use" is "enc", not "sig"`) {
		t.Errorf("%v, want the reason why the key was skipped", err)
	}
	other := sign(t, generated(t, jose.ES256), "at+jwt", map[string]any{"exp": 9999999999})
	if err := verify(parseSet(t, document(t, key)), other, time.Now(), 0); !errors.Is(err, jose.ErrUnknownKey) || !strings.HasSuffix(err.Error(), "the issuer publishes 0 other usable keys") {
		t.Errorf("a token of another key: %v, want no reason why the skipped key was skipped", err)
	}
}

func TestADocumentThatIsNotAKeySetIsRefused(t *testing.T) {
	t.Parallel()
	many := make([]map[string]any, 101)
	for i := range many {
		many[i] = map[string]any{"kid": fmt.Sprint(i)}
	}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"a page":          {[]byte("<html>"), "not valid JSON"},
		"no list":         {[]byte(`{"keys":null}`), `no list "keys"`},
		"another list":    {[]byte(`{"Keys":[]}`), `no list "keys"`},
		"a duplicate":     {[]byte(`{"keys":[],"keys":[]}`), "not valid JSON"},
		"an object":       {[]byte(`{"keys":{}}`), "/keys must be an array"},
		"a list":          {[]byte(`[]`), "must be an object"},
		"101 keys":        {document(t, many...), "101 keys; at most 100"},
		"nothing":         {nil, "not valid JSON"},
		"a second object": {[]byte(`{"keys":[]}{}`), "not valid JSON"},
	} {
		if _, err := jose.ParseKeySet(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := jose.ParseKeySet(document(t, many[:100]...)); err != nil {
		t.Errorf("100 keys: %v", err)
	}
}

func TestASetWithoutUsableKeysIsNotAnError(t *testing.T) {
	t.Parallel()
	if set := parseSet(t, []byte(`{"keys":[]}`)); set.Len() != 0 || !set.IsEmpty() {
		t.Errorf("%d keys, want none, and an empty set", set.Len())
	}
}

func TestAKeyThatWasWithdrawnOrReplacedIsNotIncluded(t *testing.T) {
	t.Parallel()
	first, second := generated(t, jose.ES256).Public(), generated(t, jose.RS256).Public()
	replaced := generated(t, jose.ES256).Public()
	replaced.ID = first.ID
	narrowed := second
	narrowed.Algorithm = ""
	old := parseSet(t, document(t, first))
	for name, tt := range map[string]struct {
		keys []jose.Key
		want bool
	}{
		"the same":    {[]jose.Key{first}, true},
		"an addition": {[]jose.Key{second, first}, true},
		"a rotation":  {[]jose.Key{second}, false},
		"no keys":     {nil, false},
		"the same ID": {[]jose.Key{replaced}, false},
	} {
		if got := parseSet(t, document(t, tt.keys...)).Includes(old); got != tt.want {
			t.Errorf("%s: Includes = %t, want %t", name, got, tt.want)
		}
	}
	both := parseSet(t, document(t, first, replaced))
	if both.Len() != 2 {
		t.Errorf("the set has %d keys, want both with the same ID", both.Len())
	}
	for name, tt := range map[string]struct {
		keys []jose.Key
		want bool
	}{
		"both in another order": {[]jose.Key{replaced, first}, true},
		"the first of two":      {[]jose.Key{first}, false},
		"the second of two":     {[]jose.Key{replaced}, false},
	} {
		if got := parseSet(t, document(t, tt.keys...)).Includes(both); got != tt.want {
			t.Errorf("%s with the same ID: Includes = %t, want %t", name, got, tt.want)
		}
	}
	if parseSet(t, document(t, narrowed)).Includes(parseSet(t, document(t, second))) {
		t.Error("Includes = true for a key with another algorithm")
	}
}

// An RSA key of an issuer often has no "alg".
func TestAnRSAKeyWithoutAlgorithmVerifiesBothPaddings(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, algorithm := range []string{jose.RS256, jose.PS256} {
		private := generated(t, algorithm)
		open := private.Public()
		open.Algorithm = ""
		bound := private.Public()
		if bound.Algorithm = jose.RS256; algorithm == jose.RS256 {
			bound.Algorithm = jose.PS256
		}
		token := parseToken(t, sign(t, private, "at+jwt", map[string]any{"exp": now.Unix() + 60}))
		if _, err := parseSet(t, document(t, open)).Verify(token, now, 0); err != nil {
			t.Errorf("%s: %v", algorithm, err)
		}
		if _, err := parseSet(t, document(t, bound)).Verify(token, now, 0); err == nil {
			t.Errorf("%s is accepted by a key for %s", algorithm, bound.Algorithm)
		}
	}
}

func FuzzParseKeySet(f *testing.F) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	data, _ := json.Marshal(map[string]any{"keys": []jose.Key{{ID: "a", Public: private.Public()}}})
	f.Add(data)
	f.Add([]byte(`{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"},{"kty":"OKP","crv":"Ed25519","x":""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := jose.ParseKeySet(data)
		if err == nil && !set.Includes(set) {
			t.Error("a set doesn't include itself")
		}
	})
}
