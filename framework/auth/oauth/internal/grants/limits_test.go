package grants_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// Without a refresh token nothing renews a grant.
func TestAGrantThatCannotBeRenewedEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for what, lasts := range map[string]struct {
			time time.Duration
			make func(engine *grants.Engine) error
		}{
			"with its code": {time.Minute, func(engine *grants.Engine) error {
				_, err := engine.Authorize(t.Context(), authorization())
				return err
			}},
			"with the token of the client itself": {10 * time.Minute, func(engine *grants.Engine) error {
				_, err := engine.Issue(t.Context(), grants.Credentials, grants.Authorization{Client: machine, Scopes: []string{"mcp:use"}, Resources: []string{resource}})
				return err
			}},
			"with the token of an assertion": {10 * time.Minute, func(engine *grants.Engine) error {
				_, err := engine.Issue(t.Context(), grants.Assertion, authorization())
				return err
			}},
		} {
			s := newStore(t)
			if err := lasts.make(newEngine(s)); err != nil {
				t.Fatal(err)
			}
			for _, ends := range []int{0, 1} {
				if n, err := s.Purge(t.Context(), time.Now().Add(lasts.time).Add(time.Duration(ends)*time.Millisecond)); n != ends || err != nil {
					t.Errorf("%s: %d grants end, %v; want %d", what, n, err, ends)
				}
			}
		}
	})
}

func TestOnlyAClientWithCredentialsActsForItself(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	for what, client := range map[string]store.Client{
		"a secret": machine, "keys": {ID: "keys", Keys: []byte(`{"keys":[]}`)}, "the URL of keys": {ID: "url", KeysURI: "https://client.example/keys"},
	} {
		if _, err := engine.Issue(t.Context(), grants.Credentials, grants.Authorization{Client: client, Scopes: []string{"mcp:use"}, Resources: []string{resource}}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := engine.Issue(t.Context(), grants.Credentials, grants.Authorization{Client: publicClient, Scopes: []string{"mcp:use"}, Resources: []string{resource}}); err == nil {
		t.Error("a public client acts for itself")
	}
}

// The server has checked the URI before, so this is an error of its own.
func TestACodeIsOnlyForARegisteredRedirectURI(t *testing.T) {
	t.Parallel()
	wrong := authorization()
	wrong.RedirectURI = "https://evil.test/cb"
	if code, err := newEngine(newStore(t)).Authorize(t.Context(), wrong); err == nil {
		t.Errorf("the code is %s", code)
	}
}

func TestATokenOfARevokedGrantHasNoAnswerAnyMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := newEngine(newStore(t))
		first := mustRedeem(t, engine)
		second, err := refresh(engine, first.RefreshToken)
		if err != nil {
			t.Fatal(err)
		}
		if err := engine.Revoke(t.Context(), publicClient, second.RefreshToken); err != nil {
			t.Fatal(err)
		}
		_, err = refresh(engine, first.RefreshToken)
		refused(t, "a used token within its grace", err, "invalid_grant")
	})
}
