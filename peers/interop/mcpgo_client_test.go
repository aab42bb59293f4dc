package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"sync"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// A mcpGoClient adapts the client of mcp-go.
type mcpGoClient struct {
	inner   *mcpgo.Client
	version string

	mu       sync.Mutex
	received []notification
}

// connectMCPGo connects with a version. If the library can't use the answer to
// server/discover, it falls back to the handshake; Version then returns an older version.
func connectMCPGo(ctx context.Context, to target, version string) (client, error) {
	var wire transport.Interface
	if to.URL != "" {
		var options []transport.StreamableHTTPCOption
		if version != modern {
			options = append(options, transport.WithContinuousListening()) //nolint:staticcheck // deprecated in 2026-07-28, but used by older versions
		}
		streamable, err := transport.NewStreamableHTTP(to.URL, options...)
		if err != nil {
			return nil, err
		}
		wire = streamable
	} else {
		wire = transport.NewStdioWithOptions(to.Command[0], to.Env, to.Command[1:],
			transport.WithCommandFunc(func(_ context.Context, command string, env, args []string) (*exec.Cmd, error) {
				cmd := exec.Command(command, args...)
				cmd.Dir, cmd.Env = to.Dir, env
				return cmd, nil
			}))
	}
	options := []mcpgo.ClientOption{mcpgo.WithProtocolVersion(version)}
	if to.Answers {
		options = append(options, mcpgo.WithElicitationHandler(mcpGoUser{}), mcpgo.WithSamplingHandler(mcpGoUser{}), mcpgo.WithRootsHandler(mcpGoUser{}))
	}
	c := &mcpGoClient{inner: mcpgo.NewClient(wire, options...)}
	if err := c.inner.Start(ctx); err != nil {
		return nil, err
	}
	c.inner.OnNotification(c.onNotification)
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "interop-mcp-go", Version: "1.2.1"}
	result, err := c.inner.Initialize(ctx, hello)
	if err != nil {
		return nil, errors.Join(err, c.inner.Close())
	}
	c.version = result.ProtocolVersion
	return c, nil
}

// mcpGoUser answers the questions of the server.
type mcpGoUser struct{}

func (mcpGoUser) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: answeredForm(),
	}}, nil
}

func (mcpGoUser) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(answeredText)}, Model: "interop",
	}, nil
}

func (mcpGoUser) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: answeredRoot}}}, nil
}

func (c *mcpGoClient) onNotification(n mcp.JSONRPCNotification) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, notification{Method: n.Method, Params: n.Params.AdditionalFields})
}

func (c *mcpGoClient) Version() string { return c.version }

func (c *mcpGoClient) ListTools(ctx context.Context) ([]string, error) {
	result, err := c.inner.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, c.wrap(err)
	}
	var names []string
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

func (c *mcpGoClient) CallTool(ctx context.Context, call toolCall) (*toolResult, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name = call.Name
	request.Params.Arguments = call.Arguments
	if call.Progress {
		request.Params.Meta = &mcp.Meta{ProgressToken: "token-of-" + call.Name}
	}
	result, err := c.inner.CallTool(ctx, request)
	if err != nil {
		return nil, c.wrap(err)
	}
	out := &toolResult{IsError: result.IsError}
	for _, block := range result.Content {
		if text, ok := block.(mcp.TextContent); ok {
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

func (c *mcpGoClient) ListResources(ctx context.Context) (uris []string, err error) {
	result, err := c.inner.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return nil, c.wrap(err)
	}
	for _, resource := range result.Resources {
		uris = append(uris, resource.URI)
	}
	return uris, nil
}

func (c *mcpGoClient) ListTemplates(ctx context.Context) (templates []string, err error) {
	result, err := c.inner.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil {
		return nil, c.wrap(err)
	}
	for _, template := range result.ResourceTemplates {
		templates = append(templates, template.URITemplate.Raw())
	}
	return templates, nil
}

func (c *mcpGoClient) ListPrompts(ctx context.Context) (names []string, err error) {
	result, err := c.inner.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return nil, c.wrap(err)
	}
	for _, prompt := range result.Prompts {
		names = append(names, prompt.Name)
	}
	return names, nil
}

func (c *mcpGoClient) ReadResource(ctx context.Context, uri string) (texts []string, err error) {
	request := mcp.ReadResourceRequest{}
	request.Params.URI = uri
	result, err := c.inner.ReadResource(ctx, request)
	if err != nil {
		return nil, c.wrap(err)
	}
	for _, contents := range result.Contents {
		if text, ok := contents.(mcp.TextResourceContents); ok {
			texts = append(texts, text.Text)
		}
	}
	return texts, nil
}

func (c *mcpGoClient) GetPrompt(ctx context.Context, name string, arguments map[string]string) (messages []string, err error) {
	request := mcp.GetPromptRequest{}
	request.Params.Name = name
	request.Params.Arguments = arguments
	result, err := c.inner.GetPrompt(ctx, request)
	if err != nil {
		return nil, c.wrap(err)
	}
	for _, message := range result.Messages {
		if text, ok := message.Content.(mcp.TextContent); ok {
			messages = append(messages, string(message.Role)+": "+text.Text)
		}
	}
	return messages, nil
}

func (c *mcpGoClient) Complete(ctx context.Context, ref reference, argument, value string) ([]string, error) {
	request := mcp.CompleteRequest{}
	request.Params.Ref = ref
	request.Params.Argument = mcp.CompleteArgument{Name: argument, Value: value}
	result, err := c.inner.Complete(ctx, request)
	if err != nil {
		return nil, c.wrap(err)
	}
	return result.Completion.Values, nil
}

func (c *mcpGoClient) Watch(ctx context.Context, uri string) error {
	if c.version != modern {
		request := mcp.SubscribeRequest{}
		request.Params.URI = uri
		return c.wrap(c.inner.Subscribe(ctx, request)) //nolint:staticcheck // deprecated in 2026-07-28, but used by older versions
	}
	if _, err := c.inner.ListenAsync(ctx, mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{uri}}, nil); err != nil {
		return err
	}
	begun := func(n notification) bool { return n.Method == "notifications/subscriptions/acknowledged" }
	for ctx.Err() == nil && !slices.ContainsFunc(c.Notifications(), begun) { // it begins in the background
		time.Sleep(time.Millisecond)
	}
	return ctx.Err()
}

func (c *mcpGoClient) Notifications() []notification {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.received)
}

func (c *mcpGoClient) Close() error { return c.inner.Close() }

// wrap turns the library's sentinel errors into errors with their codes.
func (*mcpGoClient) wrap(err error) error {
	if errors.Is(err, mcp.ErrInvalidParams) {
		return &rpcError{Code: mcp.INVALID_PARAMS, Message: err.Error()}
	}
	if errors.Is(err, mcp.ErrResourceNotFound) {
		return &rpcError{Code: mcp.RESOURCE_NOT_FOUND, Message: err.Error()}
	}
	return err
}
