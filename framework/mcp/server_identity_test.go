package mcp_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// FullServer overrides all methods of a server.
type FullServer struct{ servers.Server }

func (*FullServer) Name() string         { return "full" }
func (*FullServer) Title() string        { return "Full <Server>" }
func (*FullServer) Version() string      { return "1.2.3" }
func (*FullServer) Description() string  { return "Everything." }
func (*FullServer) Website() string      { return "https://example.com" }
func (*FullServer) Instructions() string { return "Begin with \"a\"." }
func (*FullServer) Icons() []content.Icon {
	return []content.Icon{{Src: "https://example.com/i.svg", MIMEType: "image/svg+xml"}}
}
func (*FullServer) Tools() []servers.Tool { return []servers.Tool{saying("a", "")} }

// everyCapability has the capabilities that each server declares to clients that it can notify.
const everyCapability = `"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}`

// HTTPGatewayServer overrides no method.
type HTTPGatewayServer struct{ servers.Server }

const (
	fullInfo = `{"name":"full","title":"Full <Server>","version":"1.2.3","description":"Everything.","websiteUrl":"https://example.com",` +
		`"icons":[{"src":"https://example.com/i.svg","mimeType":"image/svg+xml"}]}`
	versionsOfTheModernEra = `"supportedVersions":["2026-07-28"]`
)

func TestAServerDescribesItselfToModernClients(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		server servers.Interface
		want   string
	}{
		{&FullServer{}, `{"resultType":"complete",` + versionsOfTheModernEra + `,"capabilities":{` + everyCapability + `},"instructions":"Begin with \"a\".",` +
			`"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":` + fullInfo + `}}`},
		{&HTTPGatewayServer{}, `{"resultType":"complete",` + versionsOfTheModernEra + `,"capabilities":{` + everyCapability + `},"ttlMs":0,"cacheScope":"private",` +
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"http-gateway","title":"HTTP Gateway","version":"0.0.0"}}}`},
	} {
		if got := probeServer(t, mcp.Config{}, test.server).ask("server/discover", nil).result; got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}

func TestAServerDescribesItselfToLegacyClients(t *testing.T) {
	t.Parallel()
	modern := probeServer(t, mcp.Config{}, &FullServer{})
	for version, info := range map[string]string{
		"2025-11-25": fullInfo,
		"2025-06-18": `{"name":"full","title":"Full <Server>","version":"1.2.3"}`,
		"2025-03-26": `{"name":"full","version":"1.2.3"}`,
		"2024-11-05": `{"name":"full","version":"1.2.3"}`,
	} {
		_, welcome := modern.as(version)
		want := `{"protocolVersion":"` + version + `","capabilities":{` + everyCapability + `},"instructions":"Begin with \"a\".","serverInfo":` + info + `}`
		if welcome.result != want {
			t.Errorf("%s: got\n%s\nwant\n%s", version, welcome.result, want)
		}
	}
}

func TestVersionsAreNarrowedByTheConfiguration(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{Versions: []string{"2025-06-18", "2026-07-28"}}, &FullServer{})
	if _, welcome := p.as("2025-06-18"); welcome.err != nil {
		t.Errorf("got %s", welcome.body)
	}
	p.version = "2024-11-05"
	r := p.ask("initialize", params{"protocolVersion": "2024-11-05", "capabilities": params{}, "clientInfo": params{"name": "p", "version": "1"}})
	var offered struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if r.decode(&offered); offered.ProtocolVersion != "2025-06-18" {
		t.Errorf("a client of 2024-11-05 is offered %s", r.body)
	}

	only := probeServer(t, mcp.Config{Versions: []string{"2025-06-18"}}, &FullServer{})
	if r := only.ask("server/discover", nil); r.err == nil || r.err.Code != -32022 {
		t.Errorf("a server of 2025-06-18 answers %s", r.body)
	}
}
