package interop_test

import (
	"context"
	"path/filepath"
	"testing"
)

// modern is the protocol version without a handshake. newestLegacy is the version that
// clients with a handshake request.
const (
	modern       = "2026-07-28"
	newestLegacy = "2025-11-25"
)

// TestInterop runs all clients concurrently against one process and one URL.
func TestInterop(t *testing.T) {
	app := start(t, ".")
	for _, to := range app.targets(t, "/mcp/demo", "demo") {
		t.Run(to.Name, func(t *testing.T) {
			t.Parallel()
			t.Run("go-sdk", func(t *testing.T) { testGoSDK(t, to) })
			t.Run("mcp-go", func(t *testing.T) { testMCPGo(t, to) })
			t.Run("typescript-v2", func(t *testing.T) { testTypeScriptV2(t, to) })
			t.Run("typescript-v1", func(t *testing.T) { testTypeScriptV1(t, to) })
			t.Run("inspector", func(t *testing.T) { testInspector(t, to) })
			if to.Command != nil {
				t.Run("closed stderr", func(t *testing.T) { testClosedStderr(t, to) })
			}
		})
	}
}

// TestFixture runs the clients that can be asked against the fixture of the official
// conformance suite, which asks them.
func TestFixture(t *testing.T) {
	app := start(t, filepath.Join("examples", "everything"))
	for _, to := range app.targets(t, "/mcp", "everything") {
		to.Answers = true
		t.Run(to.Name, func(t *testing.T) {
			t.Parallel()
			t.Run("go-sdk", func(t *testing.T) { testGoSDK(t, to) })
			t.Run("mcp-go", func(t *testing.T) { testMCPGo(t, to) })
			t.Run("typescript-v2", func(t *testing.T) { testTypeScriptV2(t, to) })
			t.Run("typescript-v1", func(t *testing.T) { testTypeScriptV1(t, to) })
		})
	}
	t.Run("http with sse", func(t *testing.T) { // where mcp-go's client can't be asked
		t.Parallel()
		to := target{Events: "http://" + app.addr + "/mcp/sse", Answers: true}
		t.Run("go-sdk", func(t *testing.T) { testGoSDK(t, to) })
		t.Run("typescript-v1", func(t *testing.T) { testTypeScriptV1(t, to) })
	})
	t.Run("typescript-v1 comes back", func(t *testing.T) { testResumption(t, app) })
	t.Run("typescript-v1 sends a batch", func(t *testing.T) { testBatch(t, app) })
	t.Run("habits", func(t *testing.T) { testHabits(t, app) })
}

// versions returns the versions that a target supports.
func (t target) versions() []string {
	all := []string{modern, newestLegacy, "2025-06-18", "2025-03-26", "2024-11-05"}
	if t.Events != "" {
		return all[1:]
	}
	return all
}

func testGoSDK(t *testing.T, to target) {
	t.Parallel()
	for _, version := range to.versions() {
		connectAndBehave(t, version, to, expectations{Version: version}, func(ctx context.Context) (client, error) {
			return connectGoSDK(ctx, to, version)
		})
	}
}

func testMCPGo(t *testing.T, to target) {
	t.Parallel()
	for _, version := range to.versions() {
		connectAndBehave(t, version, to, expectations{Version: version, SeesAnyMethod: true}, func(ctx context.Context) (client, error) {
			return connectMCPGo(ctx, to, version)
		})
	}
}

func testTypeScriptV2(t *testing.T, to target) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/client")
	for mode, version := range map[string]string{modern: modern, "auto": modern, "legacy": newestLegacy} {
		connectAndBehave(t, mode, to, expectations{Version: version, SeesAnyMethod: true, OneNotFound: true}, func(ctx context.Context) (client, error) {
			return connectNode(ctx, "v2.mjs", mode, to)
		})
	}
}

func testTypeScriptV1(t *testing.T, to target) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/sdk")
	connectAndBehave(t, "legacy", to, expectations{Version: newestLegacy, SeesAnyMethod: true}, func(ctx context.Context) (client, error) {
		return connectNode(ctx, "v1.mjs", "", to)
	})
}

func connectAndBehave(t *testing.T, name string, to target, wants expectations, connect func(context.Context) (client, error)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		c, err := connect(testContext(t))
		if err != nil {
			t.Fatalf("connect: %v", err)
		}
		if to.Answers {
			behaveAsked(t, c, wants)
			behaveTold(testContext(t), t, c)
		} else {
			behave(t, c, wants)
		}
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}
