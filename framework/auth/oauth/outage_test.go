package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

var errOutage = errors.New("the connection was lost")

// An outage is a store that loses its connection while it changes a grant: before the change is
// made, or afterwards, so that the server doesn't know about it.
type outage struct {
	store.Store
	changes bool
}

func (o outage) CreateGrant(ctx context.Context, grant store.Grant, code *store.Code) error {
	return o.lose(func() error { return o.Store.CreateGrant(ctx, grant, code) })
}

func (o outage) RedeemCode(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	return o.lose(func() error { return o.Store.RedeemCode(ctx, grant, hash, renewal) })
}

func (o outage) RotateRefreshToken(ctx context.Context, grant string, hash store.Hash, renewal store.Renewal) error {
	return o.lose(func() error { return o.Store.RotateRefreshToken(ctx, grant, hash, renewal) })
}

func (o outage) lose(change func() error) error {
	if !o.changes {
		return errOutage
	}
	return errors.Join(change(), errOutage)
}

// during does something while the store has an outage.
func (f *fixture) during(changes bool, do func()) {
	f.tokens.Grants.Store = outage{f.base.Store, changes}
	do()
	f.tokens.Grants.Store = f.base.Store
}

func TestACodeIsRedeemedAtMostOnceIfTheStoreFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, changes := range []bool{false, true} {
		form := url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {f.code(t, app, callback)}, "code_verifier": {verifier}}
		f.during(changes, func() {
			refuses(t, "during the outage", f.post(tokenPath, form), http.StatusInternalServerError, "server_error")
		})
		again := f.post(tokenPath, form)
		if !changes {
			answerOf(t, again)
			continue
		}
		refuses(t, "the code was used, although nobody got its tokens", again, http.StatusBadRequest, "invalid_grant")
		id, _, _ := strings.Cut(form.Get("code"), ".")
		if grant, err := f.base.Store.Grant(t.Context(), id); err != nil || grant.Revoked.IsZero() {
			t.Errorf("the grant is %+v, %v", grant, err)
		}
	}
}

func TestARefreshTokenIsExchangedAgainIfTheStoreFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tokens := f.login(t)
	for _, changes := range []bool{false, true} {
		form := url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}}
		f.during(changes, func() {
			refuses(t, "during the outage", f.post(tokenPath, form), http.StatusInternalServerError, "server_error")
		})
		next := answerOf(t, f.post(tokenPath, form))
		if again := answerOf(t, f.post(tokenPath, form)); lasting(again) != lasting(next) {
			t.Errorf("the token has two successors:\n%+v\n%+v", next, again)
		}
		tokens = next
	}
}

func TestAnAuthorizationThatTheStoreLosesHasNoCode(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, changes := range []bool{false, true} {
		b := f.browser()
		consent := b.toConsent(t, request("app", callback))
		f.during(changes, func() {
			b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).isPage(t, "during the outage", http.StatusInternalServerError, "Its log says why")
		})
		b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).isPage(t, "afterwards", http.StatusBadRequest, "expired, or was used")
	}
	form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
	f.during(true, func() {
		refuses(t, "a client that acts for itself", f.post(tokenPath, form, basic("machine", secret)), http.StatusInternalServerError, "server_error")
	})
	answerOf(t, f.post(tokenPath, form, basic("machine", secret)))
}

// A stranger who hangs up must not write errors into the log.
func TestAClientThatIsGoneIsNoFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	gone := func(r *http.Request) {
		ctx, hangUp := context.WithCancel(r.Context())
		hangUp()
		*r = *r.WithContext(ctx)
	}
	f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "refresh_token": {"x"}}, basic("web", secret), gone)
	f.browser().send(http.MethodGet, request("app", callback), nil, gone)
	log := f.log.String()
	if strings.Count(log, `level=DEBUG msg="an OAuth request failed"`) != 2 || strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") {
		t.Errorf("the log is %s", log)
	}
}

// busy is the error of a store that can't answer at the moment.
type busy struct{}

func (busy) Error() string { return "the database is busy" }
func (busy) Busy() bool    { return true }

// A busyStore answers that it is busy.
type busyStore struct{ store.Store }

func (busyStore) Grant(context.Context, string) (store.Grant, error)   { return store.Grant{}, busy{} }
func (busyStore) Client(context.Context, string) (store.Client, error) { return store.Client{}, busy{} }
func (busyStore) TakeValue(context.Context, store.Hash) (store.Value, error) {
	return store.Value{}, busy{}
}
func (busyStore) RedeemCode(context.Context, string, store.Hash, store.Renewal) error {
	return fmt.Errorf("redeem: %w", busy{})
}

// A client tries again later, and nobody is woken at night.
func TestABusyStoreIsAnsweredWith503(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	code, opened := f.code(t, app, callback), f.base.Store
	form := url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {code}, "code_verifier": {verifier}}
	f.tokens.Grants.Store = busyStore{opened}
	w := f.post(tokenPath, form)
	refuses(t, "a code while the store is busy", w, http.StatusServiceUnavailable, "temporarily_unavailable")
	if w.Header().Get("Retry-After") == "" {
		t.Error("the answer has no Retry-After")
	}
	f.tokens.Grants.Store = opened
	answerOf(t, f.post(tokenPath, form))
	f.base.Store = busyStore{opened}
	defer func() { f.base.Store = opened }()
	v := f.browser().open(request("app", callback))
	v.isPage(t, "a page while the store is busy", http.StatusServiceUnavailable, "The server is busy. Wait 1 s, then try again.")
	if v.Header().Get("Retry-After") != "1" || !strings.Contains(v.Body.String(), "/oauth/authorize?") {
		t.Errorf("the page has no way on: %v %s", v.Header(), v.Body)
	}
	if strings.Contains(f.log.String(), "level=ERROR") || strings.Count(f.log.String(), `level=WARN msg="an OAuth request failed"`) != 2 {
		t.Errorf("the log is %s", f.log)
	}
}

// A proxy may have removed the path of the issuer, with which the paths of the pages may begin too.
func TestABusyPageLinksToItself(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(_ *Config, site *mcp.Site) { site.URL = issuer + "/oauth" })
	opened := f.base.Store
	f.base.Store = busyStore{opened}
	defer func() { f.base.Store = opened }()
	for _, path := range []string{"/oauth/oauth/authorize", "/oauth/authorize"} {
		w := httptest.NewRecorder()
		f.authorize.Page(f.authorize.Authorize)(w, httptest.NewRequest(http.MethodGet, issuer+path+"?client_id=app", http.NoBody))
		if want := `href="https://example.com/oauth/oauth/authorize?client_id=app"`; !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: the page lacks %s:\n%s", path, want, w.Body)
		}
	}
}
