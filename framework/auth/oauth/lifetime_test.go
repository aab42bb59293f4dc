package oauth

import (
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/keys"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// withTimes sets the times of access tokens.
func withTimes(access, public time.Duration) func(*Config, *mcp.Site) {
	return func(c *Config, _ *mcp.Site) { c.AccessTime, c.PublicAccessTime = access, public }
}

// loginOfWeb returns the tokens of the client with a secret.
func (f *fixture) loginOfWeb(t *testing.T) grants.Answer {
	t.Helper()
	form := url.Values{"grant_type": {grantCode}, "code": {f.code(t, web, webCallback)}, "code_verifier": {verifier}}
	return answerOf(t, f.post(tokenPath, form, basic("web", secret)))
}

// Some public clients never refresh their tokens.
func TestATokenOfAPublicClientHasATimeOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, key := newFixture(t, withTimes(20*time.Minute, 2*time.Hour)), newKey(t, jose.ES256)
		holder := store.Client{ID: "holder", Source: store.Static, RedirectURIs: []string{webCallback}, Keys: keySet(t, key)}
		f.adds(t, holder)
		form := url.Values{"grant_type": {grantCode}, "code": {f.code(t, holder, webCallback)}, "code_verifier": {verifier}, "client_id": {"holder"}}
		public := f.login(t)
		lasting := []struct {
			what string
			got  grants.Answer
			want time.Duration
		}{
			{"a public client", public, 2 * time.Hour},
			{"its refresh", answerOf(t, f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {public.RefreshToken}})), 2 * time.Hour},
			{"a client with a secret", f.loginOfWeb(t), 20 * time.Minute},
			{"a client with a key", answerOf(t, f.post(tokenPath, asserted(form, assertion(t, "holder", key)))), 20 * time.Minute},
			{"a client without a user", answerOf(t, f.post(tokenPath, url.Values{"grant_type": {grantCredentials}, "resource": {resource}}, basic("machine", secret))), 20 * time.Minute},
		}
		began := time.Now()
		for _, after := range []time.Duration{0, 20*time.Minute - time.Second, 20*time.Minute + time.Second, 2*time.Hour - time.Second, 2*time.Hour + time.Second} {
			time.Sleep(after - time.Since(began))
			for _, test := range lasting {
				if test.got.ExpiresIn != int(test.want.Seconds()) {
					t.Errorf("%s: the token expires in %d s, want %v", test.what, test.got.ExpiresIn, test.want)
				}
				if valid := f.introspects(t, test.got.AccessToken)["active"]; valid != (after < test.want) {
					t.Errorf("%s: after %v the token is active: %v", test.what, after, valid)
				}
			}
		}
	})
	if answer := newFixture(t, withTimes(20*time.Minute, 0)).login(t); answer.ExpiresIn != 20*60 {
		t.Errorf("by default, the token of a public client expires in %d s, want that of others", answer.ExpiresIn)
	}
}

func TestAKeyIsPublishedUntilTheLongestOfItsTokensExpires(t *testing.T) {
	t.Parallel()
	const short, long = 10 * time.Minute, 3 * time.Hour
	for what, test := range map[string]struct {
		times func(*Config, *mcp.Site)
		login func(*fixture, *testing.T) grants.Answer
	}{
		"those of public clients": {withTimes(short, long), func(f *fixture, t *testing.T) grants.Answer { t.Helper(); return f.login(t) }},
		"those of others":         {withTimes(long, short), func(f *fixture, t *testing.T) grants.Answer { t.Helper(); return f.loginOfWeb(t) }},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, test.times)
			if _, err := keys.Rotate(f.config.Keys, keys.Algorithm, long); err != nil {
				t.Fatal(err)
			}
			time.Sleep(keys.Lead - time.Second)
			last, err := jose.Parse(test.login(f, t).AccessToken)
			if err != nil {
				t.Fatal(err)
			}
			published := func() bool {
				set, err := jose.ParseKeySet(f.get(t, http.MethodGet, endpoint.KeysPath).Body.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				return set.Has(last.KeyID)
			}
			time.Sleep(long)
			if !published() {
				t.Errorf("%s: the key of the last token is gone before it has expired", what)
			}
			time.Sleep(2 * time.Second)
			if published() {
				t.Errorf("%s: the key is published after its last token has expired", what)
			}
		})
	}
}
