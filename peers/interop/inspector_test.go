package interop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// The Inspector's launcher is run directly, because npx would leave a wrapper process.
const inspectorLauncher = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// exitToolError is the Inspector's exit status for a result with isError.
const exitToolError = 5

func testInspector(t *testing.T, to target) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/inspector")
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			inspectorListsTools(t, to, era)
			inspectorCallsEcho(t, to, era)
			inspectorShowsToolErrors(t, to, era)
		})
	}
}

func inspectorListsTools(t *testing.T, to target, era string) {
	var listed struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if code := inspect(t, to, era, &listed, "--method", "tools/list"); code != 0 {
		t.Fatalf("tools/list: exit status %d", code)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Contains(names, "echo-tool") {
		t.Errorf("tools/list gives %v, want echo-tool among them", names)
	}
}

func inspectorCallsEcho(t *testing.T, to target, era string) {
	var result inspectedResult
	code := inspect(t, to, era, &result, "--method", "tools/call", "--tool-name", "echo-tool", "--tool-args-json", `{"message":"hello"}`)
	if code != 0 || len(result.Content) != 1 || result.Content[0].Text != "hello" {
		t.Errorf("echo-tool: exit status %d and %+v, want the one text hello", code, result)
	}
}

func inspectorShowsToolErrors(t *testing.T, to target, era string) {
	var result inspectedResult
	code := inspect(t, to, era, &result, "--method", "tools/call", "--tool-name", "calculate-tool",
		"--tool-args-json", `{"operation":"divide","a":1,"b":0}`)
	if code != exitToolError || !result.IsError {
		t.Errorf("division by zero: exit status %d and %+v, want exit status %d and isError", code, result, exitToolError)
	}
}

type inspectedResult struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

// inspect runs the Inspector's command line once, decodes the result that it prints, and
// returns its exit status.
func inspect(t *testing.T, to target, era string, result any, method ...string) int {
	t.Helper()
	home := t.TempDir()
	args := []string{filepath.Join("node_modules", filepath.FromSlash(inspectorLauncher)), "--cli"}
	if to.URL != "" {
		args = append(args, to.URL, "--transport", "http")
	}
	args = append(args, "--protocol-era", era, "--format", "json", "-q")
	args = append(args, method...)
	if to.Command != nil {
		args = append(args, "--cwd", to.Dir, "--")
		args = append(args, to.Command...)
	}
	cmd := exec.CommandContext(testContext(t), "node", args...)
	cmd.Dir = "node"
	cmd.Env = append(appEnv(home), "MCP_STORAGE_DIR="+home)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("run the inspector: %v", err)
	}
	var output struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &output); err != nil {
		t.Fatalf("%v: the inspector printed no result: %v\nstdout: %s\nstderr: %s", method, err, &stdout, &stderr)
	}
	if err := json.Unmarshal(output.Result, result); err != nil {
		t.Fatalf("%v: result %s: %v", method, output.Result, err)
	}
	return cmd.ProcessState.ExitCode()
}
