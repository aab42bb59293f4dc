package interop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A nodeClient is a TypeScript client in a separate Node.js process, controlled by one JSON
// command per line (node/driver.mjs).
type nodeClient struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	lines   *bufio.Scanner
	stderr  lockedBuffer
	version string
}

// A nodeAnswer is one line from the driver.
type nodeAnswer struct {
	Version       string          `json:"version"`
	Names         []string        `json:"names"`
	Result        *toolResult     `json:"result"`
	Notifications []notification  `json:"notifications"`
	Value         json.RawMessage `json:"value"`
	Error         *rpcError       `json:"error"`
}

// connectNode starts node/SCRIPT. The mode is for v2.mjs: legacy, auto, or the only version
// to use.
func connectNode(ctx context.Context, script, mode string, to target) (client, error) {
	env := map[string]string{}
	for _, pair := range to.Env {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	with := map[string]any{"mode": mode, "url": to.URL, "events": to.Events, "command": to.Command, "dir": to.Dir, "env": env, "login": to.Login, "document": documentURL, "extension": to.Extension}
	if to.Answers {
		with["answers"] = map[string]any{"form": answeredForm(), "text": answeredText, "root": answeredRoot}
	}
	argument, err := json.Marshal(with)
	if err != nil {
		return nil, err
	}
	c := &nodeClient{cmd: exec.CommandContext(ctx, "node", script, string(argument))}
	c.cmd.Dir = "node"
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = time.Second
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.lines = bufio.NewScanner(stdout)
	c.lines.Buffer(nil, 8<<20)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	hello, err := c.read()
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.version = hello.Version
	return c, nil
}

func (c *nodeClient) read() (*nodeAnswer, error) {
	if !c.lines.Scan() {
		return nil, fmt.Errorf("the client process gave no answer; it logged:\n%s", c.stderr.String())
	}
	var answer nodeAnswer
	if err := json.Unmarshal(c.lines.Bytes(), &answer); err != nil {
		return nil, fmt.Errorf("answer %s: %w", c.lines.Bytes(), err)
	}
	if answer.Error != nil {
		return nil, answer.Error
	}
	return &answer, nil
}

func (c *nodeClient) do(command string, with any) (*nodeAnswer, error) {
	line, err := json.Marshal(map[string]any{"do": command, "with": with})
	if err != nil {
		return nil, err
	}
	if _, err := c.stdin.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	return c.read()
}

func (c *nodeClient) Version() string { return c.version }

func (c *nodeClient) ListTools(context.Context) ([]string, error) {
	return c.names("listTools", nil)
}

// names runs a command whose answer is a list of strings.
func (c *nodeClient) names(command string, with any) ([]string, error) {
	answer, err := c.do(command, with)
	if err != nil {
		return nil, err
	}
	return answer.Names, nil
}

func (c *nodeClient) ListResources(context.Context) ([]string, error) {
	return c.names("listResources", nil)
}

func (c *nodeClient) ListTemplates(context.Context) ([]string, error) {
	return c.names("listTemplates", nil)
}

func (c *nodeClient) ListPrompts(context.Context) ([]string, error) {
	return c.names("listPrompts", nil)
}

func (c *nodeClient) ReadResource(_ context.Context, uri string) ([]string, error) {
	return c.names("read", map[string]any{"uri": uri})
}

func (c *nodeClient) GetPrompt(_ context.Context, name string, arguments map[string]string) ([]string, error) {
	return c.names("get", map[string]any{"name": name, "arguments": arguments})
}

func (c *nodeClient) Complete(_ context.Context, ref reference, argument, value string) ([]string, error) {
	return c.names("complete", map[string]any{"ref": ref, "argument": map[string]string{"name": argument, "value": value}})
}

func (c *nodeClient) CallTool(_ context.Context, call toolCall) (*toolResult, error) {
	answer, err := c.do("call", call)
	if err != nil {
		return nil, err
	}
	return answer.Result, nil
}

func (c *nodeClient) Watch(_ context.Context, uri string) error {
	_, err := c.do("watch", map[string]any{"uri": uri})
	return err
}

func (c *nodeClient) Notifications() []notification {
	answer, err := c.do("notifications", nil)
	if err != nil {
		return nil
	}
	return answer.Notifications
}

// Close ends the driver's stdin and waits for the process.
func (c *nodeClient) Close() error {
	_ = c.stdin.Close()
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("%w; it logged:\n%s", err, c.stderr.String())
	}
	return nil
}

// requireNode skips the test if Node.js or a client is missing, or if a client isn't the
// pinned version. With BOWLINE_CI=1, that is a failure.
func requireNode(t *testing.T, packages ...string) {
	t.Helper()
	requirePackages(t, "node", packages...)
}

// requirePackages does that for the packages of a folder with an install.sh.
func requirePackages(t *testing.T, folder string, packages ...string) {
	t.Helper()
	missing := func(reason string) {
		t.Helper()
		message := reason + ": install Node.js 20 or newer, run peers/interop/" + folder + "/install.sh, then run this test again"
		if os.Getenv("BOWLINE_CI") == "1" {
			t.Fatal(message)
		}
		t.Skip(message)
	}
	if _, err := exec.LookPath("node"); err != nil {
		missing("node is not on the PATH")
	}
	var pinned struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	readJSON(t, filepath.Join(folder, "package.json"), &pinned)
	for _, name := range packages {
		path := filepath.Join(folder, "node_modules", filepath.FromSlash(name), "package.json")
		if _, err := os.Stat(path); err != nil {
			missing(name + " is not installed")
		}
		var installed struct {
			Version string `json:"version"`
		}
		readJSON(t, path, &installed)
		if want := pinned.Dependencies[name]; installed.Version != want {
			missing(fmt.Sprintf("%s is installed as %s, not as %s", name, installed.Version, want))
		}
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
