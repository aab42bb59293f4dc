package fetch_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/fetch"
)

func TestTheLifetimeOfAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"": 5 * time.Minute, "public": 5 * time.Minute, "max-age=0": time.Minute, "no-store": time.Minute, "no-cache, max-age=600": time.Minute, "public, max-age=600": 10 * time.Minute,
		`max-age="600"`: 10 * time.Minute, "Max-Age=600": 10 * time.Minute, "max-age=99999999": 24 * time.Hour, "max-age=99999999999999": 24 * time.Hour, "max-age=x": 5 * time.Minute, "max-age=-5": time.Minute,
	} {
		answer := fetch.Answer{Header: http.Header{"Cache-Control": {header}}}
		if got := answer.Lifetime(time.Minute, 24*time.Hour, 5*time.Minute); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func TestAnAnswerIsReadUpToItsLimitAndFollowedNowhere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/elsewhere":
			t.Error("a redirect is followed")
		case "/redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			_, _ = io.WriteString(w, strings.Repeat("a", 100))
		}
	}))
	t.Cleanup(server.Close)
	client := fetch.NewClient(fetch.Everywhere, nil)
	if a, err := fetch.Get(t.Context(), client, server.URL, 100); err != nil || len(a.Body) != 100 {
		t.Errorf("an answer of 100 bytes: %+v, %v", a, err)
	}
	if a, err := fetch.Get(t.Context(), client, server.URL, 99); !errors.Is(err, fetch.ErrTooLong) || a.Status != http.StatusOK || a.Body != nil {
		t.Errorf("an answer that is too long: %+v, %v", a, err)
	}
	if a, err := fetch.Get(t.Context(), client, server.URL+"/redirect", 100); err != nil || a.Status != http.StatusFound {
		t.Errorf("a redirect: %+v, %v", a, err)
	}
	if a, err := fetch.Get(t.Context(), client, server.URL+"/events", 100); err != nil || a.Body != nil {
		t.Errorf("an event stream: %+v, %v", a, err)
	}
	given := &http.Client{}
	bounded := fetch.NewClient(fetch.Public, given)
	bounded.Transport = fetch.Bound(nil, 10)
	if _, err := fetch.Get(t.Context(), bounded, server.URL, 100); !errors.Is(err, fetch.ErrTooLong) || given.CheckRedirect != nil || given.Transport != nil {
		t.Errorf("a transport with a limit: %v; the client of the program is %+v", err, given)
	}
	for _, reach := range []fetch.Reach{fetch.OffLink, fetch.Public} {
		if _, err := fetch.Get(t.Context(), fetch.NewClient(reach, nil), server.URL, 100); !errors.Is(err, fetch.ErrInternal) && !errors.Is(err, fetch.ErrNotPublic) {
			t.Errorf("loopback is reached: %v", err)
		}
	}
}
