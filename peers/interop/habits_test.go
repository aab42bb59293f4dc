package interop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// testHabits tries behaviors of clients that the specification doesn't expect, or leaves
// open.
func testHabits(t *testing.T, app *program) {
	t.Parallel()
	to := target{URL: "http://" + app.addr + "/mcp"}
	for _, version := range to.versions() {
		t.Run("go-sdk sends null for a nil map at "+version, func(t *testing.T) {
			t.Parallel()
			c, err := connectGoSDK(testContext(t), to, version)
			if err != nil {
				t.Fatal(err)
			}
			if result := call(testContext(t), t, c, "test_simple_text", nil); result.IsError || len(result.Texts) != 1 {
				t.Errorf("got %+v", result)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("a client asks for the version that is empty", func(t *testing.T) { asksForNoVersion(t, to) })
	t.Run("a client opens its stream late", func(t *testing.T) { listensLate(t, to) })
	t.Run("a client compiles schemas", func(t *testing.T) { compilesSchemas(t, to) })
	t.Run("typescript-v1 sets no log level", func(t *testing.T) { setsNoLevel(t, to) })
}

// A roundTrip is a transport that changes the requests of a client.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// changed connects the official Go SDK through a transport that changes its requests.
func changed(t *testing.T, to target, options *mcp.ClientOptions, change func(*http.Request)) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: to.URL, HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		change(r)
		return http.DefaultTransport.RoundTrip(r)
	})}}
	inner := mcp.NewClient(&mcp.Implementation{Name: "interop-habits", Version: "1"}, options)
	session, err := inner.Connect(testContext(t), transport, &mcp.ClientSessionOptions{ProtocolVersion: newestLegacy})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return session
}

func asksForNoVersion(t *testing.T, to target) {
	t.Parallel()
	asked := false
	session := changed(t, to, nil, func(r *http.Request) {
		if r.Method != http.MethodPost {
			return
		}
		body, _ := io.ReadAll(r.Body)
		without := bytes.Replace(body, []byte(`"protocolVersion":"`+newestLegacy+`"`), []byte(`"protocolVersion":""`), 1)
		asked = asked || len(without) != len(body)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(without)), int64(len(without))
	})
	if got := session.InitializeResult().ProtocolVersion; !asked || got != newestLegacy {
		t.Errorf("it asked for no version: %t, and got %s", asked, got)
	}
}

func listensLate(t *testing.T, to target) {
	t.Parallel()
	other, err := connectGoSDK(testContext(t), to, newestLegacy)
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan struct{}, 10)
	options := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }}
	var once sync.Once
	changed(t, to, options, func(r *http.Request) {
		if r.Method == http.MethodGet {
			once.Do(func() { _, err = other.CallTool(testContext(t), toolCall{Name: "test_trigger_tool_change"}) })
		}
	})
	select {
	case <-told:
	case <-time.After(5 * time.Second):
		t.Errorf("the client is not notified of what changed before it listened: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

// The header keyword is new in 2026-07-28, and strict schema compilers refuse it.
func compilesSchemas(t *testing.T, to target) {
	t.Parallel()
	for version, want := range map[string]bool{modern: true, newestLegacy: false, "2025-06-18": false} {
		c, err := connectGoSDK(testContext(t), to, version)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for tool, err := range c.(*goSDKClient).session.Tools(testContext(t), nil) {
			if err != nil {
				t.Fatal(err)
			}
			schema, err := json.Marshal(tool.InputSchema)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(schema), "x-mcp-header")
		}
		if found != want {
			t.Errorf("at %s a schema has a header: %t, want %t", version, found, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func setsNoLevel(t *testing.T, to target) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/sdk")
	c, err := connectNode(testContext(t), "v1.mjs", "", to)
	if err != nil {
		t.Fatal(err)
	}
	call(testContext(t), t, c, "test_tool_with_logging", map[string]any{})
	isInfo := func(n notification) bool { return n.Method == "notifications/message" && n.Params["level"] == "info" }
	if !slices.ContainsFunc(c.Notifications(), isInfo) {
		t.Errorf("the client has heard of %v, want a log message", c.Notifications())
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
