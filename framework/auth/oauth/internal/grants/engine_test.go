package grants_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
)

const (
	verifier = "a-verifier-of-at-least-forty-three-characters"
	callback = "http://127.0.0.1:1234/callback"
	resource = "https://example.com/mcp"
	other    = "https://example.com/other"
)

var (
	publicClient = store.Client{ID: "client", RedirectURIs: []string{"http://127.0.0.1/callback", "https://client.example/cb"}}
	machine      = store.Client{ID: "machine", Secret: new(store.Hash)}
	foreign      = store.Client{ID: "foreign", RedirectURIs: publicClient.RedirectURIs}
)

func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// unsigned is a signer for tests: the token is its claims.
func unsigned(claims map[string]any) (string, error) {
	text, err := json.Marshal(claims)
	return string(text), err
}

// The tests of this package run with each store.
func TestOnEveryStore(t *testing.T) {
	t.Parallel()
	databasetest.OnEveryStore(t)
}

func newStore(t *testing.T) store.Store {
	t.Helper()
	opened, err := store.Open(t.Context(), databasetest.Store(t), databasetest.Drivers()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

func newEngine(s store.Store) *grants.Engine {
	return &grants.Engine{
		Store: s, Issuer: "https://example.com", Sign: unsigned,
		Code: time.Minute, Access: 10 * time.Minute, Idle: 24 * time.Hour, Total: 100 * time.Hour, Grace: 30 * time.Second,
		Resources: func(all []string) []string { return all }, Check: func(context.Context, store.Grant) error { return nil }, Wait: func(string) time.Duration { return 0 },
		Base: &endpoint.Base{Site: mcp.Site{Logger: slog.New(slog.DiscardHandler)}},
	}
}

func authorization() grants.Authorization {
	return grants.Authorization{
		Client: publicClient, UserID: "u1", UserName: "Ana", Scopes: []string{"mcp:use", "files:write"}, Resources: []string{resource, other},
		RedirectURI: callback, Challenge: challenge(),
	}
}

func authorize(t *testing.T, engine *grants.Engine) (code string) {
	t.Helper()
	code, err := engine.Authorize(t.Context(), authorization())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func redeem(engine *grants.Engine, code string) (grants.Answer, error) {
	return engine.Redeem(context.Background(), publicClient, grants.CodeRequest{Code: code, Verifier: verifier})
}

func mustRedeem(t *testing.T, engine *grants.Engine) grants.Answer {
	t.Helper()
	answer, err := redeem(engine, authorize(t, engine))
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func refresh(engine *grants.Engine, token string) (grants.Answer, error) {
	return engine.Refresh(context.Background(), publicClient, grants.RefreshRequest{Token: token})
}

// refused fails the test unless an error has a code of OAuth.
func refused(t *testing.T, what string, err error, code string) {
	t.Helper()
	if refusal, ok := errors.AsType[*endpoint.Error](err); !ok || refusal.Code != code {
		t.Errorf("%s: the error is %v, want %s", what, err, code)
	}
}

func claims(t *testing.T, answer grants.Answer) (found map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(answer.AccessToken), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestACodeIsExchangedForTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := newEngine(newStore(t))
		answer := mustRedeem(t, engine)
		if answer.TokenType != "Bearer" || answer.ExpiresIn != 600 || answer.Scope != "mcp:use files:write" || answer.RefreshToken == "" {
			t.Errorf("the answer is %+v", answer)
		}
		got := claims(t, answer)
		now := float64(time.Now().Unix())
		want := map[string]any{
			"iss": "https://example.com", "sub": "u1", "client_id": "client", "scope": "mcp:use files:write", "iat": now, "exp": now + 600,
			"aud": []any{resource, other}, "jti": got["jti"], "gid": got["gid"], "name": "Ana",
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || got["jti"] == "" || got["gid"] == "" {
			t.Errorf("the claims are\n%v, want\n%v", got, want)
		}
	})
}

// Claims of the login reach the handlers of tools, but can't pretend to be those of the server.
func TestATokenHasTheClaimsOfItsUser(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	login := authorization()
	login.Claims = map[string]any{"department": "R&D", "name": "Ana B.", "sub": "u2", "scope": "admin", "gid": "other", "exp": 9e9, "aud": "https://evil.example"}
	code, err := engine.Authorize(t.Context(), login)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := redeem(engine, code)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first token and a refreshed one
		got := claims(t, answer)
		if got["department"] != "R&D" || got["name"] != "Ana B." || got["sub"] != "u1" || got["scope"] != "mcp:use files:write" || got["gid"] == "other" || got["exp"] == 9e9 {
			t.Errorf("the claims are %v", got)
		}
		if answer, err = refresh(engine, answer.RefreshToken); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACodeIsRefusedAndStaysValidIfTheRequestIsWrong(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	code := authorize(t, engine)
	good := grants.CodeRequest{Code: code, Verifier: verifier, RedirectURI: callback, Resources: []string{resource}}
	for what, wrong := range map[string]struct {
		client store.Client
		alter  func(*grants.CodeRequest)
		code   string
	}{
		"another client":       {foreign, func(*grants.CodeRequest) {}, "invalid_grant"},
		"another code":         {publicClient, func(r *grants.CodeRequest) { r.Code += "x" }, "invalid_grant"},
		"no grant":             {publicClient, func(r *grants.CodeRequest) { r.Code = "x" }, "invalid_grant"},
		"another grant":        {publicClient, func(r *grants.CodeRequest) { r.Code = "x" + r.Code }, "invalid_grant"},
		"no verifier":          {publicClient, func(r *grants.CodeRequest) { r.Verifier = "" }, "invalid_grant"},
		"a wrong verifier":     {publicClient, func(r *grants.CodeRequest) { r.Verifier += "x" }, "invalid_grant"},
		"the challenge":        {publicClient, func(r *grants.CodeRequest) { r.Verifier = challenge() }, "invalid_grant"},
		"another redirect URI": {publicClient, func(r *grants.CodeRequest) { r.RedirectURI = "https://client.example/cb" }, "invalid_grant"},
		"another port":         {publicClient, func(r *grants.CodeRequest) { r.RedirectURI = "http://127.0.0.1:1/callback" }, "invalid_grant"},
		"another resource":     {publicClient, func(r *grants.CodeRequest) { r.Resources = []string{resource, "https://evil.test"} }, "invalid_target"},
	} {
		request := good
		wrong.alter(&request)
		_, err := engine.Redeem(t.Context(), wrong.client, request)
		refused(t, what, err, wrong.code)
	}
	answer, err := engine.Redeem(t.Context(), publicClient, good)
	if err != nil {
		t.Fatalf("the right request after the wrong ones: %v", err)
	}
	if got := claims(t, answer)["aud"]; got != resource {
		t.Errorf("the audience is %v, want the one resource of the request", got)
	}
}

func TestManyWrongVerifiersEndAGrant(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	code := authorize(t, engine)
	for range 10 {
		_, err := engine.Redeem(t.Context(), publicClient, grants.CodeRequest{Code: code, Verifier: "wrong"})
		refused(t, "a wrong verifier", err, "invalid_grant")
	}
	_, err := redeem(engine, code)
	refused(t, "the right verifier after ten wrong ones", err, "invalid_grant")
}

func TestACodeExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := newEngine(newStore(t))
		code := authorize(t, engine)
		time.Sleep(time.Minute)
		_, err := redeem(engine, code)
		refused(t, "after a minute", err, "invalid_grant")
	})
}

// Somebody who has both a code and its verifier has stolen them, or is the client itself.
func TestACodeThatIsUsedAgainEndsItsGrant(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	code := authorize(t, engine)
	answer, err := redeem(engine, code)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		_, err = engine.Redeem(t.Context(), publicClient, grants.CodeRequest{Code: code, Verifier: "wrong"})
		refused(t, "again with a wrong verifier", err, "invalid_grant")
		_, err = engine.Redeem(t.Context(), foreign, grants.CodeRequest{Code: code, Verifier: verifier})
		refused(t, "again by another client", err, "invalid_grant")
	}
	if answer, err = refresh(engine, answer.RefreshToken); err != nil {
		t.Fatalf("requests that can't be the client's ended the grant: %v", err)
	}
	_, err = redeem(engine, code)
	refused(t, "again", err, "invalid_grant")
	_, err = refresh(engine, answer.RefreshToken)
	refused(t, "the refresh token afterwards", err, "invalid_grant")
}

// Only whoever has a token of a grant uses up its refreshes, and one that has to wait stays
// valid.
func TestAGrantIsRefreshedSoOften(t *testing.T) {
	t.Parallel()
	left := map[string]int{}
	engine := newEngine(newStore(t))
	engine.Wait = func(grant string) time.Duration {
		if left[grant]--; left[grant] < 0 {
			return time.Minute
		}
		return 0
	}
	first := mustRedeem(t, engine)
	id, _ := claims(t, first)["gid"].(string)
	left[id] = 1
	wrong := id + "." + strings.Repeat("A", 43)
	for range 3 {
		_, err := refresh(engine, wrong)
		refused(t, "a wrong token", err, "invalid_grant")
	}
	second, err := refresh(engine, first.RefreshToken)
	if err != nil {
		t.Fatal(err)
	}
	_, err = refresh(engine, second.RefreshToken)
	if waits, ok := errors.AsType[*endpoint.Error](err); !ok || waits.Header.Get("Retry-After") != "60" {
		t.Errorf("the error is %v", err)
	}
	left[id] = 1
	if _, err := refresh(engine, second.RefreshToken); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

func TestARefreshTokenIsExchangedForTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := newEngine(newStore(t))
		first := mustRedeem(t, engine)
		time.Sleep(23 * time.Hour)
		second, err := refresh(engine, first.RefreshToken)
		if err != nil {
			t.Fatal(err)
		}
		if second.RefreshToken == first.RefreshToken || second.AccessToken == first.AccessToken || second.Scope != first.Scope {
			t.Errorf("the second answer is %+v", second)
		}
		if was, is := claims(t, first), claims(t, second); was["gid"] != is["gid"] || was["jti"] == is["jti"] || was["sub"] != is["sub"] {
			t.Errorf("the claims were %v and are %v", was, is)
		}
	})
}

func TestARefreshMayNarrowTheAccessTokenAlone(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	first := mustRedeem(t, engine)
	narrow, err := engine.Refresh(t.Context(), publicClient, grants.RefreshRequest{Token: first.RefreshToken, Scopes: []string{"mcp:use"}, Resources: []string{other}})
	if err != nil {
		t.Fatal(err)
	}
	if got := claims(t, narrow); narrow.Scope != "mcp:use" || got["scope"] != "mcp:use" || got["aud"] != other {
		t.Errorf("the answer is %+v", narrow)
	}
	wide, err := refresh(engine, narrow.RefreshToken)
	if err != nil || wide.Scope != "mcp:use files:write" {
		t.Errorf("the next answer is %+v, %v; want all scopes", wide, err)
	}
}

func TestARefreshTokenIsRefusedAndStaysValidIfTheRequestIsWrong(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	answer := mustRedeem(t, engine)
	for what, wrong := range map[string]struct {
		client  store.Client
		request grants.RefreshRequest
		code    string
	}{
		"another client":   {foreign, grants.RefreshRequest{Token: answer.RefreshToken}, "invalid_grant"},
		"another token":    {publicClient, grants.RefreshRequest{Token: answer.RefreshToken + "x"}, "invalid_grant"},
		"an access token":  {publicClient, grants.RefreshRequest{Token: answer.AccessToken}, "invalid_grant"},
		"the grant":        {publicClient, grants.RefreshRequest{Token: strings.Split(answer.RefreshToken, ".")[0]}, "invalid_grant"},
		"nothing":          {publicClient, grants.RefreshRequest{}, "invalid_grant"},
		"more scopes":      {publicClient, grants.RefreshRequest{Token: answer.RefreshToken, Scopes: []string{"mcp:use", "admin"}}, "invalid_scope"},
		"another resource": {publicClient, grants.RefreshRequest{Token: answer.RefreshToken, Resources: []string{"https://evil.test"}}, "invalid_target"},
	} {
		_, err := engine.Refresh(t.Context(), wrong.client, wrong.request)
		refused(t, what, err, wrong.code)
	}
	if _, err := refresh(engine, answer.RefreshToken); err != nil {
		t.Errorf("the right request after the wrong ones: %v", err)
	}
}

// Clients run several processes with one token, and lose answers.
func TestAUsedRefreshTokenHasTheSameSuccessorForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := newEngine(newStore(t))
		first := mustRedeem(t, engine)
		second, err := refresh(engine, first.RefreshToken)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(30*time.Second - time.Millisecond)
		again, err := refresh(engine, first.RefreshToken)
		if err != nil || again.RefreshToken != second.RefreshToken || again.Scope != second.Scope || again.ExpiresIn != second.ExpiresIn || again.TokenType != second.TokenType || again.AccessToken == "" {
			t.Errorf("the answer is %+v, %v; want %+v", again, err, second)
		}
		_, err = engine.Refresh(t.Context(), foreign, grants.RefreshRequest{Token: first.RefreshToken})
		refused(t, "another client", err, "invalid_grant")
		if _, err := refresh(engine, second.RefreshToken); err != nil {
			t.Errorf("the second token after the first was used again: %v", err)
		}
	})
}

func TestAUsedRefreshTokenEndsItsGrant(t *testing.T) {
	t.Parallel()
	for what, use := range map[string]func(*grants.Engine, grants.Answer) string{
		"after a while": func(_ *grants.Engine, second grants.Answer) string {
			time.Sleep(30 * time.Second)
			return second.RefreshToken
		},
		"after the next was used": func(engine *grants.Engine, second grants.Answer) string {
			third, _ := refresh(engine, second.RefreshToken)
			return third.RefreshToken
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				engine := newEngine(newStore(t))
				first := mustRedeem(t, engine)
				second, err := refresh(engine, first.RefreshToken)
				if err != nil {
					t.Fatal(err)
				}
				newest := use(engine, second)
				_, err = refresh(engine, first.RefreshToken)
				refused(t, "the used token", err, "invalid_grant")
				_, err = refresh(engine, newest)
				refused(t, "the newest token", err, "invalid_grant")
			})
		})
	}
}

func TestAGrantEndsWithoutUseAndAfterItsTotalTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := newEngine(newStore(t))
		answer := mustRedeem(t, engine)
		time.Sleep(24 * time.Hour)
		_, err := refresh(engine, answer.RefreshToken)
		refused(t, "without use", err, "invalid_grant")

		answer = mustRedeem(t, engine)
		for range 4 {
			time.Sleep(23 * time.Hour)
			if answer, err = refresh(engine, answer.RefreshToken); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(8 * time.Hour) // 100 hours in all
		_, err = refresh(engine, answer.RefreshToken)
		refused(t, "after the total time", err, "invalid_grant")
	})
}

func TestAUserWhoIsDisabledGetsNoTokens(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	disabled := false
	engine.Check = func(_ context.Context, grant store.Grant) error {
		if grant.UserID == "u1" && disabled {
			return store.ErrRevoked
		}
		return nil
	}
	answer, code := mustRedeem(t, engine), authorize(t, engine)
	disabled = true
	_, err := redeem(engine, code)
	refused(t, "a code", err, "invalid_grant")
	_, err = refresh(engine, answer.RefreshToken)
	refused(t, "a refresh token", err, "invalid_grant")
	if _, err := engine.Issue(t.Context(), grants.Credentials, grants.Authorization{Client: machine, Scopes: []string{"mcp:use"}, Resources: []string{resource}}); err != nil {
		t.Errorf("a client that acts for itself: %v", err)
	}
}

func TestAClientWithoutTheRefreshGrantGetsNoRefreshToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		engine := newEngine(s)
		client := publicClient
		client.GrantTypes = []string{"authorization_code"}
		answer, err := engine.Redeem(t.Context(), client, grants.CodeRequest{Code: authorize(t, engine), Verifier: verifier})
		if err != nil || answer.RefreshToken != "" {
			t.Errorf("the answer is %+v, %v", answer, err)
		}
		time.Sleep(10*time.Minute + time.Millisecond)
		if n, err := s.Purge(t.Context(), time.Now()); n != 1 || err != nil {
			t.Errorf("%d grants end with their access tokens, %v; want one", n, err)
		}
	})
}

func TestTokensWithoutACodeHaveNoRefreshToken(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	engine := newEngine(s)
	own, err := engine.Issue(t.Context(), grants.Credentials, grants.Authorization{Client: machine, Scopes: []string{"mcp:use"}, Resources: []string{resource}})
	if err != nil {
		t.Fatal(err)
	}
	asserted := authorization()
	person, err := engine.Issue(t.Context(), grants.Assertion, asserted)
	if err != nil {
		t.Fatal(err)
	}
	for subject, answer := range map[string]grants.Answer{"machine": own, "u1": person} {
		got := claims(t, answer)
		if answer.RefreshToken != "" || answer.ExpiresIn != 600 || got["sub"] != subject {
			t.Errorf("the answer is %+v", answer)
		}
		if grant, err := s.Grant(t.Context(), fmt.Sprint(got["gid"])); err != nil || !grant.Live(time.Now()) {
			t.Errorf("the grant is %+v, %v", grant, err)
		}
	}
}

func TestARefreshTokenCanBeRevokedByItsClient(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	answer := mustRedeem(t, engine)
	for what, revoke := range map[string]func() error{
		"another client": func() error { return engine.Revoke(t.Context(), foreign, answer.RefreshToken) },
		"no token":       func() error { return engine.Revoke(t.Context(), publicClient, answer.RefreshToken+"x") },
		"another token": func() error {
			return engine.Revoke(t.Context(), publicClient, strings.Split(answer.RefreshToken, ".")[0]+"."+strings.Repeat("A", 43))
		},
		"the grant": func() error {
			return engine.Revoke(t.Context(), publicClient, strings.Split(answer.RefreshToken, ".")[0])
		},
	} {
		if err := revoke(); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: the error is %v", what, err)
		}
	}
	next, err := refresh(engine, answer.RefreshToken)
	if err != nil {
		t.Fatalf("a revocation by somebody else counts: %v", err)
	}
	if err := engine.Revoke(t.Context(), publicClient, next.RefreshToken); err != nil {
		t.Fatal(err)
	}
	_, err = refresh(engine, next.RefreshToken)
	refused(t, "a revoked token", err, "invalid_grant")
}

// Commands take IDs as arguments.
func TestNoIDOfAGrantBeginsWithAHyphen(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	for range 500 {
		code, err := engine.Authorize(t.Context(), authorization())
		if err != nil || strings.HasPrefix(code, "-") {
			t.Fatalf("a code begins with the ID %s, %v", code, err)
		}
	}
}

func TestCodesAndRefreshTokensHave256RandomBits(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	var seen []string
	for range 100 {
		code := authorize(t, engine)
		answer, err := redeem(engine, code)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{code, answer.RefreshToken} {
			id, random, _ := strings.Cut(secret, ".")
			if bits, err := base64.RawURLEncoding.DecodeString(id); err != nil || len(bits) != 16 {
				t.Fatalf("the ID of the grant %q has %d random bytes, %v", id, len(bits), err)
			}
			if bits, err := base64.RawURLEncoding.DecodeString(random); err != nil || len(bits) != 32 || slices.Contains(seen, random) {
				t.Fatalf("%q has %d random bytes, %v", secret, len(bits), err)
			}
			seen = append(seen, random)
		}
	}
}

func TestOneOfManyRequestsAtOnceGetsTokens(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	engine := newEngine(s)
	for range 20 {
		code := authorize(t, engine)
		won := together(func() (grants.Answer, error) { return redeem(engine, code) })
		if len(won) != 1 {
			t.Fatalf("%d requests redeem one code", len(won))
		}
		answer := mustRedeem(t, engine)
		won = together(func() (grants.Answer, error) { return refresh(engine, answer.RefreshToken) })
		if len(won) != 16 {
			t.Fatalf("%d of 16 requests refresh one token", len(won))
		}
		for _, one := range won {
			if one.RefreshToken != won[0].RefreshToken {
				t.Fatalf("two requests get\n%+v\n%+v", one, won[0])
			}
		}
	}
}

// together does something 16 times at once and returns the answers without an error.
func together(do func() (grants.Answer, error)) (won []grants.Answer) {
	var all sync.WaitGroup
	var lock sync.Mutex
	for range 16 {
		all.Go(func() {
			answer, err := do()
			if err == nil {
				lock.Lock()
				won = append(won, answer)
				lock.Unlock()
			}
		})
	}
	all.Wait()
	return won
}

// A store that can't be reached says nothing about a token: clients must keep theirs.
func TestAnErrorOfTheStoreIsNotARefusal(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	engine := newEngine(s)
	code, answer := authorize(t, engine), mustRedeem(t, engine)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, redeemed := redeem(engine, code)
	_, refreshed := refresh(engine, answer.RefreshToken)
	_, authorized := engine.Authorize(t.Context(), authorization())
	_, own := engine.Issue(t.Context(), grants.Credentials, grants.Authorization{Client: machine, Scopes: nil, Resources: nil})
	for what, err := range map[string]error{"redeem": redeemed, "refresh": refreshed, "authorize": authorized, "client credentials": own, "revoke": engine.Revoke(t.Context(), publicClient, answer.RefreshToken)} {
		if _, refusal := errors.AsType[*endpoint.Error](err); err == nil || refusal {
			t.Errorf("%s: the error is %v", what, err)
		}
	}
}

func TestATokenThatCannotBeSignedUsesNoCode(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	code := authorize(t, engine)
	sign := engine.Sign
	engine.Sign = func(map[string]any) (string, error) { return "", errors.New("no key") }
	if _, err := redeem(engine, code); err == nil {
		t.Error("a token was made without a key")
	}
	engine.Sign = sign
	if _, err := redeem(engine, code); err != nil {
		t.Errorf("the code was used although there was no token: %v", err)
	}
}

// A store may take a text for something else than an ID.
func TestATextThatCanBeNoTokenIsNotLookedFor(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	engine := newEngine(s)
	answer := mustRedeem(t, engine)
	grant, secret, _ := strings.Cut(answer.RefreshToken, ".")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{grant + ":parts." + secret, grant, grant + ".", grant + "." + secret + "x", "." + secret, "x.y", grant + "." + secret + "." + secret} {
		_, err := refresh(engine, text)
		refused(t, text, err, "invalid_grant")
		_, err = redeem(engine, text)
		refused(t, text, err, "invalid_grant")
	}
}

// skewed is a store in which tokens were used by a process whose clock is ahead.
type skewed struct{ store.Store }

func (s skewed) RefreshToken(ctx context.Context, grant string, hash store.Hash) (store.RefreshToken, error) {
	token, err := s.Store.RefreshToken(ctx, grant, hash)
	if !token.Used.IsZero() {
		token.Used = token.Used.Add(time.Hour)
	}
	return token, err
}

func TestAClockThatStepsBackProlongsNothing(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	first := mustRedeem(t, engine)
	if _, err := refresh(engine, first.RefreshToken); err != nil {
		t.Fatal(err)
	}
	engine.Store = skewed{engine.Store}
	_, err := refresh(engine, first.RefreshToken)
	refused(t, "a token that was used in an hour", err, "invalid_grant")
}

// Some public clients never refresh their tokens.
func TestAPublicClientMayHaveLongerTokens(t *testing.T) {
	t.Parallel()
	engine := newEngine(newStore(t))
	engine.PublicAccess = 2 * time.Hour
	if answer := mustRedeem(t, engine); answer.ExpiresIn != 7200 {
		t.Errorf("the answer of a public client is %+v", answer)
	}
	answer, err := engine.Issue(t.Context(), grants.Credentials, grants.Authorization{Client: machine, Scopes: nil, Resources: nil})
	if err != nil || answer.ExpiresIn != 600 {
		t.Errorf("the answer of a client with a secret is %+v, %v", answer, err)
	}
}
