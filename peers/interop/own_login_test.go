package interop_test

import (
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// The user of the tests. The browser (node/browser.mjs) has the same name and password.
const (
	userName     = "ada@example.com"
	userPassword = "correct horse battery staple"
)

// startOwn starts the program of guarded routes, of which only those are used that its own
// authorization server guards.
func startOwn(t *testing.T) *program {
	t.Helper()
	return start(t, filepath.Join("peers", "guarded"), "ISSUER=http://127.0.0.1:1", "CLIENT_ID=none", "CLIENT_SECRET=none")
}

// addUser adds the user to the program's own authorization server, and returns the ID.
func (p *program) addUser(t *testing.T) string {
	t.Helper()
	out := p.run(t, userPassword, "user:create", userName, "--password-stdin")
	id := regexp.MustCompile(`The ID is (\w+)\.`).FindStringSubmatch(out)
	if id == nil {
		t.Fatalf("user:create prints no ID: %s", out)
	}
	return id[1]
}

// TestReferenceAppLogins lets other projects' clients log in at the authorization server of the
// reference app: they find it, register, get a code with the user's consent, and call a tool.
func TestReferenceAppLogins(t *testing.T) {
	requireNode(t)
	app := start(t, ".")
	app.addUser(t)
	url := "http://" + app.addr + "/mcp/private"
	if _, refused := whoami(t, url, ""); refused == nil || refused.status != http.StatusUnauthorized {
		t.Fatalf("a call without a token: got %v, want 401", refused)
	}
	tests := map[string]func(*testing.T){}
	for _, c := range loginClients() {
		tests[c.name] = func(t *testing.T) {
			if c.pkg != "" {
				requireNode(t, c.pkg)
			}
			session := c.open(t, url, codeAndRefresh)
			defer session.end(t)
			if got := call(testContext(t), t, session, "echo", map[string]any{"message": "hello"}); !slices.Equal(got.Texts, []string{"hello"}) {
				t.Errorf("echo: %+v", got)
			}
		}
	}
	for _, era := range []string{"modern", "legacy"} {
		tests["inspector "+era] = func(t *testing.T) {
			requireNode(t, "@modelcontextprotocol/inspector")
			inspectorCallsEcho(t, target{URL: url}, era)
		}
	}
	together(t, tests)
}

// TestOwnAuthorizationServer lets the clients also get another scope and refresh their tokens,
// at an authorization server like that of the reference app.
func TestOwnAuthorizationServer(t *testing.T) {
	requireNode(t)
	app := startOwn(t)
	lasting := guardedRoute{
		url: "http://" + app.addr + "/own", subject: app.addUser(t),
		refreshed: func(before, after identity) bool {
			return after.Claims.GrantID == before.Claims.GrantID && after.Claims.ID != before.Claims.ID
		},
	}
	brief := lasting
	brief.url += "/brief"
	t.Run("logins", func(t *testing.T) { testLogins(t, brief, lasting) })
	t.Run("refusal of typescript-v1", func(t *testing.T) { testRefusalOfTypeScriptV1(t, lasting) })
	t.Run("logins of the inspector", func(t *testing.T) { testLoginsOfTheInspector(t, brief, lasting) })
	t.Run("documents", func(t *testing.T) { testDocuments(t, lasting) })
	offered := lasting
	offered.url += "/offered"
	t.Run("a scope that is offered", func(t *testing.T) { testOfferedScope(t, offered) })
}

// testOfferedScope lets clients call a tool that needs a scope which the guard offers. Those
// with the TypeScript SDK v1 ask for scopes at the login only.
func testOfferedScope(t *testing.T, route guardedRoute) {
	t.Parallel()
	tests := map[string]func(*testing.T){}
	for _, c := range loginClients() {
		tests[c.name] = func(t *testing.T) {
			if c.pkg != "" {
				requireNode(t, c.pkg)
			}
			session := c.open(t, route.url, codeAndRefresh)
			defer session.end(t)
			if who := session.who(t, "write-file"); who.Subject != route.subject || !slices.Equal(who.Scopes, []string{"files:write", "mcp:use"}) && !slices.Equal(who.Scopes, []string{"mcp:use", "files:write"}) {
				t.Errorf("the principal is %+v", who)
			}
		}
	}
	together(t, tests)
}

// testDocuments lets the clients log in with the URL of their metadata document as their ID.
func testDocuments(t *testing.T, route guardedRoute) {
	t.Parallel()
	tests := map[string]func(*testing.T){
		"inspector": func(t *testing.T) {
			requireNode(t, "@modelcontextprotocol/inspector")
			to := []string{route.url, "--transport", "http", "--client-metadata-url", documentURL}
			if who := inspectorCalls(t, t.TempDir(), "whoami", to); who.Client != documentURL || who.Subject != route.subject {
				t.Errorf("the principal is %+v", who)
			}
		},
	}
	for _, c := range loginClients() {
		tests[c.name] = func(t *testing.T) {
			if c.pkg != "" {
				requireNode(t, c.pkg)
			}
			session := c.open(t, route.url, byDocument)
			defer session.end(t)
			if who := session.who(t, "whoami"); who.Client != documentURL || who.Subject != route.subject {
				t.Errorf("the principal is %+v", who)
			}
		}
	}
	together(t, tests)
}
