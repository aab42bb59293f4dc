package oauth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// get sends a GET request, whose headers try to change the URLs of the answer.
func (f *fixture) get(t *testing.T, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "https://evil.test"+path, nil)
	for _, name := range []string{"X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Original-Host"} {
		r.Header.Set(name, "host=evil.test")
	}
	w := httptest.NewRecorder()
	f.mux.ServeHTTP(w, r)
	return w
}

func TestTheMetadataDescribesTheServer(t *testing.T) {
	t.Parallel()
	const want = `{
		"issuer": "https://example.com",
		"authorization_endpoint": "https://example.com/oauth/authorize",
		"token_endpoint": "https://example.com/oauth/token",
		"jwks_uri": "https://example.com/oauth/jwks",
		"registration_endpoint": "https://example.com/oauth/register",
		"revocation_endpoint": "https://example.com/oauth/revoke",
		"introspection_endpoint": "https://example.com/oauth/introspect",
		"scopes_supported": ["mcp:use", "offline_access"],
		"response_types_supported": ["code"],
		"response_modes_supported": ["query"],
		"grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
		"token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
		"revocation_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
		"introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "private_key_jwt"],
		"token_endpoint_auth_signing_alg_values_supported": ["ES256", "EdDSA", "RS256", "PS256"],
		"revocation_endpoint_auth_signing_alg_values_supported": ["ES256", "EdDSA", "RS256", "PS256"],
		"introspection_endpoint_auth_signing_alg_values_supported": ["ES256", "EdDSA", "RS256", "PS256"],
		"code_challenge_methods_supported": ["S256"],
		"authorization_response_iss_parameter_supported": true,
		"client_id_metadata_document_supported": true,
		"subject_types_supported": ["public"],
		"id_token_signing_alg_values_supported": ["ES256"]
	}`
	f := newFixture(t)
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		w := f.get(t, http.MethodGet, path)
		var got, expected map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
		_ = json.Unmarshal([]byte(want), &expected)
		if !reflect.DeepEqual(got, expected) {
			t.Errorf("%s has\n%v, want\n%v", path, got, expected)
		}
		if h := w.Header(); h.Get("Content-Type") != "application/json" || h.Get("Cache-Control") != "public, max-age=300" || h["Set-Cookie"] != nil {
			t.Errorf("%s: the header is %v", path, h)
		}
		if head := f.get(t, http.MethodHead, path); head.Code != http.StatusOK || head.Body.Len() != 0 {
			t.Errorf("HEAD gets %d %s", head.Code, head.Body)
		}
		if w := f.get(t, http.MethodPost, path); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("POST gets %d", w.Code)
		}
	}
}

func TestAnIssuerWithAPathHasItsMetadataBehindTheWellKnownPart(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(_ *Config, site *mcp.Site) { site.URL = "https://example.com/base" })
	for path, status := range map[string]int{
		"/.well-known/oauth-authorization-server/base": 200, "/.well-known/openid-configuration/base": 200, "/base/.well-known/openid-configuration": 200, "/base/oauth/jwks": 200,
		"/.well-known/oauth-authorization-server": 404, "/.well-known/openid-configuration": 404, "/.well-known/oauth-authorization-server/other": 404, "/oauth/jwks": 404,
	} {
		w := f.get(t, http.MethodGet, path)
		if w.Code != status {
			t.Errorf("%s: the status is %d, want %d", path, w.Code, status)
		}
		if status == 200 && strings.Contains(path, "well-known") && (!strings.Contains(w.Body.String(), `"issuer":"https://example.com/base"`) || !strings.Contains(w.Body.String(), `"https://example.com/base/oauth/token"`)) {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

// A proxy may remove the path, so each redirect, form and link must have it.
func TestThePagesOfAnIssuerWithAPathLeadBelowIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(_ *Config, site *mcp.Site) { site.URL = issuer + "/base" })
	b := f.browser()
	login := b.open(strings.Replace(request("app", callback), issuer, issuer+"/base", 1))
	consent := b.submit(login, url.Values{"name": {"ana"}})
	for what, page := range map[string]view{"login": login, "consent": consent, "account": b.open(issuer + "/base" + accountPath), "error": b.open(issuer + "/base" + authorizePath)} {
		if !strings.HasPrefix(page.url, issuer+"/base/oauth/") {
			t.Errorf("%s: the page is at %s", what, page.url)
		}
		links := regexp.MustCompile(`(?:action|href)="([^"]*)"`).FindAllStringSubmatch(page.Body.String(), -1)
		if len(links) == 0 {
			t.Errorf("%s: the page has no link: %d %s", what, page.Code, page.Body)
		}
		for _, link := range links {
			if !strings.HasPrefix(link[1], issuer+"/base/oauth/") {
				t.Errorf("%s: the page leads to %s", what, link[1])
			}
		}
	}
}

func TestThePublishedKeysVerifyTheTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.get(t, http.MethodGet, endpoint.KeysPath)
	set, err := jose.ParseKeySet(w.Body.Bytes())
	if err != nil || set.Len() != 1 {
		t.Fatalf("the keys are %s, %v", w.Body, err)
	}
	token, err := jose.Parse(f.login(t).AccessToken)
	if err != nil || !set.Has(token.KeyID) {
		t.Errorf("the key of the token is %s, %v", token.KeyID, err)
	}
	for _, private := range []string{`"d"`, `"p"`, `"q"`, `"k"`} {
		if strings.Contains(w.Body.String(), private) {
			t.Errorf("the keys have %s", private)
		}
	}
}
