package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// A goSDKClient adapts the official Go SDK. It delivers only progress, because the SDK drops
// notifications with an unknown method.
type goSDKClient struct {
	session *mcp.ClientSession

	mu       sync.Mutex
	received []notification
}

// connectGoSDK connects with a version. With 2026-07-28, the SDK begins with
// server/discover, with an older version it begins with initialize.
func connectGoSDK(ctx context.Context, to target, version string) (client, error) {
	c := &goSDKClient{}
	options := &mcp.ClientOptions{ProgressNotificationHandler: c.onProgress}
	options.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { // makes the SDK listen
		c.note("notifications/tools/list_changed", nil)
	}
	options.ResourceUpdatedHandler = func(_ context.Context, request *mcp.ResourceUpdatedNotificationRequest) {
		c.note("notifications/resources/updated", map[string]any{"uri": request.Params.URI})
	}
	if to.Answers {
		options.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: answeredForm()}, nil
		}
		options.CreateMessageHandler = func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) { //nolint:staticcheck // deprecated with the feature, which must still work
			return &mcp.CreateMessageResult{Role: "assistant", Model: "interop", Content: &mcp.TextContent{Text: answeredText}}, nil //nolint:staticcheck // likewise
		}
	}
	inner := mcp.NewClient(&mcp.Implementation{Name: "interop-go-sdk", Version: "1.8.0"}, options)
	if to.Answers {
		inner.AddRoots(&mcp.Root{URI: answeredRoot}) //nolint:staticcheck // likewise
	}
	var transport mcp.Transport
	switch {
	case to.Events != "":
		transport = &mcp.SSEClientTransport{Endpoint: to.Events}
	case to.URL != "":
		streamable := &mcp.StreamableClientTransport{Endpoint: to.URL}
		if to.Login != "" {
			handler, err := goSDKLogin(to.Login)
			if err != nil {
				return nil, err
			}
			streamable.OAuthHandler = handler
		}
		transport = streamable
	default:
		transport = &mcp.CommandTransport{Command: to.program()}
	}
	session, err := inner.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, err
	}
	c.session = session
	return c, nil
}

// goSDKLogin returns the SDK's handler of challenges. Its browser needs no user.
func goSDKLogin(how login) (auth.OAuthHandler, error) {
	metadata := &oauthex.ClientRegistrationMetadata{
		ClientName: "interop-go-sdk", RedirectURIs: []string{redirectURL}, ResponseTypes: []string{"code"},
		TokenEndpointAuthMethod: "none", GrantTypes: []string{"authorization_code"},
	}
	if how == codeAndRefresh {
		metadata.GrantTypes = append(metadata.GrantTypes, "refresh_token")
	}
	config := &auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: metadata},
		RequestRefreshToken:             how != codeOnly,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			answer, err := browse(ctx, args.URL)
			if err != nil {
				return nil, err
			}
			return &auth.AuthorizationResult{Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss")}, nil
		},
	}
	if how == byDocument {
		config.DynamicClientRegistrationConfig = nil
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: documentURL}
		config.RedirectURL = redirectURL
	}
	return auth.NewAuthorizationCodeHandler(config)
}

func (c *goSDKClient) onProgress(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
	c.note("notifications/progress", map[string]any{
		"progressToken": request.Params.ProgressToken,
		"progress":      request.Params.Progress,
	})
}

func (c *goSDKClient) note(method string, params map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, notification{Method: method, Params: params})
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

func (c *goSDKClient) ListResources(ctx context.Context) (uris []string, err error) {
	for resource, err := range c.session.Resources(ctx, nil) {
		if err != nil {
			return nil, c.wrap(err)
		}
		uris = append(uris, resource.URI)
	}
	return uris, nil
}

func (c *goSDKClient) ListTemplates(ctx context.Context) (templates []string, err error) {
	for template, err := range c.session.ResourceTemplates(ctx, nil) {
		if err != nil {
			return nil, c.wrap(err)
		}
		templates = append(templates, template.URITemplate)
	}
	return templates, nil
}

func (c *goSDKClient) ListPrompts(ctx context.Context) (names []string, err error) {
	for prompt, err := range c.session.Prompts(ctx, nil) {
		if err != nil {
			return nil, c.wrap(err)
		}
		names = append(names, prompt.Name)
	}
	return names, nil
}

func (c *goSDKClient) ReadResource(ctx context.Context, uri string) (texts []string, err error) {
	result, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, c.wrap(err)
	}
	for _, contents := range result.Contents {
		texts = append(texts, contents.Text)
	}
	return texts, nil
}

func (c *goSDKClient) GetPrompt(ctx context.Context, name string, arguments map[string]string) (messages []string, err error) {
	result, err := c.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		return nil, c.wrap(err)
	}
	for _, message := range result.Messages {
		if text, ok := message.Content.(*mcp.TextContent); ok {
			messages = append(messages, string(message.Role)+": "+text.Text)
		}
	}
	return messages, nil
}

func (c *goSDKClient) Complete(ctx context.Context, ref reference, argument, value string) ([]string, error) {
	result, err := c.session.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: ref.Type, Name: ref.Name, URI: ref.URI},
		Argument: mcp.CompleteParamsArgument{Name: argument, Value: value},
	})
	if err != nil {
		return nil, c.wrap(err)
	}
	return result.Completion.Values, nil
}

func (c *goSDKClient) Watch(ctx context.Context, uri string) error {
	return c.wrap(c.session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}))
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
