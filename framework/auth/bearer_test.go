package auth_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// A recorder is a verifier that records its tokens, and answers each with an error.
type recorder struct {
	tokens []string
	err    error
}

func (r *recorder) Verify(_ context.Context, token, _ string) (exchange.Principal, error) {
	r.tokens = append(r.tokens, token)
	return exchange.Principal{ID: "ana"}, r.err
}

func (*recorder) Issuers() ([]string, error) { return nil, nil }

// bearing returns a request with a header Authorization.
func bearing(header ...string) *http.Request {
	return &http.Request{Header: http.Header{"Authorization": header}}
}

// A verifier may ask an issuer about each text that it gets.
func TestOnlyATokenReachesTheVerifier(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"", "Bearer", "Bearer ", "Bearer   ", "Bearer a b", "Bearer a, Bearer b", "Basic YTpi", "token", "Bearer " + strings.Repeat("a", 8<<10+1),
	} {
		verifier := &recorder{}
		if _, err := auth.Bearer(verifier).Authenticate(bearing(header), resource); err == nil || len(verifier.tokens) > 0 {
			t.Errorf("%.20q: %v, and the verifier gets %.40q", header, err, verifier.tokens)
		}
	}
	verifier, longest := &recorder{}, strings.Repeat("a", 8<<10)
	for _, header := range []string{"Bearer a", "bearer  a ", "Bearer " + longest} {
		if _, err := auth.Bearer(verifier).Authenticate(bearing(header), resource); err != nil {
			t.Errorf("%.20q: %v", header, err)
		}
	}
	if want := []string{"a", "a", longest}; !slices.Equal(verifier.tokens, want) {
		t.Errorf("the verifier gets %.40q, want %.40q", verifier.tokens, want)
	}
}

func TestAVerifierDecidesAboutTheStatus(t *testing.T) {
	t.Parallel()
	down := &exchange.Error{Message: "Try again", Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"7"}}}
	for _, test := range []struct {
		err    error
		status int
		client string // what the client reads
	}{
		{down, 503, "Try again"},
		{&auth.TokenError{Reason: "The access token has expired", Err: errors.New("at noon")}, 401, "Unauthorized: The access token has expired"},
		{errors.New("the database is down"), 500, "Internal error"},
	} {
		_, err := auth.Bearer(&recorder{err: test.err}).Authenticate(bearing("Bearer a"), resource)
		refused, ok := errors.AsType[*exchange.Error](err)
		if !ok || refused.Status != test.status || refused.Message != test.client {
			t.Errorf("%v: the error is %#v, want %d %s", test.err, err, test.status, test.client)
		}
		if test.status == 503 && refused.Header.Get("Retry-After") != "7" {
			t.Errorf("the header Retry-After is lost: %v", refused.Header)
		}
	}
}

// A client asks for all scopes that a challenge names.
func TestAChallengeNamesEachScopeOnce(t *testing.T) {
	t.Parallel()
	lacking := &exchange.ScopeError{Needed: []string{"a", "b"}, Granted: []string{"b", "c"}}
	got := auth.Bearer(&recorder{}, "mcp:use").Challenge(lacking, "https://example.com/m")
	if want := `scope="a b c", resource_metadata=`; !strings.Contains(got, want) {
		t.Errorf("the challenge is %s, want %s", got, want)
	}
}

// Some clients ask for scopes at the login alone.
func TestAGuardNamesTheScopesThatItOffersAndDoesNotRequireThem(t *testing.T) {
	t.Parallel()
	plain := auth.Bearer(&recorder{}, "mcp:use")
	offers := plain.Offer("files:write").Offer("files:archive", "files:share")
	const all = `scope="mcp:use files:write files:archive files:share"`
	_, none := offers.Authenticate(bearing(), resource)
	_, wrong := auth.Bearer(&recorder{err: &auth.TokenError{Reason: "The access token has expired"}}).Authenticate(bearing("Bearer a"), resource)
	_, lacking := offers.Authenticate(bearing("Bearer a"), resource)
	for what, test := range map[string]struct {
		guard   *auth.BearerGuard
		refusal error
		want    string
	}{
		"no token":                           {offers, none, all},
		"a wrong token":                      {offers, wrong, all},
		"a token without the required scope": {offers, lacking, `scope="mcp:use"`},
		"the guard that Offer was called on": {plain, none, `scope="mcp:use"`},
	} {
		if got := test.guard.Challenge(test.refusal, "https://example.com/m"); !strings.Contains(got, test.want+", resource_metadata=") {
			t.Errorf("%s: the challenge is %s, want %s", what, got, test.want)
		}
	}
	if m, err := offers.Metadata(); err != nil || strings.Join(m.ScopesSupported, " ") != "mcp:use files:write files:archive files:share" {
		t.Errorf("the metadata are %+v, %v", m, err)
	}
	if _, err := auth.Bearer(&recorder{}).Offer("files:write").Authenticate(bearing("Bearer a"), resource); err != nil {
		t.Errorf("a token without the offered scope: %v", err)
	}
}
