package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A goSDKClient adapts the official Go SDK. It shows progress only: the SDK drops
// notifications with a method that it does not know.
type goSDKClient struct {
	session *mcp.ClientSession

	mu       sync.Mutex
	received []notification
}

// connectGoSDK asks for exactly version: with 2026-07-28 the SDK begins with
// server/discover, with anything older it begins with initialize.
func connectGoSDK(ctx context.Context, to target, version string) (client, error) {
	c := &goSDKClient{}
	inner := mcp.NewClient(&mcp.Implementation{Name: "interop-go-sdk", Version: "1.8.0"}, &mcp.ClientOptions{
		ProgressNotificationHandler: c.onProgress,
	})
	var transport mcp.Transport
	if to.URL != "" {
		transport = &mcp.StreamableClientTransport{Endpoint: to.URL}
	} else {
		cmd := exec.Command(to.Command[0], to.Command[1:]...)
		cmd.Dir, cmd.Env = to.Dir, to.Env
		transport = &mcp.CommandTransport{Command: cmd}
	}
	session, err := inner.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, err
	}
	c.session = session
	return c, nil
}

func (c *goSDKClient) onProgress(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, notification{
		Method: "notifications/progress",
		Params: map[string]any{
			"progressToken": request.Params.ProgressToken,
			"progress":      request.Params.Progress,
		},
	})
}

func (c *goSDKClient) Version() string { return c.session.InitializeResult().ProtocolVersion }

func (c *goSDKClient) ListTools(ctx context.Context) ([]string, error) {
	var names []string
	for tool, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			return nil, c.wrap(err)
		}
		names = append(names, tool.Name)
	}
	return names, nil
}

func (c *goSDKClient) CallTool(ctx context.Context, call toolCall) (*toolResult, error) {
	params := &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments}
	if call.Progress {
		params.Meta = mcp.Meta{}
		params.SetProgressToken("token-of-" + call.Name)
	}
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return nil, c.wrap(err)
	}
	out := &toolResult{IsError: result.IsError}
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			out.Texts = append(out.Texts, text.Text)
		}
	}
	if result.StructuredContent != nil {
		if out.Structured, err = json.Marshal(result.StructuredContent); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *goSDKClient) Notifications() []notification {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.received)
}

func (c *goSDKClient) Close() error { return c.session.Close() }

func (*goSDKClient) wrap(err error) error {
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return &rpcError{Code: int(wire.Code), Message: wire.Message}
	}
	return err
}
