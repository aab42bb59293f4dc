package authtest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
)

// A provider is an authorization server with one page, which asks for a name.
func provider(t *testing.T, name string) (route string) {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	document := func(path, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "URL", web.URL))
		})
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer scope="notes:read", resource_metadata="`+web.URL+`/metadata"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	document("/metadata", `{"resource":"URL/mcp","authorization_servers":["URL"]}`)
	document("/.well-known/oauth-authorization-server", `{"issuer":"URL","authorization_endpoint":"URL/authorize","token_endpoint":"URL/token","registration_endpoint":"URL/register"}`)
	document("POST /register", `{"client_id":"c1"}`)
	document("GET /authorize", `<form method="post" action="/login?a=1&amp;b=2"><input type="hidden" name="csrf" value="&lt;7&gt;"></form>`)
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("name") != name || r.FormValue("csrf") != "<7>" || r.URL.RawQuery != "a=1&b=2" || r.Header.Get("Origin") != web.URL {
			http.Error(w, "The name is wrong.", http.StatusForbidden)
			return
		}
		http.Redirect(w, r, "http://127.0.0.1/callback?code=c", http.StatusSeeOther)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("code") != "c" || r.FormValue("client_id") != "c1" || len(r.FormValue("code_verifier")) < 43 || r.FormValue("resource") != web.URL+"/mcp" {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = io.WriteString(w, `{"access_token":"a","refresh_token":"r","scope":"notes:read"}`)
	})
	return web.URL + "/mcp"
}

func TestALoginSubmitsThePagesOfTheServer(t *testing.T) {
	t.Parallel()
	route := provider(t, "ana")
	tokens := authtest.Login(t, route, url.Values{"name": {"ana"}})
	want := authtest.Tokens{Access: "a", Refresh: "r", Scope: "notes:read", Endpoint: strings.TrimSuffix(route, "/mcp") + "/token", Client: "c1"}
	if tokens != want {
		t.Errorf("the tokens are %+v, want %+v", tokens, want)
	}
}

func TestALoginThatFailsSaysOnWhichPage(t *testing.T) {
	t.Parallel()
	for what, tt := range map[string]struct {
		forms []url.Values
		want  string
	}{
		"a wrong name": {[]url.Values{{"name": {"bob"}}, {}}, "page 2, "},
		"no form":      {nil, "page 1, "},
	} {
		if text := failure(t, func(t authtest.TB) { authtest.Login(t, provider(t.(*failing).T, "ana"), tt.forms...) }); !strings.Contains(text, tt.want) {
			t.Errorf("%s: the test fails with %q, want %q", what, text, tt.want)
		}
	}
	open := httptest.NewServer(http.NotFoundHandler())
	defer open.Close()
	if text := failure(t, func(t authtest.TB) { authtest.Login(t, open.URL) }); !strings.Contains(text, "the metadata of the route (WWW-Authenticate: )") {
		t.Errorf("an open route fails the test with %q", text)
	}
}

// failing is a test whose failure is kept.
type failing struct {
	*testing.T
	text string
}

func (f *failing) Fatal(args ...any) {
	f.text = fmt.Sprint(args...)
	panic(f)
}

// failure returns the text with which fn fails its test.
func failure(t *testing.T, fn func(authtest.TB)) (text string) {
	t.Helper()
	f := &failing{T: t}
	defer func() {
		if recovered := recover(); recovered != nil && recovered != any(f) {
			panic(recovered)
		}
		text = f.text
	}()
	fn(f)
	return ""
}
