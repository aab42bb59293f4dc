package interop_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEditsReachClientsThatStayConnected edits an app while clients of the TypeScript SDK use
// it through mcp dev.
func TestEditsReachClientsThatStayConnected(t *testing.T) {
	requireNode(t, "@modelcontextprotocol/sdk", "@modelcontextprotocol/client")
	mcp := filepath.Join(t.TempDir(), "mcp")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", mcp, "./cmd/mcp")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("mcp does not build: %v\n%s", err, out)
	}
	for _, with := range []struct{ name, script, mode, version string }{
		{"typescript-v1", "v1.mjs", "", newestLegacy},
		{"typescript-v2", "v2.mjs", modern, modern},
	} {
		connect := func(ctx context.Context, to target) (client, error) {
			return connectNode(ctx, with.script, with.mode, to)
		}
		t.Run(with.name, func(t *testing.T) {
			t.Run("http", func(t *testing.T) {
				app := newEdited(t)
				app.serve(t, mcp)
				app.edit(t, target{URL: "http://" + app.addr + "/mcp/demo"}, with.version, connect)
			})
			t.Run("stdio", func(t *testing.T) {
				app := newEdited(t)
				app.edit(t, target{Command: []string{mcp, "dev", "demo", "--dir", app.folder}, Dir: app.folder, Env: app.env}, with.version, connect)
			})
		})
	}
}

// An edited is an app whose sources the test edits, in a folder of its own.
type edited struct {
	folder, addr string
	env          []string
	log          lockedBuffer
}

// newEdited writes the app of the tests of internal/cli/dev, with the greeting one.
func newEdited(t *testing.T) *edited {
	t.Helper()
	module, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	app := &edited{folder: t.TempDir()}
	app.env = append(appEnv(t.TempDir()), goEnv(t)...)
	for from, to := range map[string]string{"go.mod": "go.mod", "go.sum": "go.sum", "internal/cli/dev/testdata/app/main.go": "main.go"} {
		content, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(from)))
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		if to == "go.mod" {
			text = regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(text, "module demo") +
				"\nrequire github.com/bowline-mcp/bowline v0.0.0\n\nreplace github.com/bowline-mcp/bowline => " + module + "\n"
		}
		app.write(t, to, text)
	}
	app.greet(t, `"one"`)
	return app
}

func (e *edited) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(e.folder, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// greet edits the greeting, which is a Go expression.
func (e *edited) greet(t *testing.T, greeting string) {
	t.Helper()
	e.write(t, "greeting.go", "package main\n\nconst greeting = "+greeting+"\n")
}

// serve runs mcp dev over HTTP until the test ends.
func (e *edited) serve(t *testing.T, mcp string) {
	t.Helper()
	e.addr = freeAddr(t)
	dev := &program{binary: mcp, addr: e.addr, done: make(chan error, 1)}
	dev.cmd = exec.Command(mcp, "dev", "--dir", e.folder, "--addr", e.addr)
	dev.cmd.Dir, dev.cmd.Env, dev.cmd.Stdout, dev.cmd.Stderr = e.folder, e.env, &e.log, &e.log
	if err := dev.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { dev.done <- dev.cmd.Wait() }()
	t.Cleanup(func() {
		if err := dev.stop(); err != nil {
			t.Errorf("mcp dev does not stop cleanly: %v", err)
		}
		if t.Failed() {
			t.Logf("mcp dev logged:\n%s", e.log.String())
		}
	})
}

// edit connects a client, and edits the app twice, with a syntax error in between.
func (e *edited) edit(t *testing.T, to target, version string, connect func(context.Context, target) (client, error)) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c, err := connect(ctx, to)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	if c.Version() != version {
		t.Errorf("the connection has the version %s, want %s", c.Version(), version)
	}
	if version == modern {
		if err := c.Watch(ctx, "demo://none"); err != nil {
			t.Fatalf("watch: %v", err)
		}
	}
	e.greets(ctx, t, c, "one")

	// Calls that run across the switch end in the program in which they began, also if the client has
	// to reconnect for the answer. A client makes one call after another.
	reconnecting, err := connect(ctx, to)
	if err != nil {
		t.Fatalf("connect another client: %v", err)
	}
	waited := make(chan *toolResult, 2)
	for tool, of := range map[string]client{"wait": c, "poll": reconnecting} {
		go func() {
			result, err := of.CallTool(ctx, toolCall{Name: tool, Arguments: map[string]any{"file": "over"}})
			if err != nil {
				t.Errorf("the call of %s across the switch fails: %v", tool, err)
			}
			waited <- result
		}()
	}
	time.Sleep(100 * time.Millisecond) // so that they have begun
	e.greet(t, `"two"`)
	other, err := connect(ctx, to) // shows when the new program serves, and sees the same app
	if err != nil {
		t.Fatalf("connect another client: %v", err)
	}
	e.awaits(ctx, t, other, "two")
	if err := other.Close(); err != nil {
		t.Errorf("close the other client: %v", err)
	}
	e.write(t, "over", "")
	for range cap(waited) {
		if result := <-waited; result == nil || !slices.Equal(result.Texts, []string{"one"}) {
			t.Errorf("a call across the switch gets %+v, want one", result)
		}
	}
	if err := reconnecting.Close(); err != nil {
		t.Errorf("close the client that reconnected: %v", err)
	}
	e.awaits(ctx, t, c, "two")
	hears(ctx, t, c, 1)

	e.greet(t, "two two")
	time.Sleep(time.Second)
	e.greets(ctx, t, c, "two")

	e.greet(t, `"three"`)
	hears(ctx, t, c, 2)
	e.greets(ctx, t, c, "three")
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func (e *edited) greeting(ctx context.Context, t *testing.T, c client) string {
	t.Helper()
	result, err := c.CallTool(ctx, toolCall{Name: "greet", Arguments: map[string]any{}})
	if err != nil {
		t.Fatalf("greet: %v", err)
	}
	return strings.Join(result.Texts, " ")
}

func (e *edited) greets(ctx context.Context, t *testing.T, c client, want string) {
	t.Helper()
	if got := e.greeting(ctx, t, c); got != want {
		t.Errorf("the client gets %s, want %s", got, want)
	}
}

// awaits calls until the client gets a greeting.
func (e *edited) awaits(ctx context.Context, t *testing.T, c client, want string) {
	t.Helper()
	for got := ""; got != want; time.Sleep(50 * time.Millisecond) {
		if got = e.greeting(ctx, t, c); ctx.Err() != nil {
			t.Fatalf("the client gets %s, want %s", got, want)
		}
	}
}

// hears waits until the client was told n times that the list of tools has changed.
func hears(ctx context.Context, t *testing.T, c client, n int) {
	t.Helper()
	for {
		told := 0
		for _, notification := range c.Notifications() {
			if notification.Method == "notifications/tools/list_changed" {
				told++
			}
		}
		if told >= n {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the client was told %d times that the tools have changed, want %d", told, n)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
