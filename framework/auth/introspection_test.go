package auth_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// introspecting returns the configuration that fits the issuer.
func (i issuer) introspecting() auth.IntrospectionConfig {
	return auth.IntrospectionConfig{Issuer: i.config(), ClientID: authtest.DefaultClient, ClientSecret: authtest.DefaultSecret}
}

func (i issuer) introspection() auth.Verifier {
	return checked(i.t, auth.Introspection(i.introspecting()))
}

// calls checks how many introspection requests the issuer got.
func (i issuer) calls(t *testing.T, want int) {
	t.Helper()
	if calls := i.Fetches(authtest.IntrospectionEndpoint); calls != want {
		t.Errorf("%d introspection requests, want %d", calls, want)
	}
}

func TestTheIssuerIsAskedAboutATokenOnceInThirtySeconds(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		verifier := issuer.introspection()
		token := issuer.token(authtest.Scopes("files:read"))
		principal := accepts(t, verifier, token)
		if principal.ID != issuer.URL()+" "+authtest.DefaultSubject || principal.Client != authtest.DefaultClient || !slices.Equal(principal.Scopes, []string{"files:read"}) || principal.Claims["username"] != authtest.DefaultSubject {
			t.Errorf("the principal is %+v", principal)
		}
		for range 29 {
			time.Sleep(time.Second)
			accepts(t, verifier, token)
		}
		issuer.calls(t, 1)
		time.Sleep(time.Second)
		accepts(t, verifier, token)
		issuer.calls(t, 2)
	})
}

func TestARevokedTokenIsRefusedWhenTheAnswerIsTooOld(t *testing.T) {
	inBubble(t, authtest.Okta, func(t *testing.T, issuer issuer) {
		config := issuer.introspecting()
		config.CacheTime = 10 * time.Second
		verifier := checked(t, auth.Introspection(config))
		token := issuer.token()
		accepts(t, verifier, token)
		issuer.Revoke(token)
		time.Sleep(9 * time.Second)
		accepts(t, verifier, token)
		time.Sleep(time.Second)
		refuses(t, verifier, token, "has expired or was revoked")
	})
}

func TestARefusedTokenIsRememberedForAMoment(t *testing.T) {
	inBubble(t, authtest.Okta, func(t *testing.T, issuer issuer) {
		verifier := issuer.introspection()
		for range 5 {
			refuses(t, verifier, "opaque", "has expired or was revoked")
			time.Sleep(time.Second)
		}
		issuer.calls(t, 1)
		refuses(t, verifier, "opaque", "has expired or was revoked")
		issuer.calls(t, 2)
	})
}

func TestAnAnswerIsUsedUntilTheTokenExpires(t *testing.T) {
	inBubble(t, authtest.Okta, func(t *testing.T, issuer issuer) {
		issuer.SetLifetime(10 * time.Second)
		config := issuer.introspecting()
		config.Issuer.Leeway = time.Second
		verifier := checked(t, auth.Introspection(config))
		token := issuer.token()
		accepts(t, verifier, token)
		time.Sleep(11 * time.Second)
		refuses(t, verifier, token, "has expired")
	})
}

func TestAnAnswerIsCheckedLikeAToken(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Keycloak)
	verifier := issuer.introspection()
	now := time.Now().Unix()
	base := fmt.Sprintf(`"active":true,"iss":%q,"sub":"alice","aud":%q,"client_id":"c"`, issuer.URL(), resource)
	for name, tt := range map[string]struct{ answer, reason string }{
		"right":                {`{` + base + `}`, ""},
		"not active":           {`{"active":false}`, "has expired or was revoked"},
		"another issuer":       {fmt.Sprintf(`{"active":true,"iss":"https://evil.test","sub":"alice","aud":%q}`, resource), "another issuer"},
		"the issuer of a list": {fmt.Sprintf(`{"active":true,"iss":[%q],"sub":"alice","aud":%q}`, issuer.URL(), resource), "another issuer"},
		"no issuer":            {fmt.Sprintf(`{"active":true,"sub":"alice","aud":%q}`, resource), ""},
		"another audience":     {`{"active":true,"sub":"alice","aud":"other"}`, "not meant for this resource"},
		"no audience":          {`{"active":true,"sub":"alice"}`, "not meant for this resource"},
		"no subject":           {fmt.Sprintf(`{"active":true,"aud":%q}`, resource), "no subject"},
		"expired":              {fmt.Sprintf(`{%s,"exp":%d}`, base, now-31), "has expired"},
		"within the leeway":    {fmt.Sprintf(`{%s,"exp":%d}`, base, now-1), ""},
		"not yet valid":        {fmt.Sprintf(`{%s,"nbf":%d}`, base, now+60), "not valid yet"},
		"a refresh token":      {`{` + base + `,"token_type":"refresh_token"}`, "not an access token"},
		"a DPoP token":         {`{` + base + `,"token_type":"DPoP"}`, "not an access token"},
		"a bearer token":       {`{` + base + `,"token_type":"bearer"}`, ""},
		"Keycloak's refresh":   {`{` + base + `,"typ":"Refresh"}`, "not an access token"},
		"Hydra's refresh":      {`{` + base + `,"token_use":"refresh_token"}`, "not an access token"},
		"Hydra's access":       {`{` + base + `,"token_use":"access_token"}`, ""},
	} {
		issuer.Replace(authtest.IntrospectionEndpoint, answering(http.StatusOK, tt.answer))
		token := "opaque-" + strings.ReplaceAll(name, " ", "-")
		if tt.reason == "" {
			if principal := accepts(t, verifier, token); principal.Subject != "alice" || principal.Issuer != issuer.URL() {
				t.Errorf("%s: the principal is %+v", name, principal)
			}
			continue
		}
		refuses(t, verifier, token, tt.reason)
	}
}

func TestTheAudienceMayBeOptional(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Keycloak)
	config := issuer.introspecting()
	config.AudienceOptional = true
	verifier := checked(t, auth.Introspection(config))
	issuer.Replace(authtest.IntrospectionEndpoint, answering(http.StatusOK, `{"active":true,"sub":"alice"}`))
	if principal := accepts(t, verifier, "a"); !principal.Expires.IsZero() {
		t.Errorf("the token ends at %v", principal.Expires)
	}
	issuer.Replace(authtest.IntrospectionEndpoint, answering(http.StatusOK, `{"active":true,"sub":"alice","aud":"other"}`))
	refuses(t, verifier, "b", "not meant for this resource")
}

func TestRequestsWithOneTokenCauseOneCall(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		config := issuer.introspecting()
		config.Issuer.Client.Transport = inMemory{after(time.Second, issuer.Handler())}
		verifier := checked(t, auth.Introspection(config))
		accepts(t, verifier, issuer.token()) // finds the endpoint
		token := issuer.token()
		var group sync.WaitGroup
		for range 1000 {
			group.Go(func() {
				if _, err := verifier.Verify(t.Context(), token, resource); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		issuer.calls(t, 2)
		issuer.fetches(t, 1, 0)
	})
}

func TestManyTokensCauseABoundedNumberOfCallsAtOnce(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		config := issuer.introspecting()
		config.Endpoint = issuer.EndpointURL(authtest.IntrospectionEndpoint)
		issuer.Replace(authtest.IntrospectionEndpoint, after(time.Second, answering(http.StatusOK, `{"active":false}`)))
		verifier := checked(t, auth.Introspection(config))
		var group sync.WaitGroup
		var mu sync.Mutex
		busy := 0
		for n := range 1000 {
			group.Go(func() {
				_, err := verifier.Verify(t.Context(), fmt.Sprint("opaque-", n), resource)
				if refused, ok := errors.AsType[*exchange.Error](err); ok && refused.Status == http.StatusServiceUnavailable {
					mu.Lock()
					defer mu.Unlock()
					busy++
				}
			})
		}
		group.Wait()
		issuer.calls(t, 48)
		issuer.fetches(t, 0, 0) // Endpoint needs no metadata
		if busy != 1000-48 {
			t.Errorf("%d requests were refused with 503, want %d", busy, 1000-48)
		}
	})
}

// Anybody can make up tokens, each of which causes a call.
func TestMadeUpTokensDoNotKeepValidOnesFromBeingVerified(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		config := issuer.introspecting()
		config.Endpoint = issuer.EndpointURL(authtest.IntrospectionEndpoint)
		verifier := checked(t, auth.Introspection(config))
		valid := issuer.token()
		accepts(t, verifier, valid)
		time.Sleep(31 * time.Second) // the answer is no longer used
		release := make(chan struct{})
		issuer.Replace(authtest.IntrospectionEndpoint, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-release
			answering(http.StatusOK, `{"active":false}`).ServeHTTP(w, r)
		}))
		var group sync.WaitGroup
		for n := range 1000 {
			group.Go(func() { _, _ = verifier.Verify(t.Context(), fmt.Sprint("opaque-", n), resource) })
		}
		synctest.Wait()
		issuer.Replace(authtest.IntrospectionEndpoint, nil)
		accepts(t, verifier, valid)
		close(release)
		group.Wait()
	})
}

func TestATokenOfAnotherIssuerIsNeverSent(t *testing.T) {
	t.Parallel()
	issuer, other := newIssuer(t, authtest.Keycloak), newIssuerAt(t, "https://other.test", authtest.Keycloak)
	verifier := issuer.introspection()
	foreign := other.token()
	refuses(t, verifier, foreign, "another issuer")
	refuses(t, verifier, other.token(authtest.Claim("iss", issuer.URL()+"/")), "another issuer")
	refuses(t, verifier, foreign+"=", "malformed")
	refuses(t, verifier, strings.Repeat("a", 8193), "malformed")
	issuer.calls(t, 0)
	issuer.fetches(t, 0, 0)
}

func TestATokenThatDoesNotNameItsIssuerIsSent(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Keycloak)
	accepts(t, issuer.introspection(), issuer.token(authtest.Claim("iss", nil)))
}

func TestAnIssuerThatIsDownIsNotAskedAboutOtherTokens(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		verifier := issuer.introspection()
		known := issuer.token()
		accepts(t, verifier, known)
		issuer.Replace(authtest.IntrospectionEndpoint, answering(http.StatusServiceUnavailable, ""))
		for range 100 {
			unavailable(t, verifier, issuer.token())
		}
		issuer.calls(t, 2)
		accepts(t, verifier, known)
	})
}

func TestTheClientIDAndSecretAreEncodedAsAForm(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, authtest.Keycloak)
	config := issuer.introspecting()
	config.ClientID, config.ClientSecret = "a:b c", "p+%:ü/="
	issuer.Replace(authtest.IntrospectionEndpoint, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, secret, ok := r.BasicAuth()
		if want, got := []string{url.QueryEscape("a:b c"), url.QueryEscape("p+%:ü/=")}, []string{id, secret}; !ok || !slices.Equal(got, want) {
			t.Errorf("the credentials are %q, want %q", got, want)
		}
		if r.Method != http.MethodPost || r.PostFormValue("token") != "to+ken/=" || r.PostFormValue("token_type_hint") != "access_token" || r.URL.RawQuery != "" {
			t.Errorf("the request is %s %s %v", r.Method, r.URL, r.PostForm)
		}
		answering(http.StatusOK, `{"active":false}`).ServeHTTP(w, r)
	}))
	refuses(t, checked(t, auth.Introspection(config)), "to+ken/=", "has expired or was revoked")
}

func TestAnEndpointThatFailsIsNamedWithTheCause(t *testing.T) {
	long := `{"active":true,"a":"` + strings.Repeat("a", 10<<20) + `"}`
	for name, tt := range map[string]struct {
		handler http.Handler
		cause   string
	}{
		"that hangs":                {after(time.Hour, answering(200, "")), "deadline exceeded"},
		"that redirects":            {http.RedirectHandler("https://elsewhere.test", http.StatusTemporaryRedirect), "redirects are not followed"},
		"that answers 10 MiB":       {answering(200, long), "longer than 524288 bytes"},
		"that refuses the client":   {answering(401, ""), "check ClientID and ClientSecret"},
		"that is missing":           {answering(404, ""), "status 404"},
		"that is broken":            {answering(500, ""), "status 500"},
		"that answers HTML":         {answering(200, "<html>"), "is not JSON"},
		"that answers JSON":         {answering(200, `{}`), `has no \"active\"`},
		"that answers with a text":  {answering(200, `{"active":"true"}`), `has no \"active\"`},
		"that answers with a token": {answering(200, `"eyJ.a.b"`), "is not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
				issuer.Replace(authtest.IntrospectionEndpoint, tt.handler)
				verifier := issuer.introspection()
				start := time.Now()
				token := issuer.token()
				unavailable(t, verifier, token)
				if waited := time.Since(start); waited > 5*time.Second {
					t.Errorf("the request waited %v", waited)
				}
				synctest.Wait()
				unavailable(t, verifier, token)
				issuer.calls(t, 1)
				if issuer.log.lines(tt.cause) != 1 || issuer.log.lines(issuer.URL()) != 1 {
					t.Errorf("the log lacks %q: %s", tt.cause, issuer.log)
				}
				if strings.Contains(issuer.log.String(), authtest.DefaultSecret) {
					t.Errorf("the log has the secret: %s", issuer.log)
				}
				issuer.Replace(authtest.IntrospectionEndpoint, nil)
				time.Sleep(time.Second)
				accepts(t, verifier, token)
			})
		})
	}
}

// Otherwise, one client could keep the tokens of all others from being verified.
func TestATokenThatTheIssuerCannotAnswerDoesNotStopOthers(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		config := issuer.introspecting()
		config.Issuer.Client.Transport = inMemory{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.FormValue("token") == "evil" {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			issuer.Handler().ServeHTTP(w, r)
		})}
		verifier := checked(t, auth.Introspection(config))
		for range 1000 {
			unavailable(t, verifier, "evil")
			accepts(t, verifier, issuer.token())
			time.Sleep(time.Second)
		}
		if lines := issuer.log.lines("level=ERROR"); lines > 17 {
			t.Errorf("%d lines in 17 minutes", lines)
		}
	})
}

// oidc-provider introspects opaque tokens only. The client needs a token of another kind, so
// trying again later doesn't help it.
func TestATokenThatTheIssuerDoesNotIntrospectIsRefused(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		issuer.Replace(authtest.IntrospectionEndpoint, answering(http.StatusBadRequest, `{"error":"unsupported_token_type"}`))
		verifier, token := issuer.introspection(), issuer.token()
		refuses(t, verifier, token, "does not introspect")
		refuses(t, verifier, token, "does not introspect")
		issuer.calls(t, 1)
		refuses(t, auth.Any(verifier, issuer.jwt()), issuer.token(authtest.Claim("exp", 1)), "has expired")
		accepts(t, auth.Any(verifier, issuer.jwt()), token)
		if lines := issuer.log.lines("level=ERROR"); lines != 0 {
			t.Errorf("the issuer is reported as failing: %s", issuer.log)
		}
	})
}

func TestMistakesInAnIntrospectionAreReportedWhenTheProgramStarts(t *testing.T) {
	t.Parallel()
	right := auth.IntrospectionConfig{Issuer: auth.Issuer{URL: "https://login.example.com"}, ClientID: "id", ClientSecret: "secret"}
	for name, tt := range map[string]struct {
		change func(*auth.IntrospectionConfig)
		want   string
	}{
		"no issuer":             {func(c *auth.IntrospectionConfig) { c.Issuer.URL = "" }, "Issuer.URL"},
		"keys":                  {func(c *auth.IntrospectionConfig) { c.Issuer.JWKS = "https://login.example.com/keys" }, "Issuer.JWKS has no effect"},
		"no client":             {func(c *auth.IntrospectionConfig) { c.ClientID = "" }, "ClientID"},
		"no secret":             {func(c *auth.IntrospectionConfig) { c.ClientSecret = "" }, "ClientSecret"},
		"an http endpoint":      {func(c *auth.IntrospectionConfig) { c.Endpoint = "http://login.example.com/introspect" }, "Endpoint"},
		"an endpoint of a path": {func(c *auth.IntrospectionConfig) { c.Endpoint = "/introspect" }, "Endpoint"},
		"a loopback endpoint":   {func(c *auth.IntrospectionConfig) { c.Endpoint = "https://localhost/introspect" }, "Endpoint"},
		"a negative time":       {func(c *auth.IntrospectionConfig) { c.CacheTime = -1 }, "CacheTime"},
	} {
		config := right
		tt.change(&config)
		verifier := auth.Introspection(config)
		if _, err := verifier.Issuers(); err == nil || !strings.Contains(err.Error(), "auth.Introspection: "+tt.want) && !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), `"secret"`) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if _, err := verifier.Verify(t.Context(), "token", resource); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: a token gets %v, want the mistake %q", name, err, tt.want)
		}
	}
}
