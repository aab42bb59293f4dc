package oauth

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/database/sqlite"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// principalOf returns the principal of a token.
func principalOf(t *testing.T, verifier auth.Verifier, token, resource string) exchange.Principal {
	t.Helper()
	principal, err := verifier.Verify(t.Context(), token, resource)
	if err != nil {
		t.Fatal(err)
	}
	return principal
}

// An app that keys its data by the ID finds them under another domain or port.
func TestAPrincipalSurvivesAMove(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "oauth.db")
	at := func(address, route string) *fixture {
		return newFixture(t, func(c *Config, s *mcp.Site) {
			c.Store = "sqlite:" + path
			s.URL, s.Resources = address, []string{route}
			s.Resource = func(text string) (string, bool) { return text, text == route }
		})
	}
	before := at(issuer, resource)
	personal, _ := before.personalToken(t)
	answer := answerOf(t, before.post(tokenPath, url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {before.code(t, app, callback)}, "code_verifier": {verifier}}))
	want := principalOf(t, before.Verifier(), personal, resource).ID
	if want != PrincipalID("u1") {
		t.Errorf("the ID is %q, want %q", want, PrincipalID("u1"))
	}
	if id := principalOf(t, before.Verifier(), answer.AccessToken, resource).ID; id != want {
		t.Errorf("an access token has the principal %q, a personal one %q", id, want)
	}
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	const moved = "https://new.example:8443/app"
	after := at(moved, moved+"/mcp/private")
	if id := principalOf(t, after.Verifier(), personal, moved+"/mcp/private").ID; id != want {
		t.Errorf("after the move the ID is %q, want %q", id, want)
	}
	fresh := answerOf(t, after.post("/app"+tokenPath, url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {answer.RefreshToken}}))
	access, ok := after.accessToken(fresh.AccessToken)
	if !ok || access.claims["iss"] != moved {
		t.Fatalf("a refresh after the move gets %+v", access)
	}
	if id := principalOf(t, after.Verifier(), fresh.AccessToken, moved+"/mcp/private").ID; id != want {
		t.Errorf("after a refresh the ID is %q, want %q", id, want)
	}
	if err := after.Close(); err != nil {
		t.Fatal(err)
	}
	elsewhere := at("https://other.example", "https://other.example/another/mcp")
	form := url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {fresh.RefreshToken}}
	refuses(t, "a refresh for a route that is gone", elsewhere.post(tokenPath, form), http.StatusBadRequest, "invalid_grant")
}

// An ID of a user is none that the names of static tokens, which have no space, or the issuers
// of others, which are URLs, can produce.
func TestNoOtherVerifierMakesThePrincipalOfAUser(t *testing.T) {
	t.Parallel()
	id := PrincipalID("ana")
	sum := sha256.Sum256([]byte("token"))
	hash := hex.EncodeToString(sum[:])
	for _, name := range []string{id, strings.ReplaceAll(id, " ", "\u00a0"), strings.Fields(id)[0]} {
		static := auth.Static(name + " " + hash)
		if principal, err := static.Verify(t.Context(), "token", resource); err == nil && principal.ID == id {
			t.Errorf("a static token named %q has the principal %q", name, id)
		}
	}
	for _, address := range []string{"oauth:", "oauth: ana", "oauth://ana"} {
		if _, err := auth.JWT(auth.Issuer{URL: address}).Issuers(); err == nil {
			t.Errorf("%q can be an external issuer", address)
		}
	}
}

// The statement of UPGRADE.md gives data the new owners.
func TestOwnersOfDataAreMigrated(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../UPGRADE.md")
	if err != nil {
		t.Fatal(err)
	}
	statement := regexp.MustCompile("(?s)```sql\n(UPDATE notes .*?)```").FindSubmatch(text)
	if statement == nil {
		t.Fatal("UPGRADE.md has no statement for notes")
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a test
	if err := db.Migrate(t.Context(), "notes", `CREATE TABLE notes (id {key} PRIMARY KEY, owner {key} NOT NULL)`); err != nil {
		t.Fatal(err)
	}
	owners := map[string]string{
		"https://notes.example.com 6F1D2C": PrincipalID("6F1D2C"), "https://idp.example 6F1D2C": "https://idp.example 6F1D2C",
		"https://notes.example.community 1": "https://notes.example.community 1", "ana": "ana",
	}
	for owner := range owners {
		if _, err := db.Exec(t.Context(), `INSERT INTO notes VALUES ($1, $1)`, owner); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // again changes nothing
		if _, err := db.Exec(t.Context(), string(statement[1])); err != nil {
			t.Fatal(err)
		}
		for id, want := range owners {
			var owner string
			if err := db.Get(t.Context(), []any{&owner}, `SELECT owner FROM notes WHERE id = $1`, id); err != nil || owner != want {
				t.Errorf("the owner %q becomes %q, %v; want %q", id, owner, err, want)
			}
		}
	}
}
