package grants_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// An interleaved store does something after the engine has read a code or a refresh token, or
// has tried to redeem a code, as another request would at the same time.
type interleaved struct {
	store.Store
	next func()
}

func (i *interleaved) Code(ctx context.Context, grant string, hash store.Hash) (store.Code, error) {
	defer i.meanwhile()
	return i.Store.Code(ctx, grant, hash)
}

func (i *interleaved) RefreshToken(ctx context.Context, grant string, hash store.Hash) (store.RefreshToken, error) {
	defer i.meanwhile()
	return i.Store.RefreshToken(ctx, grant, hash)
}

func (i *interleaved) RedeemCode(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	defer i.meanwhile()
	return i.Store.RedeemCode(ctx, grant, hash, renewal)
}

func (i *interleaved) meanwhile() {
	do := i.next
	i.next = nil
	if do != nil {
		do()
	}
}

// newInterleaved returns an engine and its store.
func newInterleaved(t *testing.T) (*grants.Engine, *interleaved) {
	t.Helper()
	s := &interleaved{Store: newStore(t)}
	return newEngine(s), s
}

func TestACodeThatIsRedeemedMeanwhileEndsItsGrant(t *testing.T) {
	t.Parallel()
	engine, s := newInterleaved(t)
	code := authorize(t, engine)
	var first grants.Answer
	s.next = func() {
		var err error
		if first, err = redeem(engine, code); err != nil {
			t.Error(err)
		}
	}
	_, err := redeem(engine, code)
	refused(t, "the second request", err, "invalid_grant")
	_, err = refresh(engine, first.RefreshToken)
	refused(t, "the refresh token of the first", err, "invalid_grant")
}

func TestARefreshTokenThatIsExchangedMeanwhileHasTheSameSuccessor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine, s := newInterleaved(t)
		token := mustRedeem(t, engine).RefreshToken
		var first grants.Answer
		s.next = func() {
			var err error
			if first, err = refresh(engine, token); err != nil {
				t.Error(err)
			}
		}
		if second, err := refresh(engine, token); err != nil || second.RefreshToken != first.RefreshToken || second.AccessToken == "" {
			t.Errorf("the answers are\n%+v and\n%+v, %v", first, second, err)
		}
	})
}

func TestAGrantThatEndsMeanwhileGivesNoTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for what, end := range map[string]func(engine *grants.Engine, refreshToken string){
			"revoked": func(engine *grants.Engine, refreshToken string) {
				if err := engine.Revoke(context.Background(), publicClient, refreshToken); err != nil {
					t.Error(err)
				}
			},
			"purged": func(engine *grants.Engine, _ string) {
				if _, err := engine.Store.Purge(context.Background(), time.Now().Add(1000*time.Hour)); err != nil {
					t.Error(err)
				}
			},
		} {
			engine, s := newInterleaved(t)
			token := mustRedeem(t, engine).RefreshToken
			s.next = func() { end(engine, token) }
			_, err := refresh(engine, token)
			refused(t, "a refresh token of a grant that was "+what, err, "invalid_grant")
		}
		engine, s := newInterleaved(t)
		code := authorize(t, engine)
		s.next = func() {
			grant, _, _ := strings.Cut(code, ".")
			if err := s.RevokeGrant(context.Background(), grant, time.Now()); err != nil {
				t.Error(err)
			}
		}
		_, err := redeem(engine, code)
		refused(t, "a code of a grant that was revoked", err, "invalid_grant")
	})
}

func TestAGrantEndsThoughTheSecondOfTwoRequestsHangsUp(t *testing.T) {
	t.Parallel()
	engine, s := newInterleaved(t)
	code := authorize(t, engine)
	ctx, hangUp := context.WithCancel(t.Context())
	var first grants.Answer
	s.next = func() { // the second request has found the code unused
		var err error
		if first, err = redeem(engine, code); err != nil {
			t.Error(err)
		}
		s.next = hangUp // and finds it used when it redeems it
	}
	_, _ = engine.Redeem(ctx, publicClient, grants.CodeRequest{Code: code, Verifier: verifier})
	if ctx.Err() == nil {
		t.Error("the second request did not try to redeem the code")
	}
	_, err := refresh(engine, first.RefreshToken)
	refused(t, "the refresh token of the first", err, "invalid_grant")
}

// A thief who hangs up keeps nothing.
func TestAGrantEndsThoughItsClientHangsUp(t *testing.T) {
	t.Parallel()
	for what, misuse := range map[string]func(t *testing.T, engine *grants.Engine, hangUp func(func(ctx context.Context))) (refreshToken string){
		"a used code": func(t *testing.T, engine *grants.Engine, hangUp func(func(ctx context.Context))) string {
			t.Helper()
			code := authorize(t, engine)
			answer, err := redeem(engine, code)
			if err != nil {
				t.Fatal(err)
			}
			hangUp(func(ctx context.Context) {
				_, _ = engine.Redeem(ctx, publicClient, grants.CodeRequest{Code: code, Verifier: verifier})
			})
			return answer.RefreshToken
		},
		"a used refresh token": func(t *testing.T, engine *grants.Engine, hangUp func(func(ctx context.Context))) string {
			t.Helper()
			first := mustRedeem(t, engine)
			second, err := refresh(engine, first.RefreshToken)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(30 * time.Second)
			hangUp(func(ctx context.Context) {
				_, _ = engine.Refresh(ctx, publicClient, grants.RefreshRequest{Token: first.RefreshToken})
			})
			return second.RefreshToken
		},
		"a revocation": func(t *testing.T, engine *grants.Engine, hangUp func(func(ctx context.Context))) string {
			t.Helper()
			answer := mustRedeem(t, engine)
			hangUp(func(ctx context.Context) { _ = engine.Revoke(ctx, publicClient, answer.RefreshToken) })
			return answer.RefreshToken
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				engine, s := newInterleaved(t)
				token := misuse(t, engine, func(do func(context.Context)) {
					ctx, hangUp := context.WithCancel(t.Context())
					s.next = hangUp
					do(ctx)
				})
				_, err := refresh(engine, token)
				refused(t, "the refresh token afterwards", err, "invalid_grant")
			})
		})
	}
}

func TestWrongVerifiersCountThoughTheirClientHangsUp(t *testing.T) {
	t.Parallel()
	engine, s := newInterleaved(t)
	code := authorize(t, engine)
	for range 10 {
		ctx, hangUp := context.WithCancel(t.Context())
		s.next = hangUp
		_, _ = engine.Redeem(ctx, publicClient, grants.CodeRequest{Code: code, Verifier: "wrong"})
	}
	_, err := redeem(engine, code)
	refused(t, "the right verifier after ten wrong ones", err, "invalid_grant")
}
