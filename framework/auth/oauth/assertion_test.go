package oauth

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/documents"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// robot is a machine that signs assertions.
const robot = "robot"

func newKey(t *testing.T, algorithm string) *jose.PrivateKey {
	t.Helper()
	key, err := jose.GenerateKey(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// keySet returns the JSON Web Key Set of keys.
func keySet(t *testing.T, keys ...*jose.PrivateKey) json.RawMessage {
	t.Helper()
	public := []jose.Key{}
	for _, key := range keys {
		public = append(public, key.Public())
	}
	text, err := json.Marshal(map[string]any{"keys": public})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// adds adds a client to the store.
func (f *fixture) adds(t *testing.T, client store.Client) {
	t.Helper()
	client.Created = time.Now()
	if err := f.base.Store.CreateClient(t.Context(), client); err != nil {
		t.Fatal(err)
	}
}

// sign returns a token with claims, of which some are changed. A claim is removed by nil.
func sign(t *testing.T, key *jose.PrivateKey, typ string, claims map[string]any, changes ...any) string {
	t.Helper()
	for i := 0; i < len(changes); i += 2 {
		name, _ := changes[i].(string)
		claims[name] = changes[i+1]
		if changes[i+1] == nil {
			delete(claims, name)
		}
	}
	token, err := key.Sign(typ, claims)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// assertion returns the assertion of a client, with changed claims.
func assertion(t *testing.T, client string, key *jose.PrivateKey, changes ...any) string {
	t.Helper()
	now := time.Now()
	return sign(t, key, "JWT", map[string]any{
		"iss": client, "sub": client, "aud": issuer, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}, changes...)
}

// asserted returns a form with an assertion.
func asserted(form url.Values, assertion string) url.Values {
	return with(form, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion", assertion)
}

func TestAClientAuthenticatesItselfWithAKey(t *testing.T) {
	t.Parallel()
	for _, algorithm := range jose.Algorithms() {
		f, key := newFixture(t), newKey(t, algorithm)
		f.adds(t, store.Client{ID: robot, Source: store.Static, GrantTypes: []string{grantCredentials}, Keys: keySet(t, key), Scopes: []string{"mcp:use"}, Resources: []string{resource}})
		form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
		for what, text := range map[string]string{
			"the issuer":             assertion(t, robot, key),
			"a list":                 assertion(t, robot, key, "aud", []string{issuer}),
			"a slash":                assertion(t, robot, key, "aud", issuer+"/"),
			"the token endpoint":     assertion(t, robot, key, "aud", issuer+tokenPath),
			"no iat":                 assertion(t, robot, key, "iat", nil),
			"a clock that is behind": assertion(t, robot, key, "iat", time.Now().Add(20*time.Second).Unix()),
			"the type of RFC 7523":   sign(t, key, "client-authentication+jwt", claimsOf(t, assertion(t, robot, key))),
			"a media type":           sign(t, key, "application/jwt", claimsOf(t, assertion(t, robot, key))),
			"no type":                sign(t, key, "", claimsOf(t, assertion(t, robot, key))),
		} {
			answer := answerOf(t, f.post(tokenPath, asserted(form, text)))
			if access, ok := f.accessToken(answer.AccessToken); !ok || access.claims["sub"] != robot || answer.RefreshToken != "" {
				t.Errorf("%s, %s: the answer is %+v", algorithm, what, answer)
			}
		}
		token := answerOf(t, f.post(tokenPath, asserted(with(form, "client_id", robot), assertion(t, robot, key)))).AccessToken
		introspected := f.post(introspectPath, asserted(url.Values{"token": {token}}, assertion(t, robot, key)))
		if introspected.Code != http.StatusOK || !strings.Contains(introspected.Body.String(), `"active":true`) {
			t.Errorf("%s: the introspection is %d %s", algorithm, introspected.Code, introspected.Body)
		}
		if w := f.post(revokePath, asserted(url.Values{"token": {token}}, assertion(t, robot, key))); w.Code != http.StatusOK {
			t.Errorf("%s: the revocation is %d %s", algorithm, w.Code, w.Body)
		}
	}
}

// claimsOf returns the claims of a token.
func claimsOf(t *testing.T, token string) (claims map[string]any) {
	t.Helper()
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err == nil {
		err = json.Unmarshal(payload, &claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

func TestAnAssertionThatIsWrongIsRefused(t *testing.T) {
	t.Parallel()
	f, key, foreign := newFixture(t), newKey(t, jose.ES256), newKey(t, jose.ES256)
	f.adds(t, store.Client{ID: robot, Source: store.Static, GrantTypes: []string{grantCredentials}, Keys: keySet(t, key)})
	f.adds(t, store.Client{ID: "other", Source: store.Static, GrantTypes: []string{grantCredentials}, Keys: keySet(t, foreign)})
	stolen := *foreign
	stolen.ID = key.ID
	now := time.Now()
	header := func(text string) string {
		good := strings.Split(assertion(t, robot, key), ".")
		return base64.RawURLEncoding.EncodeToString([]byte(text)) + "." + good[1] + "." + good[2]
	}
	n := 0
	for what, test := range map[string]struct{ assertion, log string }{
		"no JWT":                     {"hello", ""},
		"the algorithm none":         {strings.TrimRight(header(`{"alg":"none","kid":"`+key.ID+`"}`), "."), "algorithm"},
		"HS256":                      {header(`{"alg":"HS256","kid":"` + key.ID + `"}`), "algorithm"},
		"another client's key":       {assertion(t, robot, foreign), "unknown key"},
		"a foreign key, with our ID": {assertion(t, robot, &stolen), "signature"},
		"another audience":           {assertion(t, robot, key, "aud", "https://other.example"), "its audience (aud)"},
		"several audiences":          {assertion(t, robot, key, "aud", []string{issuer, "https://other.example"}), "its audience (aud)"},
		"no audience":                {assertion(t, robot, key, "aud", nil), "its audience (aud)"},
		"the audience of a path":     {assertion(t, robot, key, "aud", issuer+"/oauth"), "its audience (aud)"},
		"another subject":            {assertion(t, robot, key, "sub", "other"), "its subject (sub)"},
		"another issuer":             {assertion(t, robot, key, "iss", "other"), "unknown key"},
		"no issuer":                  {assertion(t, robot, key, "iss", nil), ""},
		"an unknown client":          {assertion(t, "nobody", key), "it is unknown"},
		"a client without keys":      {assertion(t, "machine", key), ""},
		"expired":                    {assertion(t, robot, key, "exp", now.Add(-time.Minute).Unix()), "expired"},
		"no expiry":                  {assertion(t, robot, key, "exp", nil), "exp"},
		"a far expiry":               {assertion(t, robot, key, "exp", now.Add(6*time.Minute).Unix()), "it expires (exp)"},
		"an old one":                 {assertion(t, robot, key, "iat", now.Add(-6*time.Minute).Unix()), "it was issued (iat)"},
		"not valid yet":              {assertion(t, robot, key, "nbf", now.Add(time.Minute).Unix()), "nbf"},
		"no ID":                      {assertion(t, robot, key, "jti", nil), "jti"},
		"an access token's type":     {sign(t, key, "at+jwt", claimsOf(t, assertion(t, robot, key))), "its header"},
	} {
		f.log.Reset()
		form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
		n++
		w := f.post(tokenPath, asserted(form, test.assertion), from(fmt.Sprint("192.0.2.", n)))
		refuses(t, what, w, http.StatusUnauthorized, "invalid_client")
		if want := `{"error":"invalid_client","error_description":"The client is unknown, or its credentials are wrong"}`; w.Body.String() != want+"\n" && w.Body.String() != want {
			t.Errorf("%s: the answer tells more: %s", what, w.Body)
		}
		if log := f.log.String(); !strings.Contains(log, test.log) || strings.Contains(log, test.assertion) || strings.Count(log, "level=INFO") > min(len(test.log), 1) {
			t.Errorf("%s: the log is %q, want %q in it", what, log, test.log)
		}
	}
}

func TestAnAssertionIsUsedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, key := newFixture(t), newKey(t, jose.ES256)
		f.adds(t, store.Client{ID: robot, Source: store.Static, GrantTypes: []string{grantCredentials}, Keys: keySet(t, key)})
		form := asserted(url.Values{"grant_type": {grantCredentials}, "resource": {resource}}, assertion(t, robot, key, "jti", "1"))
		answers := make(chan int, 16)
		for range 16 {
			go func() { answers <- f.post(tokenPath, form).Code }()
		}
		accepted := 0
		for range 16 {
			if <-answers == http.StatusOK {
				accepted++
			}
		}
		if accepted != 1 {
			t.Errorf("%d of 16 requests with one assertion succeed", accepted)
		}
		time.Sleep(5*time.Minute + 20*time.Second) // within the leeway of its expiry
		refuses(t, "the assertion again", f.post(tokenPath, form), http.StatusUnauthorized, "invalid_client")
		answerOf(t, f.post(tokenPath, asserted(form, assertion(t, robot, key))))
		f.adds(t, store.Client{ID: "other", Source: store.Static, GrantTypes: []string{grantCredentials}, Keys: keySet(t, key)})
		answerOf(t, f.post(tokenPath, asserted(form, assertion(t, "other", key, "jti", "1")))) // its IDs are its own
	})
}

func TestManyWrongAssertionsMustWait(t *testing.T) {
	t.Parallel()
	f, key := newFixture(t), newKey(t, jose.ES256)
	f.adds(t, store.Client{ID: robot, Source: store.Static, GrantTypes: []string{grantCredentials}, Keys: keySet(t, key)})
	form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
	for range limits.WrongCredentials + 1 { // of others behind the same address
		f.post(tokenPath, asserted(form, assertion(t, "nobody", key)))
	}
	answerOf(t, f.post(tokenPath, asserted(form, assertion(t, robot, key))))
	for range limits.WrongCredentials {
		f.post(tokenPath, asserted(form, assertion(t, robot, key, "aud", "x")))
	}
	refuses(t, "the next one", f.post(tokenPath, asserted(form, assertion(t, robot, key, "aud", "x"))), http.StatusTooManyRequests, "temporarily_unavailable")
	refuses(t, "a right one", f.post(tokenPath, asserted(form, assertion(t, robot, key))), http.StatusTooManyRequests, "temporarily_unavailable")
	refuses(t, "an unknown client", f.post(tokenPath, asserted(form, assertion(t, "nobody", key))), http.StatusUnauthorized, "invalid_client")
	answerOf(t, f.post(tokenPath, asserted(form, assertion(t, robot, key)), from("198.51.100.1")))
}

// A hosted client sends many requests at the same time, and its keys may take a while to arrive.
func TestManyAssertionsAtOnceAreNoFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, key := newFixture(t), newKey(t, jose.ES256)
		published := &publisher{keys: keySet(t, key), delay: time.Second}
		f.clients.Keys = clients.NewPublishedKeys(&http.Client{Transport: published}, f.base.Logger)
		f.adds(t, store.Client{ID: robot, Source: store.Static, GrantTypes: []string{grantCredentials}, KeysURI: "https://robot.example/jwks"})
		form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
		answers := make(chan int, 3*limits.WrongCredentials)
		for range cap(answers) / 2 {
			go func() { answers <- f.post(tokenPath, asserted(form, assertion(t, robot, key))).Code }()
		}
		for range cap(answers) / 2 {
			if code := <-answers; code != http.StatusOK {
				t.Errorf("an assertion is answered with %d", code)
			}
		}
		published.err = errors.New("the network is down")
		f.clients.Keys = clients.NewPublishedKeys(&http.Client{Transport: published}, f.base.Logger)
		for range limits.WrongCredentials + 1 {
			refuses(t, "an assertion during an outage", f.post(tokenPath, asserted(form, assertion(t, robot, key))), http.StatusServiceUnavailable, "temporarily_unavailable")
		}
	})
}

// An assertion names the client if no parameter does.
func TestTheIssuerOfAnAssertionIsCheckedAsAParameter(t *testing.T) {
	t.Parallel()
	f, key := newFixture(t), newKey(t, jose.ES256)
	form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
	for _, issuer := range []string{"a\x00b", strings.Repeat("a", limits.MaxClientID+1)} {
		refuses(t, "the issuer", f.post(tokenPath, asserted(form, assertion(t, issuer, key))), http.StatusBadRequest, "invalid_request")
	}
}

func TestAClientUsesOneMethodWhichIsItsOwn(t *testing.T) {
	t.Parallel()
	f, key := newFixture(t), newKey(t, jose.ES256)
	f.adds(t, store.Client{ID: robot, Source: store.Static, GrantTypes: []string{grantCredentials}, Keys: keySet(t, key), Secret: hashOf(secret), AuthMethods: []string{methodBasic}})
	form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
	both := asserted(form, assertion(t, robot, key))
	refuses(t, "a header too", f.post(tokenPath, both, basic(robot, secret)), http.StatusBadRequest, "invalid_request")
	refuses(t, "a secret too", f.post(tokenPath, with(both, "client_secret", secret)), http.StatusBadRequest, "invalid_request")
	refuses(t, "another type", f.post(tokenPath, with(both, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer")), http.StatusBadRequest, "invalid_request")
	refuses(t, "no type", f.post(tokenPath, with(both, "client_assertion_type", "")), http.StatusBadRequest, "invalid_request")
	refuses(t, "another client", f.post(tokenPath, with(both, "client_id", "app")), http.StatusUnauthorized, "invalid_client")
	f.adds(t, store.Client{ID: "keyed", Source: store.Static, GrantTypes: []string{grantCredentials}, Keys: keySet(t, key)})
	refuses(t, "no assertion", f.post(tokenPath, with(form, "client_id", "keyed")), http.StatusUnauthorized, "invalid_client")
	refuses(t, "a malformed assertion", f.post(tokenPath, with(asserted(form, "hello"), "client_id", "keyed")), http.StatusUnauthorized, "invalid_client")
	forged := assertion(t, robot, key, "sub", "keyed")
	refuses(t, "another issuer than the client", f.post(tokenPath, with(asserted(form, forged), "client_id", "keyed")), http.StatusUnauthorized, "invalid_client")
	refuses(t, "a method that is not the client's", f.post(tokenPath, both), http.StatusUnauthorized, "invalid_client")
	answerOf(t, f.post(tokenPath, form, basic(robot, secret)))
}

// A publisher serves the keys of a client at any URL.
type publisher struct {
	keys  json.RawMessage
	delay time.Duration
	err   error
	asked []string
}

func (p *publisher) RoundTrip(r *http.Request) (*http.Response, error) {
	p.asked = append(p.asked, r.URL.String())
	time.Sleep(p.delay)
	if p.err != nil {
		return nil, p.err
	}
	w := httptest.NewRecorder()
	w.Header().Set("Cache-Control", "max-age=3600")
	_, _ = w.Write(p.keys)
	return w.Result(), nil
}

// publishes lets a client publish keys at its jwks_uri.
func (f *fixture) publishes(keys json.RawMessage) *publisher {
	p := &publisher{keys: keys}
	f.clients.Keys = clients.NewPublishedKeys(&http.Client{Transport: p}, f.base.Logger)
	return p
}

const keysURL = "https://client.example/oauth/jwks.json"

func TestTheKeysOfAClientMayRotate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, old, next, foreign := newFixture(t), newKey(t, jose.RS256), newKey(t, jose.RS256), newKey(t, jose.ES256)
		p := f.publishes(keySet(t, old))
		f.adds(t, store.Client{ID: robot, Source: store.Static, GrantTypes: []string{grantCredentials}, KeysURI: keysURL})
		form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
		send := func(key *jose.PrivateKey) int {
			return f.post(tokenPath, asserted(form, assertion(t, robot, key))).Code
		}
		for range 2 {
			if code := send(old); code != http.StatusOK || len(p.asked) != 1 {
				t.Fatalf("the answer is %d after %d fetches", code, len(p.asked))
			}
		}
		p.keys, p.delay = keySet(t, next, old), time.Second
		for _, key := range []*jose.PrivateKey{next, old} {
			if code := send(key); code != http.StatusOK || len(p.asked) != 2 {
				t.Errorf("after the rotation the answer is %d after %d fetches", code, len(p.asked))
			}
		}
		for range 5 {
			if code := send(foreign); code != http.StatusUnauthorized || len(p.asked) != 2 {
				t.Errorf("an unknown key gets %d after %d fetches", code, len(p.asked))
			}
		}
		time.Sleep(time.Minute)
		if code := send(foreign); code != http.StatusUnauthorized || len(p.asked) != 3 {
			t.Errorf("a minute later an unknown key gets %d after %d fetches", code, len(p.asked))
		}
	})
}

func TestKeysThatCannotBeFetchedAreNoReasonToRegisterAgain(t *testing.T) {
	t.Parallel()
	f, key := newFixture(t), newKey(t, jose.ES256)
	f.adds(t, store.Client{ID: robot, Source: store.Static, GrantTypes: []string{grantCredentials}, KeysURI: "https://169.254.169.254/keys"})
	form := asserted(url.Values{"grant_type": {grantCredentials}, "resource": {resource}}, assertion(t, robot, key))
	w := f.post(tokenPath, form)
	refuses(t, "keys at an internal address", w, http.StatusServiceUnavailable, "temporarily_unavailable")
	if strings.Contains(w.Body.String(), "169.254") || !strings.Contains(f.log.String(), "https://169.254.169.254/keys") {
		t.Errorf("the answer is %s, the log %s", w.Body, f.log)
	}
	f = newFixture(t)
	f.publishes(keySet(t, key)).err = errors.New("dial tcp 10.0.0.1:443: connection refused")
	f.adds(t, store.Client{ID: robot, Source: store.Static, GrantTypes: []string{grantCredentials}, KeysURI: keysURL})
	w = f.post(tokenPath, form)
	refuses(t, "keys of a host that is down", w, http.StatusServiceUnavailable, "temporarily_unavailable")
	if strings.Contains(w.Body.String(), "10.0.0.1") || !strings.Contains(f.log.String(), "connection refused") {
		t.Errorf("the answer is %s, the log %s", w.Body, f.log)
	}
	if log := f.log.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") { // anybody can register such a client
		t.Errorf("the log is %s", log)
	}
}

// ChatGPT prefers its key, and may come without one.
func TestADescribedClientUsesAnyOfItsMethods(t *testing.T) {
	t.Parallel()
	f, key := newFixture(t), newKey(t, jose.RS256)
	p := f.publishes(keySet(t, key))
	chat := newDescription()
	chat.document.KeysURI, chat.document.RedirectURIs = keysURL, []string{webCallback}
	f.clients.Documents = chat
	client, err := f.clients.Client(httptest.NewRequest(http.MethodGet, issuer, nil), described)
	if err != nil {
		t.Fatal(err)
	}
	form := func() url.Values {
		return url.Values{"grant_type": {grantCode}, "client_id": {described}, "code": {f.code(t, client, webCallback)}, "code_verifier": {verifier}}
	}
	answerOf(t, f.post(tokenPath, form()))
	answerOf(t, f.post(tokenPath, asserted(form(), assertion(t, described, key))))
	if fmt.Sprint(p.asked) != "["+keysURL+"]" {
		t.Errorf("the fetches are %v", p.asked)
	}
	refuses(t, "a method that is not its own", f.post(tokenPath, with(form(), "client_secret", "x")), http.StatusUnauthorized, "invalid_client")
	chat.document.AuthMethods = nil // the singular counts
	refuses(t, "no key", f.post(tokenPath, form()), http.StatusUnauthorized, "invalid_client")
	answerOf(t, f.post(tokenPath, asserted(form(), assertion(t, described, key))))
	chat.document.KeysURI, chat.document.Keys = "", keySet(t, key)
	answerOf(t, f.post(tokenPath, asserted(form(), assertion(t, described, key))))
	chat.document.GrantTypes = append(chat.document.GrantTypes, grantCredentials)
	own := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
	refuses(t, "a grant that no document gives", f.post(tokenPath, asserted(own, assertion(t, described, key))), http.StatusBadRequest, "unauthorized_client")
	chat.document.AuthMethods, chat.document.Keys, chat.document.KeysURI = []string{methodNone}, nil, keysURL
	p = f.publishes(keySet(t, key))
	refuses(t, "a key of a client with none", f.post(tokenPath, asserted(form(), assertion(t, described, key))), http.StatusUnauthorized, "invalid_client")
	if len(p.asked) != 0 {
		t.Errorf("keys that are not used are fetched from %v", p.asked)
	}
}

func TestADocumentWithoutUsableKeysHasNoMethodForThem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for what, alter := range map[string]func(*documents.Document){
		"either jwks or jwks_uri": func(d *documents.Document) { d.Keys, d.KeysURI = keySet(t, newKey(t, jose.ES256)), keysURL },
		"an https URL":            func(d *documents.Document) { d.KeysURI = "http://client.example/keys" },
		"publish public keys":     func(d *documents.Document) { d.Keys = json.RawMessage(`{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`) },
		"have no key":             func(d *documents.Document) { d.Keys = json.RawMessage(`{"keys":[]}`) },
	} {
		one := newDescription()
		alter(&one.document)
		f.clients.Documents = one
		if client, err := f.clients.Client(httptest.NewRequest(http.MethodGet, issuer, nil), described); err != nil || fmt.Sprint(client.AuthMethods) != "[none]" {
			t.Errorf("%s: the methods are %v, %v", what, client.AuthMethods, err)
		}
		f.log.Reset()
		one.document.AuthMethods = nil
		if client, err := f.clients.Client(httptest.NewRequest(http.MethodGet, issuer, nil), described); err == nil || !strings.Contains(f.log.String(), what) {
			t.Errorf("%s: the methods are %v; the log is %s", what, client.AuthMethods, f.log)
		}
	}
}
