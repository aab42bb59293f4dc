package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The commands run beside the program, which uses the same store.
func TestAPersonalTokenOpensAGuardedRouteOfTheRunningProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := serveInBubble(t, withPasswords)
		p.does(t, "user:create", "ana@example.com", "--password-stdin")
		const pattern = `\n\n  (\S+)\n\n`
		text := p.does(t, "token:create", "CI", "--user", "ana@example.com")
		token, id := field(t, text, pattern), field(t, text, `Its ID is (\S+)\.`)
		user, err := p.open(t).UserByName(t.Context(), "ana@example.com")
		if err != nil {
			t.Fatal(err)
		}
		if w, answer := p.call(t, token); w.StatusCode != http.StatusOK || !strings.Contains(answer, user.ID+" with mcp:use") {
			t.Fatalf("the call is answered with %d %s", w.StatusCode, answer)
		}
		weak := field(t, p.does(t, "token:create", "weak", "--user", user.ID, "--scope", "files:write"), pattern)
		if w, answer := p.call(t, weak); w.StatusCode != http.StatusForbidden || !strings.Contains(w.Header.Get("WWW-Authenticate"), `error="insufficient_scope"`) || !strings.Contains(w.Header.Get("WWW-Authenticate"), `scope="mcp:use files:write"`) {
			t.Errorf("a token with other scopes is answered with %d %q %s", w.StatusCode, w.Header.Get("WWW-Authenticate"), answer)
		}
		p.does(t, "token:revoke", id)
		time.Sleep(100 * time.Millisecond)
		if w, answer := p.call(t, token); w.StatusCode != http.StatusUnauthorized || !strings.Contains(w.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
			t.Errorf("a revoked token is answered with %d %q %s", w.StatusCode, w.Header.Get("WWW-Authenticate"), answer)
		}
		if strings.Contains(p.log.String(), token) {
			t.Error("the log has the token")
		}
	})
}

func TestAClientOfACommandGetsATokenUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := serveInBubble(t)
		text := p.does(t, "client:create", "Robot", "--machine", "--resource", p.url+"/mcp/office")
		id, secret := field(t, text, `client_id +(\S+)`), field(t, text, `client_secret +(\S+)`)
		form := "grant_type=client_credentials&client_id=" + id + "&client_secret=" + secret
		post := func(path, form string) (*http.Response, string) {
			t.Helper()
			return do(t, p.client, http.MethodPost, p.url+path, "application/x-www-form-urlencoded", form)
		}
		_, answer := post("/oauth/token", form+"&resource="+url.QueryEscape(p.url+"/mcp/office"))
		token := field(t, answer, `"access_token":"([^"]+)"`)
		if w, answer := p.call(t, token); w.StatusCode != http.StatusOK || !strings.Contains(answer, id+" with mcp:use") {
			t.Fatalf("the call is answered with %d %s", w.StatusCode, answer)
		}
		if _, answer := post("/oauth/introspect", "client_id="+id+"&client_secret="+secret+"&token="+token); !strings.Contains(answer, `"active":true`) {
			t.Errorf("the introspection is %s", answer)
		}
		p.does(t, "client:revoke", id)
		time.Sleep(100 * time.Millisecond)
		if w, _ := p.call(t, token); w.StatusCode != http.StatusUnauthorized || !strings.Contains(w.Header.Get("WWW-Authenticate"), "The access token was revoked") {
			t.Errorf("the token of a removed client is answered with %d %q", w.StatusCode, w.Header.Get("WWW-Authenticate"))
		}
		if w, answer := post("/oauth/token", form); w.StatusCode != http.StatusUnauthorized || !strings.Contains(answer, "invalid_client") {
			t.Errorf("a removed client is answered with %d %s", w.StatusCode, answer)
		}
	})
}
