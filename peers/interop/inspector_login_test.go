package interop_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// testLoginsOfTheInspector runs the Inspector's command line, which keeps its tokens in files.
func testLoginsOfTheInspector(t *testing.T, brief, lasting guardedRoute) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/inspector")
	together(t, map[string]func(*testing.T){
		"modern":     func(t *testing.T) { inspectorLogsIn(t, brief, "modern", modern) },
		"legacy":     func(t *testing.T) { inspectorLogsIn(t, brief, "legacy", newestLegacy) },
		"with a URL": func(t *testing.T) { inspectorKeepsItsScopes(t, lasting) },
	})
}

// inspectorLogsIn reads the server from a file that has scopes for the login.
func inspectorLogsIn(t *testing.T, route guardedRoute, era, version string) {
	home := t.TempDir()
	config := filepath.Join(home, "servers.json")
	servers := `{"mcpServers":{"files":{"type":"streamable-http","url":"` + route.url + `","oauth":{"scopes":"mcp:use"}}}}`
	if err := os.WriteFile(config, []byte(servers), 0o600); err != nil {
		t.Fatal(err)
	}
	to := []string{"--config", config, "--server", "files", "--protocol-era", era}
	who := inspectorCalls(t, home, "write-file", to)
	if who.Subject != route.subject || who.Version != version || !slices.Equal(who.Scopes, []string{"mcp:use", "files:write"}) {
		t.Errorf("after the login and the step-up: the principal is %+v", who)
	}
	time.Sleep(time.Until(who.Expires))
	refreshed := inspectorCalls(t, home, "whoami", to)
	if refreshed.Client != who.Client || !route.refreshed(who, refreshed) || !slices.Equal(refreshed.Scopes, who.Scopes) {
		t.Errorf("the principal was %+v, and is %+v after the token has expired", who, refreshed)
	}
}

// inspectorKeepsItsScopes has only the URL of the server. At the challenge for another scope,
// the Inspector then refreshes its token, and fails because it has no code.
func inspectorKeepsItsScopes(t *testing.T, route guardedRoute) {
	home, to := t.TempDir(), []string{route.url, "--transport", "http", "--protocol-era", "modern"}
	if who := inspectorCalls(t, home, "whoami", to); who.Subject != route.subject || !slices.Equal(who.Scopes, []string{"mcp:use"}) {
		t.Errorf("after the login: the principal is %+v", who)
	}
	ran := runInspector(t, home, append(to, "--method", "tools/call", "--tool-name", "write-file")...)
	if ran.code != 1 || !strings.Contains(ran.stderr.String(), "auth() returned AUTHORIZED without authorization code") {
		t.Errorf("a call without the scope: exit status %d, %s%s; does this version step up?", ran.code, &ran.stdout, &ran.stderr)
	}
}

// inspectorCalls calls a tool of the program.
func inspectorCalls(t *testing.T, home, tool string, to []string) (who identity) {
	t.Helper()
	var result inspectedResult
	ran := runInspector(t, home, slices.Concat(to, []string{"--method", "tools/call", "--tool-name", tool})...)
	ran.decode(t, &result)
	if err := json.Unmarshal(result.Structured, &who); err != nil || ran.code != 0 {
		t.Fatalf("%s: exit status %d and %s: %v", tool, ran.code, &ran.stdout, err)
	}
	return who
}
