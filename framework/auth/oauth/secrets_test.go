package oauth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// secrets are the secrets that a test has seen, by what they are.
type secrets map[string]string

// in returns what a text has.
func (s secrets) in(text string) (found []string) {
	for what, secret := range s {
		if strings.Contains(text, secret) {
			found = append(found, what)
		}
	}
	return found
}

// The log has every level. The files are those of SQLite, with the write-ahead log and without.
func TestNoSecretIsLoggedOrKeptInClear(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := newFixture(t, func(config *Config, _ *mcp.Site) { config.Store = "sqlite:" + filepath.Join(folder, "oauth.db") })
	seen := secrets{}

	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal(f.registers(`{"redirect_uris":["`+webCallback+`"]}`).Body.Bytes(), &client); err != nil {
		t.Fatal(err)
	}
	seen["the secret of a client"] = client.Secret
	b := f.browser()
	login := b.open(request(client.ID, webCallback))
	_, seen["the cookie before the login"] = b.nonce(login)
	seen["a transaction"] = strings.Split(login.url, "txn=")[1]
	b.submit(login, url.Values{"name": {"broken"}}).isPage(t, "a failure", http.StatusInternalServerError, "Its log says why")
	b.submit(login, url.Values{"name": {"ana"}, "csrf": {"x"}}).isPage(t, "a foreign form", http.StatusForbidden, "not sent from its own page")
	consent := b.submit(login, url.Values{"name": {"ana"}})
	_, seen["the cookie after the login"] = b.nonce(consent)
	seen["the cookie of the session"] = b.cookies["__Host-oauth_session"]
	seen["the code"] = b.submit(consent, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}}).toClient(t, webCallback).Get("code")
	seen["the verifier"] = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

	form := url.Values{"grant_type": {grantCode}, "code": {seen["the code"]}, "code_verifier": {seen["the verifier"]}}
	us := basic(client.ID, client.Secret)
	f.post(tokenPath, form, basic(client.ID, "wrong"))
	f.post(tokenPath, with(form, "client_id", client.ID, "client_secret", client.Secret))
	f.post(tokenPath, form, us, func(r *http.Request) { r.URL.RawQuery = form.Encode() })
	f.post(tokenPath, with(form, "code_verifier", strings.Repeat("a", 43)), us)
	f.during(false, func() { f.post(tokenPath, form, us) })
	tokens := answerOf(t, f.post(tokenPath, form, us))
	seen["the first access token"], seen["the first refresh token"] = tokens.AccessToken, tokens.RefreshToken
	refresh := url.Values{"grant_type": {grantRefresh}, "refresh_token": {tokens.RefreshToken}}
	next := answerOf(t, f.post(tokenPath, refresh, us))
	answerOf(t, f.post(tokenPath, refresh, us))
	seen["the second access token"], seen["the second refresh token"] = next.AccessToken, next.RefreshToken
	f.introspects(t, next.AccessToken)
	f.post(tokenPath, form, us) // ends the grant
	f.post(revokePath, url.Values{"token": {next.RefreshToken}}, us)
	f.post(revokePath, url.Values{"token": {next.AccessToken}}, us)
	own := answerOf(t, f.post(tokenPath, url.Values{"grant_type": {grantCredentials}, "resource": {resource}}, basic("machine", secret)))
	seen["the token of a client itself"], seen["the secret of that client"] = own.AccessToken, secret

	names := []string{"oauth.db", "oauth.db-wal", "oauth.db-shm"}
	for range 2 {
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // a test
			if err != nil {
				t.Fatal(err)
			}
			if found := seen.in(string(text)); found != nil {
				t.Errorf("%s has %v", name, found)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		names = names[:1]
	}
	f.post(tokenPath, refresh, us)
	f.browser().open(request(client.ID, webCallback)).isPage(t, "without a store", http.StatusInternalServerError, "Its log says why")
	if found := seen.in(f.log.String()); found != nil {
		t.Errorf("the log has %v:\n%s", found, f.log)
	}
}
