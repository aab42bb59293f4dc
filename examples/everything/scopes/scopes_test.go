package scopes_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/examples/everything/scopes"
	"github.com/bowline-mcp/bowline/examples/everything/servers"
)

// The contract of the conformance suite's scenario sep-2350-server-scope-challenge: a token with too few scopes gets one
// challenge with all of them, one with all succeeds, and no token is needed.
func TestScopeChallenges(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:8080"})
	app.Router.Web("/mcp", &servers.EverythingServer{}).Guard(scopes.Guard())
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(app.Close)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, operation := range []struct{ method, name, params string }{
		{"tools/call", "test_simple_text", `"name":"test_simple_text"`},
		{"resources/read", "test://static-text", `"uri":"test://static-text"`},
		{"resources/read", "test://template/123/data", `"uri":"test://template/123/data"`},
		{"prompts/get", "test_simple_prompt", `"name":"test_simple_prompt"`},
	} {
		send := func(token string) (status int, challenge, body string) {
			message := `{"jsonrpc":"2.0","id":1,"method":"` + operation.method + `","params":{` + operation.params + `,` + meta + `}}`
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/mcp", strings.NewReader(message))
			r.Header = http.Header{
				"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
				"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {operation.method}, "Mcp-Name": {operation.name},
			}
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			text, _ := io.ReadAll(w.Body)
			return w.Code, w.Header().Get("WWW-Authenticate"), string(text)
		}
		status, challenge, body := send("mcp-conformance-scope-low")
		if status != http.StatusForbidden || strings.Count(challenge, "Bearer ") != 1 {
			t.Errorf("%s: a token with too few scopes gets %d %q %s", operation.name, status, challenge, body)
		}
		for _, want := range []string{`error="insufficient_scope"`, `scope="conformance:read conformance:write"`, `resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp"`} {
			if !strings.Contains(challenge, want) {
				t.Errorf("%s: the challenge %q lacks %s", operation.name, challenge, want)
			}
		}
		for _, token := range []string{"mcp-conformance-scope-full", ""} {
			if status, challenge, body := send(token); status != http.StatusOK || challenge != "" || strings.Contains(body, `"error"`) {
				t.Errorf("%s: the token %q gets %d %q %s", operation.name, token, status, challenge, body)
			}
		}
		if status, challenge, _ := send("unknown"); status != http.StatusUnauthorized || !strings.Contains(challenge, `error="invalid_token"`) {
			t.Errorf("%s: an unknown token gets %d %q", operation.name, status, challenge)
		}
	}
}
