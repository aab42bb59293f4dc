package interop_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The official SDK's client calls examples/transport over a unix socket, in both eras at the
// same time.
func TestAClientCallsOverACustomTransport(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "sock") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	binary := filepath.Join(folder, "program")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..", "examples", "transport")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := exec.Command(binary)
	program.Dir = folder
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Signal(syscall.SIGTERM)
		if err := program.Wait(); err != nil {
			t.Errorf("the program ends with %v", err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var sessions []*mcp.ClientSession
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		conn := dial(ctx, t, filepath.Join(folder, "adder.sock"))
		client := mcp.NewClient(&mcp.Implementation{Name: "interop-go-sdk", Version: "1.8.0"}, nil)
		session, err := client.Connect(ctx, &mcp.IOTransport{Reader: conn, Writer: conn}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		sessions = append(sessions, session)
	}
	for _, session := range sessions {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "add", Arguments: map[string]int{"a": 1, "b": 2}})
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := result.Content[0].(*mcp.TextContent); !ok || text.Text != "3" {
			t.Errorf("add answers %+v", result.Content[0])
		}
		_ = session.Close() // closes the connection twice, as its reader and as its writer
	}
}

// dial connects to a socket as soon as it exists.
func dial(ctx context.Context, t *testing.T, path string) net.Conn {
	t.Helper()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
		if err == nil {
			return conn
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
