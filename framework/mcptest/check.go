package mcptest

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/clientrules"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// Check fails the test for each mistake in a server: mistakes that prevent its
// registration, tools without a description, and tools that make an AI client refuse them
// or the whole list, although MCP allows them. IgnoredRules of the server names the rules of
// clients that don't count. Names of tools are checked with the server's name in front,
// as clients write them. A server that serves already isn't checked for clients.
func Check(t testing.TB, server servers.Interface) {
	t.Helper()
	if err := mcp.Validate(server); err != nil {
		t.Errorf("the server can't be registered:\n%v", err)
		return
	}
	for _, tool := range server.Tools() {
		if tool.Description() == "" {
			t.Errorf("%T has no description; models choose tools by it", tool)
		}
	}
	for _, report := range refusals(t, server) {
		t.Errorf("%s%s: %s; %s. It is refused by %s (rule %s)", naming.Printable(report.Tool), naming.Printable(report.At), report.Problem, report.Fix,
			clientrules.RefusedBy(report.RefusedBy), report.Rule)
	}
}

// refusals returns what AI clients refuse in the tools of a server, as the list of an app has
// it. It returns nothing for a server that serves already.
func refusals(t testing.TB, server servers.Interface) []clientrules.Report {
	t.Helper()
	app := mcp.New(mcp.Config{URL: address, Logger: slog.New(slog.DiscardHandler)}) // the test shows what the log would
	defer app.Close()
	app.Router.Web("/", server).Guard(callers{})
	var stdout, stderr bytes.Buffer
	if app.Run(t.Context(), []string{"list", "--json"}, strings.NewReader(""), &stdout, &stderr) != 0 {
		if !strings.Contains(stderr.String(), "is already served by another App") {
			t.Fatalf("the server can't be listed:\n%s", &stderr)
		}
		return nil
	}
	var listed struct {
		Web []struct {
			Refusals []clientrules.Report `json:"refusals"`
		} `json:"web"`
	}
	if err := codec.Unmarshal(stdout.Bytes(), &listed); err != nil || len(listed.Web) != 1 {
		t.Fatalf("the list of the server does not decode: %v\n%s", err, stdout.String())
	}
	return listed.Web[0].Refusals
}
