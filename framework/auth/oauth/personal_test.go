package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// personalToken makes a personal access token of u1 that is valid for an hour.
func (f *fixture) personalToken(t *testing.T) (text string, token store.Token) {
	t.Helper()
	now := time.UnixMilli(time.Now().UnixMilli())
	text = tokens.NewPersonal()
	token = store.Token{ID: "t1", UserID: "u1", UserName: "ana", Name: "CI", Hash: store.HashOf(text), Scopes: []string{"mcp:use"}, Created: now, Expires: now.Add(time.Hour)}
	if err := f.base.Store.CreateToken(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	return text, token
}

// refusesToken fails the test unless a token is refused with a reason.
func (f *fixture) refusesToken(t *testing.T, what, token, reason string) {
	t.Helper()
	principal, err := f.Verifier().Verify(t.Context(), token, resource)
	refused, ok := errors.AsType[*auth.TokenError](err)
	if !ok || !strings.Contains(refused.Reason, reason) || strings.Contains(refused.Error(), token) {
		t.Errorf("%s: the principal is %+v, the error %v, want %q", what, principal, err, reason)
	}
}

func TestAPersonalTokenStandsForItsUser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		text, token := f.personalToken(t)
		want := exchange.Principal{
			ID: PrincipalID("u1"), Subject: "u1", Issuer: issuer, Scopes: []string{"mcp:use"}, Expires: token.Expires,
			Claims: map[string]any{"iss": issuer, "sub": "u1", "name": "ana", "scope": "mcp:use", "jti": "t1", "iat": float64(token.Created.Unix()), "exp": float64(token.Expires.Unix())},
		}
		for _, guarded := range []string{resource, other} {
			if got, err := f.Verifier().Verify(t.Context(), text, guarded); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the principal is\n%+v, %v, want\n%+v", guarded, got, err, want)
			}
		}
		// A login of the same user makes the same principal, with claims of the same types.
		access, err := f.Verifier().Verify(t.Context(), f.login(t).AccessToken, resource)
		if err != nil || access.ID != want.ID || access.Subject != want.Subject || access.Issuer != want.Issuer {
			t.Errorf("the principal of an access token is %+v, %v", access, err)
		}
		for name, value := range want.Claims {
			if reflect.TypeOf(access.Claims[name]) != reflect.TypeOf(value) {
				t.Errorf("the claim %s is %T, but %T in an access token", name, value, access.Claims[name])
			}
		}
	})
}

func TestAPersonalTokenEnds(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		end    func(t *testing.T, f *fixture) error
		within time.Duration
		reason string
	}{
		"when it expires": {end: func(*testing.T, *fixture) error { time.Sleep(time.Hour - time.Second); return nil }, within: time.Second, reason: "has expired"},
		"after it was revoked": {end: func(t *testing.T, f *fixture) error {
			t.Helper()
			return f.base.Store.DeleteToken(t.Context(), "t1")
		}, within: limits.LiveTime, reason: "is not known, or was revoked"},
		"after its user was disabled": {end: func(t *testing.T, f *fixture) error {
			t.Helper()
			return f.disable(t, "u1")
		}, within: limits.LiveTime, reason: "was revoked"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			if err := f.base.Store.CreateUser(t.Context(), store.User{ID: "u1", Name: "ana", Created: time.Now()}); err != nil {
				t.Fatal(err)
			}
			text, _ := f.personalToken(t)
			use := func() {
				t.Helper()
				if _, err := f.Verifier().Verify(t.Context(), text, resource); err != nil {
					t.Errorf("%s: before that, the error is %v", what, err)
				}
			}
			use()
			if err := test.end(t, f); err != nil {
				t.Fatal(err)
			}
			if what == "when it expires" {
				use()
			}
			time.Sleep(test.within)
			f.refusesToken(t, what, text, test.reason)
		})
	}
}

func TestATokenEndsWhenAnotherLoginRefusesItsUser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		login := &elsewhere{refused: map[string]bool{}}
		f := login.fixture(t)
		personal, _ := f.personalToken(t)
		for what, token := range map[string]string{"a personal token": personal, "an access token": f.login(t).AccessToken} {
			login.refused["u1"] = false
			time.Sleep(limits.UpstreamUserTime)
			if _, err := f.Verifier().Verify(t.Context(), token, resource); err != nil {
				t.Errorf("%s of a user who is not refused: %v", what, err)
			}
			login.refused["u1"] = true
			time.Sleep(limits.UpstreamUserTime)
			f.refusesToken(t, what, token, "was revoked")
		}
	})
}

func TestAWrongPersonalTokenIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	text, token := f.personalToken(t)
	for what, wrong := range map[string]string{
		"another": tokens.NewPersonal(), "the prefix": personalPrefix, "a longer one": text + "x", "its ID": personalPrefix + token.ID, "capital letters": personalPrefix + strings.ToUpper(text[len(personalPrefix):]),
	} {
		f.refusesToken(t, what, wrong, "is not known, or was revoked")
	}
	f.refusesToken(t, "without the prefix", strings.TrimPrefix(text, personalPrefix), "")
	if log := f.log.String(); strings.Contains(log, text) {
		t.Errorf("the log has the token:\n%s", log)
	}
	if err := f.base.Store.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := f.Verifier().Verify(t.Context(), text, resource)
	if refused, ok := errors.AsType[*exchange.Error](err); !ok || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("while the store is down, the error is %v", err)
	}
}

// Personal access tokens are for this program alone, and end by their commands.
func TestAPersonalTokenIsNoTokenOfTheEndpoints(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	text, _ := f.personalToken(t)
	if got := f.introspects(t, text); !reflect.DeepEqual(got, map[string]any{"active": false}) {
		t.Errorf("the introspection is %v", got)
	}
	if w := f.post(revokePath, url.Values{"client_id": {"app"}, "token": {text}}); w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("the revocation is answered with %d %s", w.Code, w.Body)
	}
	refuses(t, "a refresh", f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {text}}), 400, "invalid_grant")
	if _, err := f.Verifier().Verify(t.Context(), text, resource); err != nil {
		t.Errorf("after that, the error is %v", err)
	}
}
