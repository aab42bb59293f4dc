package interop_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// An installation is the command mcp, and a home folder without any client.
type installation struct {
	mcp  string
	home string
	app  string
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	app, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	i := &installation{mcp: filepath.Join(t.TempDir(), "mcp"), home: t.TempDir(), app: app}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", i.mcp, "./cmd/mcp")
	build.Dir = app
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("mcp does not build: %v\n%s", err, out)
	}
	return i
}

// run runs mcp with go on the PATH, and returns what it prints.
func (i *installation) run(t *testing.T, path string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // it compiles
	defer cancel()
	command := exec.CommandContext(ctx, i.mcp, args...)
	command.Dir, command.Env = i.home, i.environment(t, path)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("mcp %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// environment returns the variables with which mcp can build an app.
func (i *installation) environment(t *testing.T, path string) []string {
	t.Helper()
	return append(goEnv(t), "HOME="+i.home, "PATH="+path)
}

// client runs an installed AI client with a PATH of folders, and returns what it prints.
func (i *installation) client(t *testing.T, path string, args ...string) string {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join("clients", "node_modules", ".bin", args[0]))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(testContext(t), bin, args[1:]...)
	command.Dir = i.home
	command.Env = []string{"HOME=" + i.home, "PATH=" + path, "NO_COLOR=1", "GEMINI_CLI_TRUST_WORKSPACE=true"}
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// bare is the PATH that clients on macOS give to servers. It has no go.
const bare = "/usr/bin:/bin"

// withNode is bare with Node.js, which some clients are written for.
func withNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	return bare + string(os.PathListSeparator) + filepath.Dir(node)
}

// TestInstalledClients starts real clients after mcp install, and looks whether they are
// connected to the server.
func TestInstalledClients(t *testing.T) {
	t.Parallel()
	requirePackages(t, "clients", "@anthropic-ai/claude-code", "@google/gemini-cli", "@openai/codex", "opencode-ai")
	i := newInstallation(t)
	i.run(t, os.Getenv("PATH"), "install", "demo", "--dir", i.app, "--client", "claude-code", "--client", "gemini", "--client", "opencode", "--client", "codex")

	t.Run("claude-code", func(t *testing.T) {
		if out := i.client(t, bare, "claude", "mcp", "list"); !strings.Contains(out, "demo: "+i.mcp) || !strings.Contains(out, "Connected") {
			t.Errorf("Claude Code says\n%s", out)
		}
	})
	t.Run("gemini", func(t *testing.T) {
		if out := i.client(t, withNode(t), "gemini", "mcp", "list"); !strings.Contains(out, "demo: "+i.mcp) || !strings.Contains(out, "Connected") || strings.Contains(out, "Disconnected") {
			t.Errorf("Gemini CLI says\n%s", out)
		}
	})
	t.Run("opencode", func(t *testing.T) {
		if out := i.client(t, withNode(t), "opencode", "mcp", "list"); !strings.Contains(out, "✓ demo") || !strings.Contains(out, "connected") {
			t.Errorf("opencode says\n%s", out)
		}
	})
	t.Run("codex", func(t *testing.T) {
		var shown struct {
			Transport struct {
				Type    string   `json:"type"`
				Command string   `json:"command"`
				Args    []string `json:"args"`
			} `json:"transport"`
		}
		out := i.client(t, withNode(t), "codex", "mcp", "get", "demo", "--json")
		if err := json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &shown); err != nil { // a warning may be before it
			t.Fatalf("%v\n%s", err, out)
		}
		if got := shown.Transport; got.Type != "stdio" || got.Command != i.mcp || !slices.Equal(got.Args, []string{"start", "demo", "--dir", i.app}) {
			t.Errorf("Codex shows\n%s", out)
		}
	})

	t.Run("claude-code with mcp dev", func(t *testing.T) {
		i.run(t, os.Getenv("PATH"), "install", "demo", "--dir", i.app, "--client", "claude-code", "--dev")
		if out := i.client(t, bare, "claude", "mcp", "list"); !strings.Contains(out, i.mcp+" dev demo") || !strings.Contains(out, "Connected") {
			t.Errorf("Claude Code says\n%s", out)
		}
	})

	i.run(t, os.Getenv("PATH"), "uninstall", "demo", "--dir", i.app)
	for client, path := range map[string]string{"claude": bare, "gemini": withNode(t), "opencode": withNode(t), "codex": withNode(t)} {
		if out := i.client(t, path, client, "mcp", "list"); strings.Contains(out, "demo") {
			t.Errorf("after mcp uninstall, %s says\n%s", client, out)
		}
	}
}

// TestClaudeCodeAddsTheServer installs the server by Claude Code's own command, which is on
// the PATH.
func TestClaudeCodeAddsTheServer(t *testing.T) {
	t.Parallel()
	requirePackages(t, "clients", "@anthropic-ai/claude-code")
	i := newInstallation(t)
	bin, err := filepath.Abs(filepath.Join("clients", "node_modules", ".bin"))
	if err != nil {
		t.Fatal(err)
	}
	path := bin + string(os.PathListSeparator) + os.Getenv("PATH")
	if out := i.run(t, path, "install", "demo", "--dir", i.app, "--client", "claude-code", "--dry-run"); !strings.Contains(out, "claude mcp add-json demo") {
		t.Errorf("mcp install would not use claude:\n%s", out)
	}
	i.run(t, path, "install", "demo", "--dir", i.app, "--client", "claude-code")
	if out := i.client(t, bare, "claude", "mcp", "list"); !strings.Contains(out, "demo: "+i.mcp) || !strings.Contains(out, "Connected") {
		t.Errorf("Claude Code says\n%s", out)
	}
	if out := i.run(t, path, "install", "demo", "--dir", i.app, "--client", "claude-code"); !strings.Contains(out, "Claude Code has demo already") {
		t.Errorf("the second time, mcp install says\n%s", out)
	}
}

// TestBundle checks a bundle with the official tool, and calls the server of the program
// that the tool unpacks, without the folder of its sources.
func TestBundle(t *testing.T) {
	t.Parallel()
	requirePackages(t, "clients", "@anthropic-ai/mcpb")
	i := newInstallation(t)
	i.run(t, os.Getenv("PATH"), "bundle", "demo", "--dir", i.app, "--author", "Ana Lima")
	unpacked := filepath.Join(i.home, "unpacked")
	i.client(t, withNode(t), "mcpb", "unpack", "demo.mcpb", unpacked)
	if out := i.client(t, withNode(t), "mcpb", "validate", filepath.Join(unpacked, "manifest.json")); !strings.Contains(out, "Manifest schema validation passes!") {
		t.Errorf("mcpb says\n%s", out)
	}
	dir := t.TempDir()
	to := target{Name: "bundle", Command: []string{filepath.Join(unpacked, "server", "app"), "start", "demo"}, Dir: dir, Env: appEnv(dir)}
	connectAndBehave(t, "go-sdk", to, expectations{Version: modern}, func(ctx context.Context) (client, error) {
		return connectGoSDK(ctx, to, modern)
	})
}
