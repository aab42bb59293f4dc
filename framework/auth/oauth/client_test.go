package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/documents"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

const described = "https://client.example/oauth/client.json"

// description is one document, or an error.
type description struct {
	document documents.Document
	err      error
}

func (s *description) Get(_ context.Context, id string, _ throttle.Key) (documents.Document, error) {
	if id != s.document.ClientID {
		return documents.Document{}, errors.New("dial tcp 10.0.0.1:443: connection refused")
	}
	return s.document, s.err
}

func newDescription() *description {
	return &description{document: documents.Document{
		ClientID: described, Name: "Claude Code", RedirectURIs: []string{"http://localhost/callback", "javascript:alert(1)"},
		GrantTypes: []string{grantCode, grantRefresh, "urn:ietf:params:oauth:grant-type:jwt-bearer"}, AuthMethods: []string{"private_key_jwt", "none"}, AuthMethod: "private_key_jwt",
	}}
}

func TestAClientIsDescribedByItsDocument(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.clients.Documents = newDescription()
	const uri = "http://localhost:54321/callback"
	b := f.browser()
	consent := b.toConsent(t, request(described, uri))
	for text, want := range map[string]bool{"Allow Claude Code access?": true, "describes itself at</dt><dd>client.example</dd>": true, "localhost:54321": false, "a program on this computer": true, "registered itself": false} {
		if strings.Contains(consent.Body.String(), text) != want {
			t.Errorf("the page has %q: %v", text, !want)
		}
	}
	answer := b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).toClient(t, uri)
	form := url.Values{"grant_type": {grantCode}, "client_id": {described}, "code": {answer.Get("code")}, "code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}}
	tokens := answerOf(t, f.post(tokenPath, form))
	if access, _ := f.accessToken(tokens.AccessToken); access.claims["client_id"] != described || tokens.RefreshToken == "" {
		t.Errorf("the tokens are %+v", tokens)
	}
	refuses(t, "a secret", f.post(tokenPath, with(form, "client_secret", "x")), http.StatusUnauthorized, "invalid_client")
	refuses(t, "a foreign client", f.post(tokenPath, with(form, "grant_type", grantCredentials)), http.StatusBadRequest, "unauthorized_client")
	b.open(request(described, "javascript:alert(1)")).isPage(t, "a redirect URI that is not safe", http.StatusBadRequest, "has not registered")
}

// Anybody can publish a document, and could use the answer to send people anywhere.
func TestAnErrorForAClientWithADocumentIsAPage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.clients.Documents = newDescription()
	const uri = "http://localhost:54321/callback"
	page := f.browser().open(request(described, uri, "scope", "admin"))
	page.isPage(t, "an unknown scope", http.StatusBadRequest, "Back to a program on this computer")
	if !strings.Contains(page.Body.String(), `href="`+uri+`?error=invalid_scope`) {
		t.Errorf("the page has no link to the client: %s", page.Body)
	}
}

// What is at an address of somebody's choice is nobody's business but the operator's.
func TestADocumentThatCannotBeUsedIsLoggedAndNotTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.clients.Documents = newDescription()
	page := f.browser().open(request("https://intranet.example/client.json", callback))
	page.isPage(t, "the page", http.StatusBadRequest, "can't be read, or is not valid")
	w := f.post(tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"https://intranet.example/client.json"}, "refresh_token": {"x"}})
	refuses(t, "the token endpoint", w, http.StatusServiceUnavailable, "temporarily_unavailable")
	if w.Header().Get("Retry-After") != "30" || strings.Contains(w.Body.String()+page.Body.String(), "10.0.0.1") {
		t.Errorf("the answer is %v %s", w.Header(), w.Body)
	}
	if !strings.Contains(f.log.String(), "connection refused") || !strings.Contains(f.log.String(), "intranet.example") {
		t.Errorf("the log is %s", f.log)
	}
	for what, alter := range map[string]func(*documents.Document){
		"redirect_uris":         func(d *documents.Document) { d.RedirectURIs = []string{"http://client.example/cb"} },
		"grant_types":           func(d *documents.Document) { d.GrantTypes = []string{"client_credentials"} },
		"authentication method": func(d *documents.Document) { d.AuthMethods = []string{"private_key_jwt"} },
		"the server supports":   func(d *documents.Document) { d.AuthMethods = []string{"tls_client_auth"} },
		"client_name":           func(d *documents.Document) { d.Name = "Claude\u202eedoC" },
	} {
		f := newFixture(t)
		one := newDescription()
		alter(&one.document)
		f.clients.Documents = one
		f.browser().open(request(described, "http://localhost:1/callback")).isPage(t, what, http.StatusBadRequest, "can't be read, or is not valid")
		if !strings.Contains(f.log.String(), what) {
			t.Errorf("%s: the log is %s", what, f.log)
		}
	}
}

func TestAStaticClientWinsOverADocument(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.clients.Documents = newDescription()
	own := store.Client{ID: described, Source: store.Static, Name: "Our own", RedirectURIs: []string{webCallback}, Created: time.Now()}
	if err := f.base.Store.CreateClient(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	f.browser().open(request(described, webCallback)).isPage(t, "the page", http.StatusOK, "Our own asks for access")
}

func TestAClientOfAnotherGrantGetsNoCode(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.adds(t, store.Client{ID: "desk", Source: store.Static, RedirectURIs: []string{webCallback}, GrantTypes: []string{grantAssertion}})
	if answer := f.browser().open(request("desk", webCallback)).toClient(t, webCallback); answer.Get("error") != "unauthorized_client" {
		t.Errorf("the answer is %v", answer)
	}
}

func TestARedirectURIKeepsItsQuery(t *testing.T) {
	t.Parallel()
	const uri = webCallback + "?team=1"
	f := newFixture(t)
	f.adds(t, store.Client{ID: "team", Source: store.Static, RedirectURIs: []string{uri}})
	if answer := f.browser().open(request("team", uri, "scope", "admin")).toClient(t, uri+"&"); answer.Get("error") != "invalid_scope" {
		t.Errorf("the answer is %v", answer)
	}
}

func TestAPageExpiresWithItsClient(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.browser()
	consent := b.toConsent(t, request("app", callback))
	if err := f.base.Store.DeleteClient(t.Context(), "app"); err != nil {
		t.Fatal(err)
	}
	b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).isPage(t, "a client that is removed", http.StatusBadRequest, "expired, or was used")
}
