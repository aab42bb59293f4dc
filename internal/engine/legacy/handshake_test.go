package legacy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/legacy"
)

func TestAVersionIsNegotiated(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "1999-01-01": "2025-11-25", "2026-07-28": "2025-11-25",
		"": "2025-11-25", "latest": "2025-11-25", strings.Repeat("x", 1000): "2025-11-25",
	} {
		s.stranger().expect(t, initialize(asked), http.StatusOK, `"protocolVersion":"`+want+`"`)
	}
	s.stranger().with("Mcp-Protocol-Version", "2026-07-28").expect(t, initialize("2025-11-25"), http.StatusBadRequest, "error")
	s.stranger().expect(t, requestOf(1, "initialize", `{}`), http.StatusOK, `-32602,"message":"Invalid params: initialize needs a protocolVersion`)
	for _, none := range []string{`{"protocolVersion":7}`, `{"protocolVersion":null}`, `{"protocolVersion":["2025-11-25"]}`, `null`} {
		s.stranger().expect(t, requestOf(1, "initialize", none), http.StatusOK, "-32602")
	}
	big := `{"protocolVersion":"2025-11-25","clientInfo":{"name":"` + strings.Repeat("x", 16<<10) + `"}}`
	newServer(t, legacy.Config{}).stranger().expect(t, requestOf(1, "initialize", big), http.StatusOK, "may have 16384 bytes together")
}

func TestTheHeaderMustNameASupportedVersion(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	c := s.client(t, "2025-11-25")
	c.with("Mcp-Protocol-Version", "2025-11-25").expect(t, callOf(1, "hello"), http.StatusOK, "hello")
	c.with("Mcp-Protocol-Version", "1999-01-01").expect(t, callOf(1, "hello"), http.StatusBadRequest, `the protocol version \"1999-01-01\"`)
	c.with("Mcp-Protocol-Version", "").expect(t, callOf(1, "hello"), http.StatusBadRequest, "is empty")
	twice := c.with("Mcp-Protocol-Version", "2025-11-25")
	twice.header.Add("Mcp-Protocol-Version", "2025-06-18")
	twice.expect(t, callOf(1, "hello"), http.StatusBadRequest, "several times")
}

func TestACapabilityThatIsNullIsNotDeclared(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	s.stranger().expect(t, requestOf(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":null,"clientInfo":null,"_meta":null}`), http.StatusOK, `"protocolVersion":"2025-06-18"`)
}

// A server without sessions serves each request independently.
func TestWithoutSessionsEachRequestStandsAlone(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{Sessionless: true})
	c := s.stranger()
	if w := c.expect(t, initialize("2025-06-18"), http.StatusOK, `"protocolVersion":"2025-06-18"`); w.Header().Get("Mcp-Session-Id") != "" {
		t.Error("there is a session")
	}
	c.expect(t, callOf(1, "hello"), http.StatusOK, "hello")
	c.expect(t, requestOf(1, "ping", `{}`), http.StatusOK, `"result":{}`)
	c.expect(t, requestOf(1, "logging/setLevel", `{"level":"error"}`), http.StatusOK, "-32601")
	c.expect(t, notification("notifications/initialized", `{}`), http.StatusAccepted, "")
	c.expect(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, http.StatusAccepted, "")
	c.expect(t, "["+callOf(1, "hello")+"]", http.StatusOK, `[{"jsonrpc":"2.0","id":1,`)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if w := c.request(method, ""); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
			t.Errorf("%s gets %d %v", method, w.Code, w.Header())
		}
	}
}

func TestASessionSetsTheLevelOfItsLogMessages(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	c := s.client(t, "2025-11-25")
	c.expect(t, requestOf(1, "logging/setLevel", `{"level":"debug"}`), http.StatusOK, `"result":{}`)
	for _, bad := range []string{`{"level":"loud"}`, `{"level":7}`, `{}`} {
		c.expect(t, requestOf(1, "logging/setLevel", bad), http.StatusOK, "-32602")
	}
	c.expect(t, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel"}`, http.StatusOK, "-32602")
}

func TestMethodsOfTheServerReplaceBuiltInMethods(t *testing.T) {
	t.Parallel()
	s := newServer(t, legacy.Config{})
	c := s.client(t, "2025-11-25")
	c.expect(t, requestOf(1, "ping", `{}`), http.StatusOK, `"result":{}`)
	s.addMethod("ping", `{"pong":true}`)
	s.addMethod("logging/setLevel", `{"loud":true}`)
	c.expect(t, requestOf(1, "ping", `{}`), http.StatusOK, `"pong":true`)
	c.expect(t, requestOf(1, "logging/setLevel", `{}`), http.StatusOK, `"loud":true`)
}
