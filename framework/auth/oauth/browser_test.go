package oauth

import (
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// A browser follows the pages of a fixture, with its cookies.
type browser struct {
	*fixture
	cookies map[string]string
}

func (f *fixture) browser() *browser { return &browser{f, map[string]string{}} }

// A view is a page as a browser shows it, or the redirect to a client.
type view struct {
	*httptest.ResponseRecorder
	url string // of the page
}

// send sends a request without following redirects.
func (b *browser) send(method, address string, parameters url.Values, alter ...func(*http.Request)) view {
	r := httptest.NewRequest(method, address, strings.NewReader(parameters.Encode()))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.base.URL)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	for _, change := range alter {
		change(r)
	}
	w := httptest.NewRecorder()
	b.mux.ServeHTTP(w, r)
	for _, cookie := range w.Result().Cookies() {
		b.cookies[cookie.Name] = cookie.Value
	}
	return view{w, address}
}

// follow follows redirects within the server.
func (b *browser) follow(v view) view {
	for v.Code == http.StatusSeeOther && strings.HasPrefix(v.Header().Get("Location"), b.base.URL) {
		v = b.send(http.MethodGet, v.Header().Get("Location"), nil)
	}
	return v
}

// nonce returns the cookie of the transaction to which a page belongs.
func (b *browser) nonce(v view) (name, value string) {
	name = "oauth_t_" + strings.Split(v.url, "txn=")[1][:8]
	if strings.HasPrefix(b.base.URL, "https:") {
		name = "__Host-" + name
	}
	return name, b.cookies[name]
}

func (b *browser) open(address string) view { return b.follow(b.send(http.MethodGet, address, nil)) }

var hidden = regexp.MustCompile(`name="csrf" value="([^"]*)"`)
var tag = regexp.MustCompile(`<[^>]*>`)
var action = regexp.MustCompile(`action="([^"]*)"`)

// submit submits the form of a page.
func (b *browser) submit(v view, parameters url.Values, alter ...func(*http.Request)) view {
	sent := maps.Clone(parameters)
	if sent == nil {
		sent = url.Values{}
	}
	if token := hidden.FindStringSubmatch(v.Body.String()); token != nil && sent["csrf"] == nil {
		sent.Set("csrf", token[1])
	}
	target := v.url
	if found := action.FindStringSubmatch(v.Body.String()); found != nil {
		target = html.UnescapeString(found[1])
	}
	return b.follow(b.send(http.MethodPost, target, sent, alter...))
}

// request returns the URL of an authorization request of a client, with changes.
func request(client, redirectURI string, changes ...string) string {
	query := with(url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {redirectURI}, "state": {"a+b/c=="}, "resource": {resource},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"}, "scope": {"mcp:use files:write"},
	}, changes...)
	return issuer + authorizePath + "?" + query.Encode()
}

// toConsent goes to the consent page as ana.
func (b *browser) toConsent(t *testing.T, address string) view {
	t.Helper()
	v := b.submit(b.open(address), url.Values{"name": {"ana"}})
	if v.Code != http.StatusOK || !strings.Contains(v.Body.String(), `value="approve"`) {
		t.Fatalf("the consent page is %d %s", v.Code, v.Body)
	}
	return v
}

// toClient returns the parameters with which a client is answered.
func (v view) toClient(t *testing.T, redirectURI string) url.Values {
	t.Helper()
	location := v.Header().Get("Location")
	rest, ok := strings.CutPrefix(location, redirectURI)
	if v.Code != http.StatusSeeOther || !ok || v.Header().Get("Referrer-Policy") != "no-referrer" || v.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("the answer is %d to %q with %v, want %s", v.Code, location, v.Header(), redirectURI)
	}
	query, err := url.ParseQuery(strings.TrimLeft(rest, "?&"))
	if err != nil {
		t.Fatal(err)
	}
	if query.Get("iss") != issuer {
		t.Errorf("iss is %q", query.Get("iss"))
	}
	return query
}

// isPage fails the test unless a page has a status and a text, and leads nowhere.
func (v view) isPage(t *testing.T, what string, status int, text string) {
	t.Helper()
	shown := tag.ReplaceAllString(v.Body.String(), "")
	if v.Code != status || !strings.Contains(html.UnescapeString(v.Body.String()+shown), text) || v.Header().Get("Location") != "" {
		t.Errorf("%s: the answer is %d to %q: %s\nwant %d with %q", what, v.Code, v.Header().Get("Location"), v.Body, status, text)
	}
	h := v.Header()
	csp := h.Get("Content-Security-Policy")
	if !strings.Contains(csp, "frame-ancestors 'none'") || !strings.HasPrefix(csp, "default-src 'none'; style-src 'sha256-") || h.Get("X-Frame-Options") != "DENY" ||
		h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" || h.Get("Cache-Control") != "no-store" || h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%s: the headers are %v", what, h)
	}
	if strings.Count(v.Body.String(), "<script") != 1 || !strings.Contains(csp, "; script-src 'sha256-") || strings.Contains(v.Body.String(), "src=") {
		t.Errorf("%s: the page loads something: %s", what, v.Body)
	}
}
