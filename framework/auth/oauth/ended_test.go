package oauth

import (
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A login of a client ends in several ways. All of its tokens end with it.
func TestALoginEnds(t *testing.T) {
	t.Parallel()
	// refresh uses the newest refresh token.
	refresh := func(t *testing.T, f *fixture, tokens *grants.Answer) {
		t.Helper()
		*tokens = answerOf(t, f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}}))
	}
	for what, test := range map[string]struct {
		end    func(t *testing.T, f *fixture, tokens *grants.Answer) error
		status int
		code   string
	}{
		"without use for the idle time": {func(*testing.T, *fixture, *grants.Answer) error { time.Sleep(3 * time.Hour); return nil }, 400, "invalid_grant"},
		"after the total time": {func(t *testing.T, f *fixture, tokens *grants.Answer) error {
			t.Helper()
			for range 8 {
				time.Sleep(2 * time.Hour)
				refresh(t, f, tokens)
			}
			time.Sleep(2*time.Hour - time.Second)
			refresh(t, f, tokens)
			time.Sleep(time.Second)
			return nil
		}, 400, "invalid_grant"},
		"with its revocation": {func(t *testing.T, f *fixture, tokens *grants.Answer) error {
			t.Helper()
			access, _ := f.accessToken(tokens.AccessToken)
			return f.base.Store.RevokeGrant(t.Context(), access.grant, time.Now())
		}, 400, "invalid_grant"},
		"with its user": {func(t *testing.T, f *fixture, _ *grants.Answer) error {
			t.Helper()
			return f.disable(t, "u1")
		}, 400, "invalid_grant"},
		// A client that is not known registers again; see unknownClient.
		"with its client": {func(t *testing.T, f *fixture, _ *grants.Answer) error {
			t.Helper()
			return f.base.Store.DeleteClient(t.Context(), "app")
		}, 401, "invalid_client"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, func(c *Config, _ *mcp.Site) { c.IdleTime, c.TotalTime = 3*time.Hour, 18*time.Hour })
			if err := f.base.Store.CreateUser(t.Context(), store.User{ID: "u1", Name: "ana", Created: time.Now()}); err != nil {
				t.Fatal(err)
			}
			tokens := f.login(t)
			refresh(t, f, &tokens)
			if _, err := f.Verifier().Verify(t.Context(), tokens.AccessToken, resource); err != nil {
				t.Errorf("%s: before that, the error is %v", what, err)
			}
			if err := test.end(t, f, &tokens); err != nil {
				t.Fatal(err)
			}
			form := url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}}
			refuses(t, what, f.post(tokenPath, form), test.status, test.code)
			if f.introspects(t, tokens.AccessToken)["active"] != false {
				t.Errorf("%s: the access token is active", what)
			}
			time.Sleep(limits.LiveTime)
			f.refusesToken(t, what, tokens.AccessToken, "")
			code := url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {f.code(t, app, callback)}, "code_verifier": {verifier}}
			if w := f.post(tokenPath, code); (w.Code == 200) != (what != "with its user" && what != "with its client") {
				t.Errorf("%s: the next login is answered with %d %s", what, w.Code, w.Body)
			}
		})
	}
}

// The document at a client's ID takes the place of a static client that is removed. It must
// not get the static client's logins.
func TestADocumentDoesNotInheritTheLoginsOfAStaticClient(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	documents := newDescription()
	f.clients.Documents = documents
	own := store.Client{ID: described, Source: store.Static, RedirectURIs: documents.document.RedirectURIs, Created: time.Now()}
	if err := f.base.Store.CreateClient(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	login := func(client store.Client) grants.Answer {
		return answerOf(t, f.post(tokenPath, url.Values{"grant_type": {grantCode}, "client_id": {described}, "code": {f.code(t, client, "http://localhost/callback")}, "code_verifier": {verifier}}))
	}
	refresh := func(tokens grants.Answer) url.Values {
		return url.Values{"grant_type": {grantRefresh}, "client_id": {described}, "refresh_token": {tokens.RefreshToken}}
	}
	before := login(own)
	if err := f.base.Store.DeleteClient(t.Context(), described); err != nil {
		t.Fatal(err)
	}
	refuses(t, "the login of the static client", f.post(tokenPath, refresh(before)), 400, "invalid_grant")
	f.refusesToken(t, "its access token", before.AccessToken, "was revoked")
	answerOf(t, f.post(tokenPath, refresh(login(store.Client{ID: described, Source: store.Document, RedirectURIs: own.RedirectURIs}))))
}

func TestALoginHasItsTimesByDefault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		form := func(code string) url.Values {
			return url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {code}, "code_verifier": {verifier}}
		}
		first, second := f.code(t, app, callback), f.code(t, app, callback)
		time.Sleep(time.Minute - time.Millisecond)
		access, _ := f.accessToken(answerOf(t, f.post(tokenPath, form(first))).AccessToken)
		time.Sleep(time.Millisecond)
		refuses(t, "a code after a minute", f.post(tokenPath, form(second)), 400, "invalid_grant")
		grant, err := f.base.Store.Grant(t.Context(), access.grant)
		idle, total := grant.Expires.Sub(grant.Created).Round(time.Hour), grant.Until.Sub(grant.Created).Round(time.Hour)
		if err != nil || idle != 30*24*time.Hour || total != 180*24*time.Hour {
			t.Errorf("a login lasts for %v without use and for %v in all, %v", idle, total, err)
		}
	})
}
