package interop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
	if !slices.Contains(names, "echo") {
		t.Errorf("tools/list gives %v, want echo among them", names)
	}
}

func inspectorCallsEcho(t *testing.T, to target, era string) {
	var result inspectedResult
	code := inspect(t, to, era, &result, "--method", "tools/call", "--tool-name", "echo", "--tool-args-json", `{"message":"hello"}`)
	if code != 0 || len(result.Content) != 1 || result.Content[0].Text != "hello" {
		t.Errorf("echo: exit status %d and %+v, want the one text hello", code, result)
	}
}

func inspectorShowsToolErrors(t *testing.T, to target, era string) {
	var result inspectedResult
	code := inspect(t, to, era, &result, "--method", "tools/call", "--tool-name", "calculate",
		"--tool-args-json", `{"operation":"divide","a":1,"b":0}`)
	if code != exitToolError || !result.IsError {
		t.Errorf("division by zero: exit status %d and %+v, want exit status %d and isError", code, result, exitToolError)
	}
}

type inspectedResult struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// inspect runs the Inspector's command line once, decodes the result that it prints, and
// returns its exit status.
func inspect(t *testing.T, to target, era string, result any, method ...string) int {
	t.Helper()
	var args []string
	if to.URL != "" {
		args = append(args, to.URL, "--transport", "http")
	}
	args = append(args, "--protocol-era", era)
	args = append(args, method...)
	if to.Command != nil {
		args = append(args, "--cwd", to.Dir, "--")
		args = append(args, to.Command...)
	}
	ran := runInspector(t, t.TempDir(), args...)
	ran.decode(t, result)
	return ran.code
}

// An inspection is one run of the Inspector's command line.
type inspection struct {
	stdout, stderr bytes.Buffer
	code           int
}

// runInspector runs the Inspector's command line once. The home keeps its logins. It answers
// "y" if it is asked whether to log in for another scope.
func runInspector(t *testing.T, home string, args ...string) *inspection {
	t.Helper()
	args = append([]string{filepath.Join("node_modules", filepath.FromSlash(inspectorLauncher)),
		"--cli", "--callback-url", "http://" + freeAddr(t) + "/oauth/callback", "--format", "json", "-q"}, args...)
	cmd := exec.CommandContext(testContext(t), "node", args...)
	cmd.Dir = "node"
	cmd.Env = append(appEnv(home), "MCP_STORAGE_DIR="+home, "BROWSER="+browserPath(t),
		"MCP_AUTO_OPEN_ENABLED=true", // otherwise it logs in only at a terminal
		"MCP_INSPECTOR_SECRET_STORE=file", "MCP_INSPECTOR_SECRET_FILE="+filepath.Join(home, "secrets"))
	ran := &inspection{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("y\n"), &ran.stdout, &ran.stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("run the inspector: %v", err)
	}
	ran.code = cmd.ProcessState.ExitCode()
	return ran
}

// decode decodes the result that was printed.
func (i *inspection) decode(t *testing.T, result any) {
	t.Helper()
	var output struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(i.stdout.Bytes(), &output); err != nil {
		t.Fatalf("the inspector printed no result: %v\nstdout: %s\nstderr: %s", err, &i.stdout, &i.stderr)
	}
	if err := json.Unmarshal(output.Result, result); err != nil {
		t.Fatalf("result %s: %v", output.Result, err)
	}
}
