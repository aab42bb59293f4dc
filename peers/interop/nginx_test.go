package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// silence is how long the tool thinks, in seconds. It is longer than nginx waits for a byte.
func silence() float64 {
	if os.Getenv("BOWLINE_NIGHTLY") == "1" {
		return 20
	}
	return 8
}

// TestNginx calls a tool that sends nothing before its answer, through a proxy that closes a
// connection on which nothing arrives for five seconds.
func TestNginx(t *testing.T) {
	binary := requireNginx(t)
	app := start(t, filepath.Join("peers", "quiet"), "APP_KEEP_ALIVE=2s")
	to := target{URL: "http://" + startNginx(t, binary, app.addr) + "/mcp"}
	for name, connect := range map[string]func(context.Context, string) (client, error){
		"go-sdk": func(ctx context.Context, version string) (client, error) { return connectGoSDK(ctx, to, version) },
		"mcp-go": func(ctx context.Context, version string) (client, error) { return connectMCPGo(ctx, to, version) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, version := range to.versions() {
				t.Run(version, func(t *testing.T) {
					t.Parallel()
					answersAfterSilence(t, version, func(ctx context.Context) (client, error) { return connect(ctx, version) })
				})
			}
		})
	}
	for mode, version := range map[string]string{modern: modern, "legacy": newestLegacy} {
		t.Run("typescript-v2 "+mode, func(t *testing.T) {
			t.Parallel()
			requireNode(t, "@modelcontextprotocol/client")
			answersAfterSilence(t, version, func(ctx context.Context) (client, error) { return connectNode(ctx, "v2.mjs", mode, to) })
		})
	}
	t.Run("typescript-v1", func(t *testing.T) {
		t.Parallel()
		requireNode(t, "@modelcontextprotocol/sdk")
		answersAfterSilence(t, newestLegacy, func(ctx context.Context) (client, error) { return connectNode(ctx, "v1.mjs", "", to) })
	})
}

// TestNginxClosesASilentConnection shows that the proxy of TestNginx closes the connection of a
// program that sends no comments.
func TestNginxClosesASilentConnection(t *testing.T) {
	binary := requireNginx(t)
	app := start(t, filepath.Join("peers", "quiet"), "APP_KEEP_ALIVE=1h")
	url := "http://" + startNginx(t, binary, app.addr) + "/mcp"
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"think","arguments":{"seconds":8},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequestWithContext(testContext(t), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": "think",
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if body, err := io.ReadAll(response.Body); response.StatusCode != http.StatusGatewayTimeout {
		t.Errorf("the client gets %s %s, %v; want 504", response.Status, body, err)
	}
}

// answersAfterSilence checks that a client gets the answer of the tool.
func answersAfterSilence(t *testing.T, version string, connect func(context.Context) (client, error)) {
	t.Helper()
	ctx := testContext(t)
	c, err := connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Version(); got != version {
		t.Errorf("the version is %s, want %s", got, version)
	}
	begin := time.Now()
	result, err := c.CallTool(ctx, toolCall{Name: "think", Arguments: map[string]any{"seconds": silence()}})
	took := time.Since(begin).Seconds()
	if err != nil {
		t.Fatalf("after %.1f s: %v", took, err)
	}
	want := fmt.Sprintf("thought for %v s", silence())
	if result.IsError || len(result.Texts) != 1 || !strings.Contains(result.Texts[0], want) || took < silence() {
		encoded, _ := json.Marshal(result)
		t.Errorf("after %.1f s the client gets %s, want %s", took, encoded, want)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// startNginx starts a proxy for an address, and returns its own. It waits five seconds for a byte
// of the program; all else is as by default.
func startNginx(t *testing.T, binary, to string) (addr string) {
	t.Helper()
	dir := t.TempDir()
	addr = freeAddr(t)
	config := filepath.Join(dir, "nginx.conf")
	text := strings.NewReplacer("DIR", dir, "ADDR", addr, "APP", to).Replace(`
daemon off;
master_process off;
pid DIR/nginx.pid;
error_log stderr;
events { worker_connections 256; }
http {
	access_log off;
	client_body_temp_path DIR/body;
	proxy_temp_path DIR/proxy;
	fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi;
	scgi_temp_path DIR/scgi;
	server {
		listen ADDR;
		location / {
			proxy_pass http://APP;
			proxy_http_version 1.1;
			proxy_read_timeout 5s;
		}
	}
}
`)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	nginx := exec.Command(binary, "-e", "stderr", "-p", dir, "-c", config)
	nginx.Stdout, nginx.Stderr = &log, &log
	if err := nginx.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = nginx.Wait() // the exit code of a stopped nginx says nothing
	}()
	t.Cleanup(func() {
		_ = nginx.Process.Signal(syscall.SIGTERM)
		select {
		case <-done:
		case <-time.After(time.Minute):
			_ = nginx.Process.Kill()
			t.Error("nginx does not end")
		}
		if t.Failed() {
			t.Logf("nginx logged:\n%s", log.String())
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		response, err := http.Get("http://" + addr + "/readyz")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return addr
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("nginx does not serve: %v\n%s", err, log.String())
		}
	}
}

// requireNginx returns the path of nginx. Without it, it skips the test, or fails it in CI.
func requireNginx(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} { // Debian's users have no PATH to it
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const message = "nginx is not on the PATH: run apt-get install nginx-light, then run this test again"
	if os.Getenv("BOWLINE_CI") == "1" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}
