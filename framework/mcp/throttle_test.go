package mcp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// throttled returns a probe of a route with a limit of requests.
func throttled(t *testing.T, config mcp.Config, throttle func(*mcp.Route)) *probe {
	t.Helper()
	app := mcp.New(config)
	throttle(app.Router.Web("/mcp", boxOf(saying("hello", "Hello."))))
	app.Router.Web("/other", boxOf(saying("hello", "Hello.")))
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return probeHandler(t, handler, "/mcp")
}

func TestThrottleAnswers429WithTheTimeToWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := throttled(t, mcp.Config{}, func(r *mcp.Route) { r.Throttle(2, time.Minute) })
		for range 2 {
			if r := p.call("hello", nil); r.status != http.StatusOK {
				t.Errorf("got %d %s", r.status, r.body)
			}
		}
		for range 3 {
			r := p.call("hello", nil)
			if r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") != "30" || r.err == nil || r.err.Message != "Too many requests: try again in 30 s" {
				t.Errorf("got %d %v %s", r.status, r.header, r.body)
			}
		}
		// The other route and the health check have no limit.
		other := *p
		other.path = "/other"
		if r := other.call("hello", nil); r.status != http.StatusOK {
			t.Errorf("another route gets %d", r.status)
		}
		w := httptest.NewRecorder()
		p.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/healthz", nil))
		if w.Code != http.StatusOK {
			t.Errorf("/healthz gets %d", w.Code)
		}
		time.Sleep(30 * time.Second)
		if r := p.call("hello", nil); r.status != http.StatusOK {
			t.Errorf("after the time it gets %d", r.status)
		}
	})
}

// A batch is a request with many messages.
func TestThrottleCountsEachMessageOfABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := throttled(t, mcp.Config{}, func(r *mcp.Route) { r.Throttle(60, time.Minute, 4).LegacySSE() })
		client := (&wireClient{handler: p.handler}).open(t, "2025-03-26") // one
		send := func(n int) *httptest.ResponseRecorder {
			calls := make([]string, n)
			for i := range calls {
				calls[i] = legacyCall(fmt.Sprint(i), "hello", `{}`)
			}
			return client.post(t.Context(), "["+strings.Join(calls, ",")+"]", "")
		}
		for _, test := range []struct {
			messages, status int
			says             string
		}{
			{3, http.StatusOK, `"id":2,"result"`}, // four
			{1, http.StatusTooManyRequests, "try again in 1 s"},
		} {
			if w := send(test.messages); w.Code != test.status || !strings.Contains(w.Body.String(), test.says) {
				t.Errorf("%d messages get %d %s", test.messages, w.Code, w.Body)
			}
		}
		time.Sleep(2 * time.Second)
		if w := send(4); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "2" {
			t.Errorf("more than there is room for gets %d %v %s", w.Code, w.Header(), w.Body)
		}
		time.Sleep(time.Minute)
		if w := send(5); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "the batch has 5 messages, more than this endpoint takes at once") {
			t.Errorf("more than can ever come at once gets %d %s", w.Code, w.Body)
		}
		time.Sleep(time.Minute)
		if w := send(4); w.Code != http.StatusOK {
			t.Errorf("as many as may come at once get %d %s", w.Code, w.Body)
		}
	})
}

// untouched is a body that must not be read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

func TestThrottleReadsNoBody(t *testing.T) {
	t.Parallel()
	p := throttled(t, mcp.Config{}, func(r *mcp.Route) { r.Throttle(1, time.Hour) })
	p.call("hello", nil)
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", untouched{t})
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Connection") != "close" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}

// Middleware runs before Throttle, so that it can set the principal.
func TestThrottleCountsPrincipalsOfMiddleware(t *testing.T) {
	t.Parallel()
	identify := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx := exchange.WithPrincipal(r.Context(), exchange.Principal{ID: r.Header.Get("X-User")})
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
	p := throttled(t, mcp.Config{}, func(r *mcp.Route) { r.Throttle(1, time.Hour).Use(identify) })
	for _, test := range []struct {
		user string
		want int
	}{{"ann", 200}, {"bob", 200}, {"ann", 429}, {"bob", 429}, {"", 200}, {"", 429}} {
		p.header.Set("X-User", test.user)
		if r := p.call("hello", nil); r.status != test.want {
			t.Errorf("%q gets %d, want %d", test.user, r.status, test.want)
		}
	}
}

func TestThrottleTrustsOnlyConfiguredProxies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		proxies []string
		want    int // the second client's
	}{{nil, 429}, {[]string{"192.0.2.0/24"}, 200}} {
		p := throttled(t, mcp.Config{TrustedProxies: test.proxies}, func(r *mcp.Route) { r.Throttle(1, time.Hour) })
		p.header["X-Forwarded-For"] = []string{"203.0.113.1"}
		p.call("hello", nil)
		p.header["X-Forwarded-For"] = []string{"203.0.113.2"}
		if r := p.call("hello", nil); r.status != test.want {
			t.Errorf("after %v another client gets %d, want %d", test.proxies, r.status, test.want)
		}
	}
}

// A web page that may call can read the answer.
func TestAThrottledWebPageCanReadWhy(t *testing.T) {
	t.Parallel()
	p := throttled(t, mcp.Config{AllowedOrigins: []string{"https://app.example"}}, func(r *mcp.Route) { r.Throttle(1, time.Hour) })
	p.header.Set("Origin", "https://app.example")
	p.call("hello", nil)
	r := p.call("hello", nil)
	if r.status != 429 || r.header.Get("Access-Control-Allow-Origin") != "https://app.example" || !strings.Contains(r.header.Get("Access-Control-Expose-Headers"), "Retry-After") {
		t.Errorf("got %d %v", r.status, r.header)
	}
	p.header.Set("Origin", "https://evil.example")
	if r := p.call("hello", nil); r.status != http.StatusForbidden {
		t.Errorf("another page gets %d", r.status)
	}
	preflight := httptest.NewRequest(http.MethodOptions, "http://127.0.0.1/mcp", nil)
	preflight.Header.Set("Origin", "https://app.example")
	preflight.Header.Set("Access-Control-Request-Method", "POST")
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, preflight)
	if w.Code != http.StatusNoContent {
		t.Errorf("a preflight gets %d", w.Code)
	}
}

func TestMistakesInThrottleAreFoundAtBoot(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("/a", boxOf(saying("hello", ""))).Throttle(0, time.Minute)
	app.Router.Web("/b", boxOf(saying("hello", ""))).Throttle(1, time.Minute, 0)
	app.Router.Web("/c", boxOf(saying("hello", ""))).Throttle(100, 60) // ns: as good as no limit
	err := app.Validate()
	for _, route := range []string{"/a", "/b", "/c"} {
		wants(t, route, err, "the route "+route+": Throttle: it needs a number and a time of a millisecond or more, and may have one burst, all more than 0, such as (100, time.Minute, 10)")
	}
}
