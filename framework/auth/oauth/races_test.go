package oauth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// atOnce sends the same request for tokens 16 times at once.
func (f *fixture) atOnce(parameters url.Values) []*httptest.ResponseRecorder {
	answers := make([]*httptest.ResponseRecorder, 16)
	var start, all sync.WaitGroup
	start.Add(1)
	for n := range answers {
		all.Go(func() {
			start.Wait()
			answers[n] = f.post(tokenPath, parameters)
		})
	}
	start.Done()
	all.Wait()
	return answers
}

// The losers have the code and its verifier too, so one of the clients has stolen them. The
// server can't know which.
func TestOneOfManyRequestsAtOnceRedeemsACode(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 5 {
		var won []grants.Answer
		for _, w := range f.atOnce(url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {f.code(t, app, callback)}, "code_verifier": {verifier}}) {
			if w.Code == http.StatusOK {
				won = append(won, answerOf(t, w))
				continue
			}
			refuses(t, "a request that lost", w, http.StatusBadRequest, "invalid_grant")
		}
		if len(won) != 1 {
			t.Fatalf("%d requests redeem one code", len(won))
		}
		refuses(t, "the refresh token of the winner", f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {won[0].RefreshToken}}), http.StatusBadRequest, "invalid_grant")
		if got := f.introspects(t, won[0].AccessToken); got["active"] != false {
			t.Errorf("the access token of the winner is %v", got)
		}
	}
}

// Clients run several processes, which refresh one token at the same time.
func TestManyRequestsAtOnceGetOneSuccessorOfARefreshToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tokens := f.login(t)
	for range 5 {
		answers := f.atOnce(url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}})
		next := answerOf(t, answers[0])
		for _, w := range answers {
			if other := answerOf(t, w); lasting(other) != lasting(next) {
				t.Fatalf("two requests get\n%+v\n%+v", other, next)
			}
		}
		if next.RefreshToken == tokens.RefreshToken || f.introspects(t, next.AccessToken)["active"] != true {
			t.Fatalf("the answer is %+v", next)
		}
		tokens = next
	}
}

// A rival store lets another request be first, when this one has found its code or refresh token
// unused.
type rival struct {
	store.Store
	first func()
}

func (r rival) RedeemCode(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	r.first()
	return r.Store.RedeemCode(ctx, grant, hash, renewal)
}

func (r rival) RotateRefreshToken(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	r.first()
	return r.Store.RotateRefreshToken(ctx, grant, hash, renewal)
}

// overtaken sends the same request twice. The second is answered while the first is at work.
func (f *fixture) overtaken(parameters url.Values) (first, second *httptest.ResponseRecorder) {
	f.tokens.Grants.Store = rival{f.base.Store, func() {
		f.tokens.Grants.Store = f.base.Store
		second = f.post(tokenPath, parameters)
	}}
	first = f.post(tokenPath, parameters)
	return first, second
}

func TestARequestThatIsOvertaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first, second := f.overtaken(url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {f.code(t, app, callback)}, "code_verifier": {verifier}})
	refuses(t, "with a code", first, http.StatusBadRequest, "invalid_grant")
	refuses(t, "the refresh token of the other", f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {answerOf(t, second).RefreshToken}}), http.StatusBadRequest, "invalid_grant")

	first, second = f.overtaken(url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {f.login(t).RefreshToken}})
	if got, want := answerOf(t, first), answerOf(t, second); lasting(got) != lasting(want) {
		t.Errorf("with a refresh token: the answer is %+v, want that of the other, %+v", got, want)
	}
}

// A decided store lets another request decide, when this one has read the transaction.
type decided struct{ store.Store }

func (decided) TakeValue(context.Context, store.Hash) (store.Value, error) {
	return store.Value{}, store.ErrNotFound
}

func TestOneOfTwoDecisionsAtOnceCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	consent := b.toConsent(t, request("app", callback))
	f.base.Store = decided{f.base.Store}
	b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).isPage(t, "the second decision", http.StatusBadRequest, "expired, or was used")
}
