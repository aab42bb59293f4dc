package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A loginClient is a client that logs in to a guarded server by itself.
type loginClient struct {
	name    string
	version string // of the protocol
	pkg     string // its npm package, or ""
	connect func(ctx context.Context, t *testing.T, to target) (client, error)
	// noStepUp means that the client can't get another scope once it has a refresh token.
	noStepUp bool
	// slowStepUp means that the client asks for another scope by a login of its own for each call
	// and stream, so that a token which expires meanwhile leads to two logins at once. They share
	// what they keep, and fail.
	slowStepUp bool
}

func loginClients() []loginClient {
	const v1, v2, remote = "@modelcontextprotocol/sdk", "@modelcontextprotocol/client", "mcp-remote"
	goSDK := func(version string) func(context.Context, *testing.T, target) (client, error) {
		return func(ctx context.Context, _ *testing.T, to target) (client, error) {
			return connectGoSDK(ctx, to, version)
		}
	}
	node := func(script, mode string) func(context.Context, *testing.T, target) (client, error) {
		return func(ctx context.Context, _ *testing.T, to target) (client, error) {
			return connectNode(ctx, script, mode, to)
		}
	}
	return []loginClient{
		{name: "go-sdk modern", version: modern, connect: goSDK(modern)},
		{name: "go-sdk legacy", version: newestLegacy, connect: goSDK(newestLegacy)},
		{name: "typescript-v2 modern", version: modern, pkg: v2, connect: node("v2.mjs", modern)},
		{name: "typescript-v2 auto", version: modern, pkg: v2, connect: node("v2.mjs", "auto")},
		{name: "typescript-v2 legacy", version: newestLegacy, pkg: v2, connect: node("v2.mjs", "legacy")},
		{name: "typescript-v1", version: newestLegacy, pkg: v1, connect: node("v1.mjs", ""), noStepUp: true},
		{name: "mcp-remote auto", version: modern, pkg: remote, connect: mcpRemote("auto"), slowStepUp: true},
		{name: "mcp-remote legacy", version: newestLegacy, pkg: remote, connect: mcpRemote("legacy"), slowStepUp: true},
	}
}

// mcpRemote connects through mcp-remote, which logs in for the client on its stdio.
func mcpRemote(protocol string) func(context.Context, *testing.T, target) (client, error) {
	return func(ctx context.Context, t *testing.T, to target) (client, error) {
		home := t.TempDir()
		_, port, err := net.SplitHostPort(freeAddr(t))
		if err != nil {
			return nil, err
		}
		proxy := target{
			Command: []string{"node", filepath.FromSlash("node_modules/mcp-remote/dist/proxy.js"), to.URL, port, "--host", "127.0.0.1", "--protocol", protocol},
			Dir:     "node",
			Env:     append(appEnv(home), "MCP_REMOTE_CONFIG_DIR="+home, "BROWSER="+browserPath(t)),
		}
		if to.Login == byDocument {
			proxy.Command = append(proxy.Command, "--client-metadata-url", documentURL)
		}
		return connectGoSDK(ctx, proxy, newestLegacy)
	}
}

// together runs subtests at the same time, with any number of processors: most of the time,
// they wait until tokens expire.
func together(t *testing.T, tests map[string]func(*testing.T)) {
	t.Helper()
	var all sync.WaitGroup
	defer all.Wait()
	for name, test := range tests {
		all.Go(func() { t.Run(name, test) })
	}
}

// A guardedRoute is a route of the program with an authorization server.
type guardedRoute struct {
	url     string
	subject string // who logs in there
	// refreshed reports whether a client got the second token with a refresh token.
	refreshed func(before, after identity) bool
	// once means that its authorization server accepts each refresh token once. A second use
	// ends the login.
	once bool
}

// testLogins lets all clients log in, ask for another scope, and refresh their tokens. Those of the route
// brief expire after seconds, and those of lasting don't.
func testLogins(t *testing.T, brief, lasting guardedRoute) {
	t.Parallel()
	tests := map[string]func(*testing.T){}
	for _, c := range loginClients() {
		tests[c.name] = func(t *testing.T) { logsIn(t, c, brief, lasting) }
	}
	together(t, tests)
}

func logsIn(t *testing.T, c loginClient, route, lasting guardedRoute) {
	if c.pkg != "" {
		requireNode(t, c.pkg)
	}
	if c.slowStepUp {
		c.noStepUp = true
		session := c.open(t, lasting.url, codeAndRefresh)
		session.stepUp(t, lasting)
		session.end(t)
	}
	session := c.open(t, route.url, codeAndRefresh)
	defer session.end(t)
	who := session.who(t, "whoami")
	if who.Subject != route.subject || who.Client == "" || who.Version != c.version || !slices.Equal(who.Scopes, []string{"mcp:use"}) {
		t.Errorf("after the login: the principal is %+v", who)
	}
	if !c.noStepUp {
		who = session.stepUp(t, route)
	}
	// A token expires at a full second, which ends the client's stream. The TypeScript SDK opens
	// the stream again one second later. If a call comes at the same time, both use the same
	// refresh token.
	at := time.Second
	if route.once {
		at /= 2
	}
	for range 2 {
		time.Sleep(time.Until(who.Expires.Add(at)))
		refreshed := session.who(t, "whoami")
		if refreshed.Client != who.Client || !route.refreshed(who, refreshed) || !slices.Equal(refreshed.Scopes, who.Scopes) {
			t.Errorf("the principal was %+v, and is %+v after the token has expired", who, refreshed)
		}
		who = refreshed
	}
}

// typeScriptV1 returns the client that can't get another scope once it has a refresh token.
func typeScriptV1(t *testing.T) loginClient {
	t.Helper()
	requireNode(t, "@modelcontextprotocol/sdk")
	clients := loginClients()
	return clients[slices.IndexFunc(clients, func(c loginClient) bool { return c.noStepUp })]
}

// At the challenge for another scope, the first major version of the TypeScript SDK refreshes
// its token if it can. The new token has the scopes of the old one.
func testRefusalOfTypeScriptV1(t *testing.T, route guardedRoute) {
	t.Parallel()
	with := typeScriptV1(t).open(t, route.url, codeAndRefresh)
	defer with.end(t)
	result, err := with.CallTool(testContext(t), toolCall{Name: "write-file", Arguments: map[string]any{}})
	if refused, ok := errors.AsType[*rpcError](err); !ok || refused.Code != http.StatusForbidden || !strings.Contains(refused.Message, "403 after trying upscoping") {
		t.Errorf("with a refresh token, a call without the scope: %+v, %v; does this version step up?", result, err)
	}
	if who := with.who(t, "whoami"); !slices.Equal(who.Scopes, []string{"mcp:use"}) {
		t.Errorf("after the refusal: the principal is %+v", who)
	}
}

// Without a refresh token, it logs in again.
func testStepUpOfTypeScriptV1(t *testing.T, route guardedRoute) {
	t.Parallel()
	without := typeScriptV1(t).open(t, route.url, codeOnly)
	defer without.end(t)
	without.stepUp(t, route)
}

// An openSession is a connection to the guarded program.
type openSession struct{ client }

// open connects, with a login.
func (c loginClient) open(t *testing.T, url string, how login) openSession {
	t.Helper()
	session, err := c.connect(testContext(t), t, target{URL: url, Login: how})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	return openSession{session}
}

func (s openSession) end(t *testing.T) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// stepUp calls a tool that needs another scope.
func (s openSession) stepUp(t *testing.T, route guardedRoute) identity {
	t.Helper()
	who := s.who(t, "write-file")
	if who.Subject != route.subject || !slices.Contains(who.Scopes, "mcp:use") || !slices.Contains(who.Scopes, "files:write") {
		t.Errorf("after the step-up: the principal is %+v", who)
	}
	return who
}

// who calls a tool of the program.
func (s openSession) who(t *testing.T, tool string) identity {
	t.Helper()
	result, err := s.CallTool(testContext(t), toolCall{Name: tool, Arguments: map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	var who identity
	if err := json.Unmarshal(result.Structured, &who); err != nil || result.IsError {
		t.Fatalf("%s: %+v: %v", tool, result, err)
	}
	return who
}
