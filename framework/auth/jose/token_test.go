package jose_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

func sign(t *testing.T, key *jose.PrivateKey, typ string, claims map[string]any) string {
	t.Helper()
	token, err := key.Sign(typ, claims)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func parseToken(t *testing.T, token string) *jose.Unverified {
	t.Helper()
	unverified, err := jose.Parse(token)
	if err != nil {
		t.Fatal(err)
	}
	return unverified
}

// verify parses and verifies a token.
func verify(set jose.KeySet, token string, now time.Time, leeway time.Duration) error {
	unverified, err := jose.Parse(token)
	if err != nil {
		return err
	}
	_, err = set.Verify(unverified, now, leeway)
	return err
}

func encode[T ~string | ~[]byte](data T) string {
	return base64.RawURLEncoding.EncodeToString([]byte(data))
}

// A forger signs any header and payload with ES256.
type forger struct {
	private *ecdsa.PrivateKey
	set     jose.KeySet // has the public key with the ID "k"
}

func newForger(t *testing.T) forger {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return forger{private, parseSet(t, document(t, jose.Key{ID: "k", Public: private.Public()}))}
}

func (f forger) sign(t *testing.T, header, payload string) string {
	t.Helper()
	signed := encode(header) + "." + encode(payload)
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, f.private, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signed + "." + encode(signature[:])
}

func TestATokenOfEachAlgorithmIsVerified(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, algorithm := range jose.Algorithms() {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			private := generated(t, algorithm)
			unverified := parseToken(t, sign(t, private, "at+jwt", map[string]any{"iss": "https://issuer.test", "sub": "ann", "exp": now.Unix() + 60}))
			if unverified.Type != "at+jwt" || unverified.KeyID != private.ID || unverified.Issuer != "https://issuer.test" {
				t.Errorf("the unverified token is %+v", unverified)
			}
			token, err := parseSet(t, document(t, private.Public())).Verify(unverified, now, 0)
			if err != nil {
				t.Fatal(err)
			}
			if token.Type != "at+jwt" || token.Claims["sub"] != "ann" || token.Expires.Unix() != now.Unix()+60 {
				t.Errorf("the token is %+v", token)
			}
		})
	}
}

func TestATokenWithAWrongSignatureIsRefused(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, algorithm := range jose.Algorithms() {
		private, other := generated(t, algorithm), generated(t, algorithm)
		other.ID = private.ID
		set := parseSet(t, document(t, private.Public()))
		claims := map[string]any{"exp": now.Unix() + 60}
		token := sign(t, private, "at+jwt", claims)
		parts := strings.Split(token, ".")
		for name, forged := range map[string]string{
			"another key":     sign(t, other, "at+jwt", claims),
			"another payload": parts[0] + "." + encode(fmt.Sprintf(`{"exp":%d}`, now.Unix()+600)) + "." + parts[2],
			"another header":  encode(fmt.Sprintf(`{"alg":%q,"kid":%q}`, algorithm, private.ID)) + "." + parts[1] + "." + parts[2],
			"no signature":    parts[0] + "." + parts[1] + ".",
			"a cut signature": parts[0] + "." + parts[1] + "." + parts[2][:len(parts[2])/8*4],
		} {
			if err := verify(set, forged, now, 0); !errors.Is(err, jose.ErrSignature) {
				t.Errorf("%s, %s: %v, want ErrSignature", algorithm, name, err)
			}
		}
	}
}

func TestAlgorithmsThatNeedNoPrivateKeyAreRefused(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	now := time.Now()
	payload := fmt.Sprintf(`{"exp":%d}`, now.Unix()+60)
	for _, algorithm := range []string{"none", "nOnE", "NONE", "", "es256", "ES384", "RS512", "HS256", "HS384", "HS512", "dir"} {
		header := fmt.Sprintf(`{"alg":%q,"kid":"k"}`, algorithm)
		unsigned := encode(header) + "." + encode(payload) + "."
		for _, token := range []string{unsigned, f.sign(t, header, payload)} {
			if err := verify(f.set, token, now, 0); !errors.Is(err, jose.ErrAlgorithm) {
				t.Errorf("%q: %v, want ErrAlgorithm", algorithm, err)
			}
		}
	}
}

func TestHMACWithAPublicKeyAsSecretIsRefused(t *testing.T) {
	t.Parallel()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	set := parseSet(t, document(t, jose.Key{ID: "k", Public: private.Public()}))
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range [][]byte{der, private.N.Bytes(), x509.MarshalPKCS1PublicKey(&private.PublicKey)} {
		for _, algorithm := range []string{"HS256", "RS256"} {
			signed := encode(fmt.Sprintf(`{"alg":%q,"kid":"k"}`, algorithm)) + "." + encode(fmt.Sprintf(`{"exp":%d}`, time.Now().Unix()+60))
			mac := hmac.New(sha256.New, secret)
			mac.Write([]byte(signed))
			if err := verify(set, signed+"."+encode(mac.Sum(nil)), time.Now(), 0); err == nil {
				t.Errorf("a token with %s and a MAC is accepted", algorithm)
			}
		}
	}
}

func TestTheAlgorithmMustFitTheKey(t *testing.T) {
	t.Parallel()
	now, others := time.Now(), map[string]jose.Key{}
	for _, algorithm := range jose.Algorithms() {
		others[algorithm] = generated(t, algorithm).Public()
	}
	for _, algorithm := range jose.Algorithms() {
		private := generated(t, algorithm)
		for other, published := range others {
			published.ID, published.Algorithm = private.ID, other
			token := sign(t, private, "at+jwt", map[string]any{"exp": now.Unix() + 60})
			want := jose.ErrAlgorithm
			if algorithm == other {
				want = jose.ErrSignature
			}
			if err := verify(parseSet(t, document(t, published)), token, now, 0); !errors.Is(err, want) {
				t.Errorf("a token with %s and a key for %s: %v, want %v", algorithm, other, err, want)
			}
			published.Algorithm = "" // then its type decides
			if isRSA(algorithm) && isRSA(other) {
				want = jose.ErrSignature
			}
			if err := verify(parseSet(t, document(t, published)), token, now, 0); !errors.Is(err, want) {
				t.Errorf("a token with %s and a key of the type for %s: %v, want %v", algorithm, other, err, want)
			}
		}
	}
}

func isRSA(algorithm string) bool { return algorithm == jose.RS256 || algorithm == jose.PS256 }

// Issuers give one ID to several keys: to one of each algorithm, or to the old and the new one.
func TestAllKeysOfAnIDAreTried(t *testing.T) {
	t.Parallel()
	now := time.Now()
	named := func(algorithm string) *jose.PrivateKey {
		key := generated(t, algorithm)
		key.ID = "k"
		return key
	}
	keys, others, token, forged := map[string]jose.Key{}, map[string]jose.Key{}, map[string]string{}, map[string]string{}
	for _, algorithm := range jose.Algorithms() {
		private, claims := named(algorithm), map[string]any{"exp": now.Unix() + 60}
		keys[algorithm], others[algorithm] = private.Public(), named(algorithm).Public()
		token[algorithm], forged[algorithm] = sign(t, private, "at+jwt", claims), sign(t, named(algorithm), "at+jwt", claims)
	}
	for algorithm, key := range keys {
		for beside, other := range others {
			for order, published := range map[string][]jose.Key{"first": {key, other}, "last": {other, key}} {
				set := parseSet(t, document(t, published...))
				if err := verify(set, token[algorithm], now, 0); err != nil {
					t.Errorf("a token with %s, whose key is published %s beside one for %s: %v", algorithm, order, beside, err)
				}
				if err := verify(set, forged[algorithm], now, 0); !errors.Is(err, jose.ErrSignature) {
					t.Errorf("a token of a stranger with %s, whose algorithm is published %s beside %s: %v, want ErrSignature", algorithm, order, beside, err)
				}
			}
		}
	}
}

func TestKeysInTheHeaderAreNeverUsed(t *testing.T) {
	t.Parallel()
	f, attacker := newForger(t), newForger(t)
	jwk, err := json.Marshal(jose.Key{ID: "k", Public: attacker.private.Public()})
	if err != nil {
		t.Fatal(err)
	}
	payload := fmt.Sprintf(`{"exp":%d}`, time.Now().Unix()+60)
	for _, member := range []string{
		`"jwk":` + string(jwk), `"jku":"https://attacker.test/keys"`, `"x5u":"https://attacker.test/cert"`, `"x5c":["AAAA"]`,
	} {
		if err := verify(f.set, attacker.sign(t, `{"alg":"ES256","kid":"k",`+member+`}`, payload), time.Now(), 0); !errors.Is(err, jose.ErrSignature) {
			t.Errorf("%s with the ID of a key: %v, want ErrSignature", member, err)
		}
		if err := verify(f.set, attacker.sign(t, `{"alg":"ES256",`+member+`}`, payload), time.Now(), 0); !errors.Is(err, jose.ErrUnknownKey) {
			t.Errorf("%s without an ID: %v, want ErrUnknownKey", member, err)
		}
		if err := verify(f.set, f.sign(t, `{"alg":"ES256","kid":"k",`+member+`}`, payload), time.Now(), 0); err != nil {
			t.Errorf("%s in a valid token: %v", member, err)
		}
	}
}

func TestTheKeyIDPicksTheKey(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	for _, kid := range []string{"", "K", "k ", "../../etc/passwd", "' OR 1=1 --", "https://attacker.test", strings.Repeat("k", 5000)} {
		header, _ := json.Marshal(map[string]string{"alg": "ES256", "kid": kid})
		err := verify(f.set, f.sign(t, string(header), `{"exp":9999999999}`), time.Now(), 0)
		if !errors.Is(err, jose.ErrUnknownKey) {
			t.Errorf("%.20q: %v, want ErrUnknownKey", kid, err)
		}
		if kid != "" && strings.Contains(fmt.Sprint(err), kid) && len(kid) > 2 {
			t.Errorf("the error has the ID: %v", err)
		}
	}
}

// Whoever names no key makes the server try each.
func TestATokenThatNamesNoKeyIsTriedWithFewKeys(t *testing.T) {
	t.Parallel()
	f, now := newForger(t), time.Now()
	var keys []jose.Key
	for n := range 10 {
		keys = append(keys, jose.Key{ID: fmt.Sprint(n), Public: f.private.Public()})
	}
	unnamed := parseToken(t, f.sign(t, `{"alg":"ES256"}`, fmt.Sprintf(`{"exp":%d}`, now.Add(time.Minute).Unix())))
	ten, eleven := parseSet(t, document(t, keys...)), parseSet(t, document(t, append(keys, jose.Key{ID: "10", Public: f.private.Public()})...))
	if _, err := ten.VerifyAny(unnamed, now, 0); err != nil || !ten.MayVerify(unnamed) {
		t.Errorf("with ten keys: %v", err)
	}
	if _, err := eleven.VerifyAny(unnamed, now, 0); !errors.Is(err, jose.ErrUnknownKey) || eleven.MayVerify(unnamed) {
		t.Errorf("with eleven keys: %v", err)
	}
}

// Clients with one key often don't name it.
func TestATokenThatNamesNoKeyMayBeOfAnyKeyOfTheSet(t *testing.T) {
	t.Parallel()
	f, foreign := newForger(t), newForger(t)
	now := time.Now()
	payload := fmt.Sprintf(`{"iss":"client","exp":%d}`, now.Add(time.Minute).Unix())
	for what, set := range map[string]jose.KeySet{
		"a key with an ID":    f.set,
		"a key without an ID": parseSet(t, document(t, jose.Key{Public: foreign.private.Public()}, jose.Key{Public: f.private.Public()})),
	} {
		unnamed, wrong := parseToken(t, f.sign(t, `{"alg":"ES256"}`, payload)), parseToken(t, newForger(t).sign(t, `{"alg":"ES256"}`, payload))
		if set.IsEmpty() {
			t.Errorf("%s: the set is empty", what)
		}
		if _, err := set.VerifyAny(unnamed, now, 0); err != nil || !set.MayVerify(unnamed) {
			t.Errorf("%s: %v, %v", what, err, set.MayVerify(unnamed))
		}
		if _, err := set.VerifyAny(unnamed, now.Add(time.Hour), 0); !errors.Is(err, jose.ErrExpired) {
			t.Errorf("%s: the error of an expired token is %v", what, err)
		}
		if _, err := set.VerifyAny(wrong, now, 0); !errors.Is(err, jose.ErrSignature) || set.MayVerify(wrong) {
			t.Errorf("%s: the error of a foreign token is %v", what, err)
		}
		if _, err := set.Verify(unnamed, now, 0); !errors.Is(err, jose.ErrUnknownKey) {
			t.Errorf("%s: an access token needs the ID of its key: %v", what, err)
		}
		named := parseToken(t, f.sign(t, `{"alg":"ES256","kid":"other"}`, payload))
		if _, err := set.VerifyAny(named, now, 0); !errors.Is(err, jose.ErrUnknownKey) || set.MayVerify(named) {
			t.Errorf("%s: the error of a token that names another key is %v", what, err)
		}
	}
	if _, err := (jose.KeySet{}).VerifyAny(parseToken(t, f.sign(t, `{"alg":"ES256"}`, payload)), now, 0); !errors.Is(err, jose.ErrUnknownKey) {
		t.Errorf("the error without keys is %v", err)
	}
	if _, err := f.set.VerifyAny(parseToken(t, f.sign(t, `{"alg":"none"}`, payload)), now, 0); !errors.Is(err, jose.ErrAlgorithm) {
		t.Errorf("the error of another algorithm is %v", err)
	}
}

func TestMalformedTokensAreRefused(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	const header, payload = `{"alg":"ES256","kid":"k"}`, `{"exp":9999999999,"sub":"secret-subject"}`
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	valid := f.sign(t, header, payload)
	parts := strings.Split(valid, ".")
	if err := verify(f.set, valid, time.Now(), 0); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		token string
		want  error
	}{
		"nothing":                {"", jose.ErrNotJWT},
		"opaque":                 {"6f1ed002ab5595859014ebf0951522d9", jose.ErrNotJWT},
		"two parts":              {parts[0] + "." + parts[1], jose.ErrNotJWT},
		"four parts":             {valid + ".a", jose.ErrNotJWT},
		"encrypted":              {valid + ".a.b", jose.ErrNotJWT},
		"a header of an array":   {f.sign(t, `["ES256"]`, payload), jose.ErrNotJWT},
		"a space":                {" " + valid, jose.ErrNotJWT},
		"a header with a mark":   {parts[0] + "!." + parts[1] + "." + parts[2], jose.ErrNotJWT},
		"a broken header":        {f.sign(t, `{"alg":"ES256"`, payload), jose.ErrMalformed},
		"a duplicate algorithm":  {f.sign(t, `{"alg":"ES256","kid":"k","alg":"ES256"}`, payload), jose.ErrMalformed},
		"a duplicate unknown":    {f.sign(t, `{"alg":"ES256","kid":"k","a":1,"a":1}`, payload), jose.ErrMalformed},
		"a duplicate claim":      {f.sign(t, header, `{"exp":9999999999,"sub":"ann","sub":"bob"}`), jose.ErrMalformed},
		"a nested duplicate":     {f.sign(t, header, `{"exp":9999999999,"act":{"sub":"ann","sub":"bob"}}`), jose.ErrMalformed},
		"a payload of an array":  {f.sign(t, header, `[]`), jose.ErrMalformed},
		"a payload of null":      {f.sign(t, header, `null`), jose.ErrMalformed},
		"two payloads":           {f.sign(t, header, payload+payload), jose.ErrMalformed},
		"invalid UTF-8":          {f.sign(t, header, "{\"sub\":\"\xff\",\"exp\":9999999999}"), jose.ErrMalformed},
		"an algorithm of a list": {f.sign(t, `{"alg":["ES256"],"kid":"k"}`, payload), jose.ErrMalformed},
		"critical members":       {f.sign(t, `{"alg":"ES256","kid":"k","crit":["exp"]}`, payload), jose.ErrMalformed},
		"no critical member":     {f.sign(t, `{"alg":"ES256","kid":"k","crit":[]}`, payload), jose.ErrMalformed},
		"detached payload":       {f.sign(t, `{"alg":"ES256","kid":"k","b64":false,"crit":["b64"]}`, payload), jose.ErrMalformed},
		"padding":                {valid + "==", jose.ErrMalformed},
		"line ends":              {parts[0] + "." + parts[1] + ".\n" + parts[2], jose.ErrMalformed},
		"a line end within":      {parts[0] + "." + parts[1][:9] + "\r\n" + parts[1][9:] + "." + parts[2], jose.ErrMalformed},
		"standard base64":        {parts[0] + "." + parts[1] + "." + "+/" + parts[2][2:], jose.ErrMalformed},
		"bits at the end":        {valid[:len(valid)-1] + string(alphabet[strings.IndexByte(alphabet, valid[len(valid)-1])|1]), jose.ErrMalformed},
		"more than 8 KiB":        {f.sign(t, header, `{"exp":9999999999,"a":"`+strings.Repeat("a", 6200)+`"}`), jose.ErrMalformed},
		"6000 levels":            {f.sign(t, header, strings.Repeat("[", 6000)), jose.ErrMalformed},
	} {
		err := verify(f.set, tt.token, time.Now(), 0)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		for _, secret := range append(parts, "secret-subject") {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error has a part of the token: %v", name, err)
			}
		}
	}
}

func TestATokenOf8KiBIsRead(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	token := ""
	for n := 5900; len(token) < 8<<10; n++ {
		token = f.sign(t, `{"alg":"ES256","kid":"k"}`, `{"exp":9999999999,"a":"`+strings.Repeat("a", n)+`"}`)
	}
	if err := verify(f.set, token, time.Now(), 0); err != nil || len(token) != 8<<10 {
		t.Errorf("%d bytes: %v", len(token), err)
	}
}

func TestATokenIsValidWithinItsTimes(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	now := time.Unix(1_800_000_000, 0)
	const leeway = 30 * time.Second
	at := func(seconds int64) int64 { return now.Unix() + seconds }
	for name, tt := range map[string]struct {
		payload string
		want    error
	}{
		"in time":                     {fmt.Sprintf(`{"exp":%d,"nbf":%d,"iat":%d}`, at(1), at(0), at(-1)), nil},
		"expired within the leeway":   {fmt.Sprintf(`{"exp":%d}`, at(-29)), nil},
		"expired at the leeway":       {fmt.Sprintf(`{"exp":%d}`, at(-30)), jose.ErrExpired},
		"expired":                     {fmt.Sprintf(`{"exp":%d}`, at(-3600)), jose.ErrExpired},
		"expired with a later iat":    {fmt.Sprintf(`{"exp":%d,"iat":%d}`, at(-3600), at(3600)), jose.ErrExpired},
		"no expiry":                   {`{}`, jose.ErrMalformed},
		"an expiry of zero":           {`{"exp":0}`, jose.ErrMalformed},
		"an expiry of a string":       {`{"exp":"9999999999"}`, jose.ErrMalformed},
		"an expiry of null":           {`{"exp":null}`, jose.ErrMalformed},
		"an endless expiry":           {`{"exp":1e300}`, jose.ErrMalformed},
		"a negative expiry":           {`{"exp":-1}`, jose.ErrMalformed},
		"the end of the year 9999":    {`{"exp":253402300799}`, nil},
		"the year 10 000":             {`{"exp":253402300800}`, jose.ErrMalformed},
		"before nbf in the leeway":    {fmt.Sprintf(`{"exp":%d,"nbf":%d}`, at(60), at(30)), nil},
		"before nbf":                  {fmt.Sprintf(`{"exp":%d,"nbf":%d}`, at(60), at(31)), jose.ErrNotYetValid},
		"an nbf of zero":              {fmt.Sprintf(`{"exp":%d,"nbf":0}`, at(60)), nil},
		"an nbf of a string":          {fmt.Sprintf(`{"exp":%d,"nbf":"0"}`, at(60)), jose.ErrMalformed},
		"issued within the leeway":    {fmt.Sprintf(`{"exp":%d,"iat":%d}`, at(60), at(30)), nil},
		"issued in the future":        {fmt.Sprintf(`{"exp":%d,"iat":%d}`, at(60), at(31)), jose.ErrNotYetValid},
		"issued at a list":            {fmt.Sprintf(`{"exp":%d,"iat":[]}`, at(60)), jose.ErrMalformed},
		"an expiry with milliseconds": {fmt.Sprintf(`{"exp":%d.5}`, at(60)), nil},
	} {
		if err := verify(f.set, f.sign(t, `{"alg":"ES256","kid":"k"}`, tt.payload), now, leeway); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

func TestTimesMayBeMissing(t *testing.T) {
	t.Parallel()
	if expires, err := jose.CheckTimes(map[string]any{}, time.Now(), 0); err != nil || !expires.IsZero() {
		t.Errorf("%v, %v, want no end", expires, err)
	}
}

func FuzzParse(f *testing.F) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	set := jose.KeySet{}
	if data, err := json.Marshal(map[string]any{"keys": []jose.Key{{ID: "k", Public: crypto.PublicKey(private.Public())}}}); err == nil {
		set, _ = jose.ParseKeySet(data)
	}
	f.Add(encode(`{"alg":"ES256","kid":"k"}`) + "." + encode(`{"exp":9999999999}`) + "." + encode("signature"))
	f.Add(encode(`{"alg":"none"}`) + "." + encode(`{}`) + ".")
	f.Fuzz(func(t *testing.T, token string) {
		if err := verify(set, token, time.Now(), 0); err == nil {
			t.Errorf("%q is accepted although nobody signed it", token)
		}
	})
}
