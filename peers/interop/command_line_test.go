package interop_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// buildCommand builds the command mcp, and returns its path.
func buildCommand(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", path, "./cmd/mcp")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the command mcp does not build: %v\n%s", err, out)
	}
	return path
}

// greeting is what the tool of the server of the Go SDK gets.
type greeting struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
}

// newGoSDKServer returns the URL of a server of the Go SDK that supports one version.
func newGoSDKServer(t *testing.T, version string) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1.8.0"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{version}})
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, func(ctx context.Context, request *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
		if in.Times < 1 {
			return nil, nil, errors.New("greet at least once")
		}
		if token := request.Params.GetProgressToken(); token != nil {
			if err := request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Total: 2, Message: "half"}); err != nil {
				return nil, nil, err
			}
		}
		text := strings.TrimSpace(strings.Repeat("Hello "+in.Name+" ", in.Times))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	server.AddResource(&mcp.Resource{Name: "note", URI: "note://1"}, func(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: request.Params.URI, Text: "A note."}}}, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "ask", Arguments: []*mcp.PromptArgument{{Name: "topic"}}}, func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "About " + request.Params.Arguments["topic"]}}}}, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: version == modern}))
	t.Cleanup(web.Close)
	return web.URL
}

// TestTheCommandCallsAServerOfTheGoSDK calls a server of each era with mcp call.
func TestTheCommandCallsAServerOfTheGoSDK(t *testing.T) {
	t.Parallel()
	command := buildCommand(t)
	for _, version := range []string{modern, newestLegacy} {
		url := newGoSDKServer(t, version)
		for _, test := range []struct {
			args           []string
			code           int
			stdout, stderr string
		}{
			{args: []string{"greet", "name=Ana", "times=2"}, stdout: "Hello Ana Hello Ana\n", stderr: "progress 1/2 half\n"},
			{args: []string{"greet", `{"name":"7","times":1}`}, stdout: "Hello 7\n", stderr: "progress 1/2 half\n"},
			{args: []string{"greet", "name=Ana", "times=0"}, code: 1, stderr: "mcp: greet failed: greet at least once\n"},
			{args: []string{"greet", "name=Ana", "tmes=0"}, code: 2, stderr: "mcp: greet: there is no argument \"tmes\"; did you mean \"times\"?\nRun \"mcp call --help\" for help.\n"},
			{args: []string{"--resource", "note://1"}, stdout: "A note.\n"},
			{args: []string{"--prompt", "ask", "topic=knots"}, stdout: "user: About knots\n"},
		} {
			run := exec.CommandContext(testContext(t), command, append([]string{"call", url}, test.args...)...)
			var stdout, stderr strings.Builder
			run.Stdout, run.Stderr = &stdout, &stderr
			if err := run.Run(); err != nil && run.ProcessState == nil {
				t.Fatal(err)
			}
			if run.ProcessState.ExitCode() != test.code || stdout.String() != test.stdout || stderr.String() != test.stderr {
				t.Errorf("%s %q: exit code %d, stdout %q, stderr %q; want %d, %q, %q", version, test.args, run.ProcessState.ExitCode(), &stdout, &stderr, test.code, test.stdout, test.stderr)
			}
		}
	}
}
