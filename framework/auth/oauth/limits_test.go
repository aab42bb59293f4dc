package oauth

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestAnAddressSendsAFewAuthorizationRequestsAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		for range limits.Authorizations {
			f.browser().open(request("unknown", callback)).isPage(t, "an unknown client", http.StatusBadRequest, "is unknown")
		}
		refused := f.browser().open(request("app", callback))
		refused.isPage(t, "one more", http.StatusTooManyRequests, "Wait 1 seconds")
		if refused.Header().Get("Retry-After") != "1" {
			t.Errorf("the headers are %v", refused.Header())
		}
		if v := f.browser().send(http.MethodGet, request("app", callback), nil, from("203.0.113.7")); v.Code != http.StatusSeeOther {
			t.Errorf("another address gets %d %s", v.Code, v.Body)
		}
		time.Sleep(time.Second)
		if v := f.browser().open(request("app", callback)); v.Code != http.StatusOK {
			t.Errorf("a second later the answer is %d %s", v.Code, v.Body)
		}
	})
}
