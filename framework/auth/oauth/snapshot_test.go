package oauth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/documents"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// An internet answers what a fixture fetches. Pages that it lacks are one that asks whether the
// visitor is human.
type internet struct {
	mu    sync.Mutex
	pages map[string]string // JSON by its URL
	asked []string
}

func (i *internet) RoundTrip(r *http.Request) (*http.Response, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked = append(i.asked, r.URL.String())
	w := httptest.NewRecorder()
	if text, ok := i.pages[r.URL.String()]; ok {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.WriteString(text)
	} else {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.WriteString("<title>Just a moment...</title>")
	}
	return w.Result(), nil
}

// sees lets a fixture fetch documents and keys from an internet.
func (f *fixture) sees(t *testing.T, pages map[string]string) *internet {
	t.Helper()
	i := &internet{pages: pages}
	snapshot, err := documents.Snapshot(f.config.Documents)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: i}
	f.clients.Documents, f.clients.Keys = documents.New(client, snapshot, f.base.Limits.Documents), clients.NewPublishedKeys(client, f.base.Logger)
	return i
}

const claudeID, claudeCallback = "https://claude.ai/oauth/mcp-oauth-client-metadata", "https://claude.ai/api/mcp/auth_callback"

func TestKnownClientsLogInWhileTheirDocumentsCannotBeFetched(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	i := f.sees(t, nil)
	for _, known := range []struct{ id, name, uri string }{
		{claudeID, "Claude", claudeCallback},
		{claudeID, "Claude", "https://claude.com/api/mcp/auth_callback"},
		{"https://claude.ai/oauth/claude-code-client-metadata", "Claude Code", "http://localhost:3118/callback"},
		{"https://chatgpt.com/oauth/client.json", "ChatGPT", "https://chatgpt.com/connector_platform_oauth_redirect"},
		{"https://chatgpt.com/oauth/codex/client.json", "Codex", "http://127.0.0.1:37819/callback"},
		{"https://vscode.dev/oauth/client-metadata.json", "Visual Studio Code", "http://127.0.0.1:33418/"},
		{"https://vscode.dev/oauth/client-metadata.json", "Visual Studio Code", "http://127.0.0.1:54321/"},
		{"https://vscode.dev/oauth/client-metadata.json", "Visual Studio Code", "https://vscode.dev/redirect"},
		{"https://zed.dev/oauth/client-metadata.json", "Zed", "http://127.0.0.1:49152/callback"},
		{"https://opencode.ai/oauth/opencode/client.json", "opencode", "http://127.0.0.1:19876/callback"},
	} {
		b := f.browser()
		consent := b.toConsent(t, request(known.id, known.uri))
		if !strings.Contains(consent.Body.String(), "Allow "+known.name+" access?") {
			t.Errorf("%s: the page is %s", known.id, consent.Body)
		}
		if !slices.Contains(i.asked, known.id) {
			t.Errorf("%s: the snapshot is used without a fetch: %v", known.id, i.asked)
		}
		answer := b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).toClient(t, known.uri)
		form := url.Values{"grant_type": {grantCode}, "client_id": {known.id}, "code": {answer.Get("code")}, "code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}}
		answerOf(t, f.post(tokenPath, form))
	}
	f.browser().open(request(claudeID, "https://evil.example/cb")).isPage(t, "another redirect URI", http.StatusBadRequest, "has not registered")
	f.browser().open(request("https://unknown.example/client.json", callback)).isPage(t, "an unknown client", http.StatusBadRequest, "can't be read, or is not valid")
	if !strings.Contains(f.log.String(), "the status is 403") {
		t.Errorf("the log is %s", f.log)
	}
}

func TestADocumentThatCanBeFetchedWinsOverItsSnapshot(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	i := f.sees(t, map[string]string{claudeID: `{"client_id":"` + claudeID + `","client_name":"Claude Next","redirect_uris":["https://claude.ai/next"]}`})
	f.browser().open(request(claudeID, claudeCallback)).isPage(t, "the redirect URI of the snapshot", http.StatusBadRequest, "has not registered")
	f.browser().open(request(claudeID, "https://claude.ai/next")).isPage(t, "that of the document", http.StatusOK, "Claude Next asks for access")
	if strings.Contains(f.log.String(), "snapshot") || len(i.asked) != 1 {
		t.Errorf("the fetches are %v, and the log is %s", i.asked, f.log)
	}
	f = newFixture(t)
	f.sees(t, map[string]string{claudeID: `{"client_id":"https://claude.ai/oauth","client_name":"Claude","redirect_uris":["https://claude.ai/next"]}`})
	f.browser().open(request(claudeID, claudeCallback)).isPage(t, "a document that is not valid", http.StatusOK, "Claude asks for access")
}

func TestTheUseOfASnapshotIsLoggedOnceAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.sees(t, nil)
		count := func() int { return strings.Count(f.log.String(), "so its snapshot is used") }
		for range 3 {
			f.browser().open(request(claudeID, claudeCallback))
		}
		if count() != 1 || !strings.Contains(f.log.String(), "level=INFO msg=\"the metadata document of the client can't be fetched") {
			t.Errorf("the log is %s", f.log)
		}
		f.browser().open(request("https://zed.dev/oauth/client-metadata.json", "http://127.0.0.1:1/callback"))
		if count() != 2 {
			t.Errorf("another client: the log is %s", f.log)
		}
		time.Sleep(time.Hour)
		f.browser().open(request(claudeID, claudeCallback))
		if count() != 3 {
			t.Errorf("an hour later the log is %s", f.log)
		}
	})
}

func TestAnOperatorReplacesAndAddsDocuments(t *testing.T) {
	t.Parallel()
	const acme = "https://acme.example/client.json"
	custom := fstest.MapFS{
		"claude.json": {Data: []byte(`{"client_id":"` + claudeID + `","client_name":"Our Claude","redirect_uris":["` + claudeCallback + `"]}`)},
		"acme.json":   {Data: []byte(`{"client_id":"` + acme + `","client_name":"Acme","redirect_uris":["https://acme.example/cb"]}`)},
		"README.md":   {Data: []byte("no document")},
	}
	f := newFixture(t, func(c *Config, _ *mcp.Site) { c.Documents = custom })
	f.sees(t, nil)
	f.browser().open(request(claudeID, claudeCallback)).isPage(t, "one that is replaced", http.StatusOK, "Our Claude asks for access")
	f.browser().open(request(acme, "https://acme.example/cb")).isPage(t, "one that is added", http.StatusOK, "Acme asks for access")
	f.browser().open(request("https://zed.dev/oauth/client-metadata.json", "http://127.0.0.1:1/callback")).isPage(t, "another", http.StatusOK, "Zed asks for access")

	for want, text := range map[string]string{
		"Config.Documents: the document acme.json is not the metadata of a client":                                                    `[]`,
		`Config.Documents: the document acme.json can't describe the client "": it is not an https URL`:                               `{}`,
		`Config.Documents: the document acme.json can't describe the client "https://acme.example/client.json": it lacks client_name`: `{"client_id":"` + acme + `"}`,
	} {
		server := New(Config{Documents: fstest.MapFS{"acme.json": {Data: []byte(text)}}})
		if err := server.Open(t.Context(), mcp.Site{URL: issuer}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
	}
}

func TestOneFetchServesManyAuthorizationRequests(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	i := f.sees(t, map[string]string{described: `{"client_id":"` + described + `","client_name":"Client","redirect_uris":["` + webCallback + `"]}`})
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if v := f.browser().open(request(described, webCallback)); v.Code != http.StatusOK {
				t.Errorf("the page is %d %s", v.Code, v.Body)
			}
		})
	}
	all.Wait()
	if len(i.asked) != 1 {
		t.Errorf("50 requests cause %d fetches", len(i.asked))
	}
}

// Nothing is remembered, so a client that has become another one gets nothing from an earlier
// consent.
func TestAUserDecidesAgainAfterTheDocumentHasChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, key := newFixture(t), newKey(t, jose.ES256)
		document := func(more string) string {
			return `{"client_id":"` + described + `","client_name":"Client","redirect_uris":["` + webCallback + `"]` + more + `}`
		}
		i := f.sees(t, nil)
		change := func(text string) {
			i.pages = map[string]string{described: text}
			time.Sleep(6 * time.Minute) // longer than the document is kept, and not so long as the login
		}
		b := f.browser()
		change(document(""))
		first := b.submit(b.toConsent(t, request(described, webCallback)), url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).toClient(t, webCallback)
		form := url.Values{"grant_type": {grantCode}, "client_id": {described}, "code": {first.Get("code")}, "code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}}
		tokens := answerOf(t, f.post(tokenPath, form))
		keys, _ := json.Marshal(keySet(t, key))
		for what, text := range map[string]string{
			"nothing":    document(""),
			"its name":   strings.Replace(document(""), "Client", "Another", 1),
			"its method": document(`,"token_endpoint_auth_method":"private_key_jwt","jwks":` + string(keys)),
		} {
			change(text)
			b.open(request(described, webCallback)).isPage(t, what, http.StatusOK, `value="approve"`)
		}
		change(document(`,"token_endpoint_auth_method":"private_key_jwt","jwks":` + string(keys)))
		refresh := url.Values{"grant_type": {grantRefresh}, "client_id": {described}, "refresh_token": {tokens.RefreshToken}}
		refuses(t, "its old method", f.post(tokenPath, refresh), http.StatusUnauthorized, "invalid_client")
		answerOf(t, f.post(tokenPath, asserted(refresh, assertion(t, described, key))))

		change(document(""))
		open := b.open(request(described, webCallback))
		change(strings.Replace(document(""), webCallback, "https://web.example/new", 1))
		b.open(request(described, webCallback)).isPage(t, "its old redirect URI", http.StatusBadRequest, "has not registered")
		b.submit(open, url.Values{"decision": {"approve"}}).isPage(t, "its old redirect URI on an open page", http.StatusBadRequest, "expired")
	})
}
