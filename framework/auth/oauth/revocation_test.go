package oauth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// introspects returns the answer of the introspection endpoint to a resource server.
func (f *fixture) introspects(t *testing.T, token string) (answer map[string]any) {
	t.Helper()
	w := f.post(introspectPath, url.Values{"token": {token}}, basic("machine", secret))
	if err := json.Unmarshal(w.Body.Bytes(), &answer); w.Code != http.StatusOK || err != nil {
		t.Fatalf("the answer is %d %s", w.Code, w.Body)
	}
	return answer
}

func TestAClientRevokesItsTokens(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"refresh_token", "access_token"} {
		f := newFixture(t)
		tokens := f.login(t)
		token := map[string]string{"refresh_token": tokens.RefreshToken, "access_token": tokens.AccessToken}[kind]
		form := url.Values{"client_id": {"app"}, "token": {token}, "token_type_hint": {"something_else"}}
		revoke := func(form url.Values, alter ...func(*http.Request)) {
			t.Helper()
			if w := f.post(revokePath, form, alter...); w.Code != http.StatusOK || w.Body.Len() != 0 {
				t.Errorf("the answer is %d %s", w.Code, w.Body)
			}
		}
		revoke(with(form, "token", "unknown"))
		revoke(with(form, "token", token+"x"))
		revoke(with(form, "client_id", ""), basic("web", secret)) // another client
		if f.introspects(t, tokens.AccessToken)["active"] != true {
			t.Fatalf("%s: a revocation by another client counts", kind)
		}
		revoke(form)
		revoke(form)
		if f.introspects(t, tokens.AccessToken)["active"] != false {
			t.Errorf("%s: the access token is active", kind)
		}
		refuses(t, "the refresh token", f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}}), 400, "invalid_grant")
		refuses(t, "no client", f.post(revokePath, url.Values{"token": {token}}), 401, "invalid_client")
		refuses(t, "no token", f.post(revokePath, with(form, "token", "")), 400, "invalid_request")
		refuses(t, "a token in the URL", f.post(revokePath, form, func(r *http.Request) { r.URL.RawQuery = "token=" + token }), 400, "invalid_request")
	}
}

func TestAResourceServerIntrospectsTheTokensForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		tokens := f.login(t)
		got := f.introspects(t, tokens.AccessToken)
		now := float64(time.Now().Unix())
		want := map[string]any{
			"active": true, "token_type": "Bearer", "scope": "mcp:use files:write", "client_id": "app", "sub": "u1", "aud": resource, "iss": issuer,
			"iat": now, "exp": now + 600, "jti": got["jti"],
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the answer is\n%v, want\n%v", got, want)
		}
		inactive := map[string]any{"active": false}
		signed := func(typ, issuer string) string {
			claims := claimsOf(t, tokens.AccessToken)
			claims["iss"] = issuer
			token, err := f.tokens.Keys.Sign(typ, claims)
			if err != nil {
				t.Fatal(err)
			}
			return token
		}
		for what, token := range map[string]string{
			"nothing": "", "text": "x", "a refresh token": tokens.RefreshToken, "a changed token": tokens.AccessToken[:len(tokens.AccessToken)-8] + "AAAAAAAA",
			"another type": signed("JWT", issuer), "another issuer": signed("at+jwt", "https://other.example"),
		} {
			if got := f.introspects(t, token); !reflect.DeepEqual(got, inactive) {
				t.Errorf("%s: the answer is %v", what, got)
			}
		}
		foreign := store.Client{ID: "foreign", Source: store.Static, Secret: hashOf(secret), Resources: []string{other}, Created: time.Now()}
		if err := f.base.Store.CreateClient(t.Context(), foreign); err != nil {
			t.Fatal(err)
		}
		form := url.Values{"token": {tokens.AccessToken}}
		if w := f.post(introspectPath, form, basic("foreign", secret)); w.Body.String() != `{"active":false}` {
			t.Errorf("the server of another resource gets %s", w.Body)
		}
		own := answerOf(t, f.post(tokenPath, url.Values{"grant_type": {grantCode}, "code": {f.code(t, web, webCallback)}, "code_verifier": {verifier}}, basic("web", secret)))
		if w := f.post(introspectPath, url.Values{"token": {own.AccessToken}}, basic("web", secret)); !strings.Contains(w.Body.String(), `"active":true`) {
			t.Errorf("a client gets %s about its own token", w.Body)
		}
		refuses(t, "no credentials", f.post(introspectPath, form), 401, "invalid_client")
		refuses(t, "a public client", f.post(introspectPath, with(form, "client_id", "app")), 401, "invalid_client")
		refuses(t, "a wrong secret", f.post(introspectPath, form, basic("machine", "x")), 401, "invalid_client")
		time.Sleep(10 * time.Minute)
		if got := f.introspects(t, tokens.AccessToken); !reflect.DeepEqual(got, inactive) {
			t.Errorf("an expired token: the answer is %v", got)
		}
		if strings.Contains(f.log.String(), tokens.AccessToken) {
			t.Error("the log has the token")
		}
	})
}
