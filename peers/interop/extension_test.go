package interop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ofEvents is the extension that the guide's page on extensions defines.
const ofEvents = "com.example/events"

// TestExtension calls the program of the guide's page on extensions with clients that know
// nothing of its methods. Each client has a process of its own, since it changes the server.
func TestExtension(t *testing.T) {
	t.Parallel()
	binary := buildPage(t, "extensions")
	type connecting = func(context.Context, target) (extensionClient, error)
	clients := map[string]connecting{}
	for _, version := range (target{}).versions() {
		clients["go-sdk at "+version] = func(ctx context.Context, to target) (extensionClient, error) {
			return connectExtensionGoSDK(ctx, to, version)
		}
	}
	for mode, version := range map[string]string{"legacy": newestLegacy, "auto": modern} {
		clients["typescript-v2 at "+version] = func(ctx context.Context, to target) (extensionClient, error) {
			return connectExtensionNode(ctx, "v2.mjs", mode, to)
		}
	}
	clients["typescript-v1 at "+newestLegacy] = func(ctx context.Context, to target) (extensionClient, error) {
		return connectExtensionNode(ctx, "v1.mjs", "", to)
	}
	for name, connect := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(name, "typescript") {
				requireNode(t, "@modelcontextprotocol/client", "@modelcontextprotocol/sdk")
			}
			for _, to := range launch(t, binary).targets(t, "/mcp/shop", "shop") {
				t.Run(to.Name, func(t *testing.T) {
					lacksExtension(t, to, connect)
					to.Extension = ofEvents
					if to.URL != "" {
						to.URL = "http://" + launch(t, binary).addr + "/mcp/shop"
					}
					followsEvents(t, to, connect)
				})
			}
		})
	}
	t.Run("by hand", func(t *testing.T) { followsByHand(t, "http://"+launch(t, binary).addr+"/mcp/shop") })
}

// An extensionClient can send requests whose methods it doesn't know.
type extensionClient interface {
	client
	request(ctx context.Context, method string, params eventsParams) (*eventsResult, error)

	// follow subscribes to kinds of events, and to a topic that no server has. It returns the
	// filters that the server confirms. The bool is false if the client can't be notified.
	follow() (confirmed []string, can bool, err error)
}

type eventsParams struct {
	mcp.ParamsBase
	Name   string `json:"name,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

type eventsResult struct {
	mcp.ResultBase
	Events []struct {
		Name    string `json:"name"`
		EventID string `json:"eventId"`
	} `json:"events"`
	Cursor    string `json:"cursor"`
	Truncated bool   `json:"truncated"`
}

// names returns the names of the events.
func (r *eventsResult) names() (names []string) {
	for _, event := range r.Events {
		names = append(names, event.Name)
	}
	return names
}

// lacksExtension calls a method of the extension without declaring it.
func lacksExtension(t *testing.T, to target, connect func(context.Context, target) (extensionClient, error)) {
	t.Helper()
	c, err := connect(testContext(t), to)
	if err != nil {
		t.Fatal(err)
	}
	want := -32600
	if c.Version() == modern {
		want = -32021
	}
	result, err := c.request(testContext(t), "events/list", eventsParams{})
	if rpc, ok := errors.AsType[*rpcError](err); !ok || rpc.Code != want || !strings.Contains(rpc.Message, ofEvents) {
		t.Errorf("a client that doesn't declare the extension gets %+v, %v", result, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// followsEvents lists the kinds of events, polls, and learns of a new kind.
func followsEvents(t *testing.T, to target, connect func(context.Context, target) (extensionClient, error)) {
	t.Helper()
	ctx := testContext(t)
	c, err := connect(ctx, to)
	if err != nil {
		t.Fatal(err)
	}
	request := func(method string, params eventsParams) *eventsResult {
		t.Helper()
		result, err := c.request(ctx, method, params)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		return result
	}
	if listed := request("events/list", eventsParams{}).names(); !slices.Equal(listed, []string{"order.placed"}) {
		t.Errorf("events/list returns %q", listed)
	}
	first := request("events/poll", eventsParams{Name: "order.placed"})
	call(ctx, t, c, "place-order", map[string]any{})
	second := request("events/poll", eventsParams{Name: "order.placed", Cursor: first.Cursor})
	if len(first.Events) != 0 || len(second.Events) != 1 || second.Events[0].EventID != "event-1" || second.Truncated {
		t.Errorf("events/poll returns %+v, and later %+v", first, second)
	}
	result, err := c.request(ctx, "events/poll", eventsParams{Name: "order.lost"})
	if rpc, ok := errors.AsType[*rpcError](err); !ok || rpc.Code != -32602 {
		t.Errorf("an unknown event is answered with %+v, %v", result, err)
	}
	confirmed, can, err := c.follow()
	if err != nil || slices.Contains(confirmed, "salesListChanged") {
		t.Errorf("subscribing is answered with %q, %v", confirmed, err)
	}
	call(ctx, t, c, "track-parcels", map[string]any{})
	notified := func() bool {
		return !can || slices.ContainsFunc(c.Notifications(), func(n notification) bool { return n.Method == "notifications/events/list_changed" })
	}
	eventually(t, notified)
	if !notified() {
		t.Errorf("the client has heard of %v", c.Notifications())
	}
	if listed := request("events/list", eventsParams{}).names(); !slices.Equal(listed, []string{"order.placed", "order.delivered"}) {
		t.Errorf("events/list returns %q later", listed)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// An extensionGoSDK is the official Go SDK with custom methods. It can't subscribe to topics
// that it doesn't know, and drops their notifications.
type extensionGoSDK struct{ goSDKClient }

func connectExtensionGoSDK(ctx context.Context, to target, version string) (extensionClient, error) {
	options := &mcp.ClientOptions{}
	if to.Extension != "" {
		options.Capabilities = &mcp.ClientCapabilities{Extensions: map[string]any{to.Extension: map[string]any{}}}
	}
	inner := mcp.NewClient(&mcp.Implementation{Name: "interop-go-sdk", Version: "1.8.0"}, options)
	for _, method := range []string{"events/list", "events/poll"} {
		if err := mcp.AddSendingCustomMethod[*eventsParams, *eventsResult](inner, method); err != nil {
			return nil, err
		}
	}
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: to.URL, HTTPClient: &http.Client{Transport: roundTrip(nameEvents)}}
	if to.URL == "" {
		transport = &mcp.CommandTransport{Command: to.program()}
	}
	session, err := inner.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, err
	}
	return &extensionGoSDK{goSDKClient{session: session}}, nil
}

// nameEvents adds the header Mcp-Name to requests of events/poll, which the SDK doesn't.
func nameEvents(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Mcp-Method") == "events/poll" {
		if r.Header.Get("Mcp-Name") != "" {
			return nil, errors.New("the SDK sends Mcp-Name for custom methods; docs/guide/extensions.md says that it doesn't")
		}
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		var message struct{ Params eventsParams }
		if err := json.NewDecoder(body).Decode(&message); err != nil {
			return nil, err
		}
		r.Header.Set("Mcp-Name", message.Params.Name)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (c *extensionGoSDK) request(ctx context.Context, method string, params eventsParams) (*eventsResult, error) {
	result, err := mcp.CallCustomMethod[*eventsParams, *eventsResult](ctx, c.session, method, &params)
	if err != nil {
		return nil, c.wrap(err)
	}
	return result, nil
}

func (*extensionGoSDK) follow() ([]string, bool, error) { return nil, false, nil }

// An extensionNode is a TypeScript client.
type extensionNode struct{ *nodeClient }

func connectExtensionNode(ctx context.Context, script, mode string, to target) (extensionClient, error) {
	c, err := connectNode(ctx, script, mode, to)
	if err != nil {
		return nil, err
	}
	return &extensionNode{c.(*nodeClient)}, nil
}

func (c *extensionNode) request(_ context.Context, method string, params eventsParams) (*eventsResult, error) {
	answer, err := c.do("request", map[string]any{"method": method, "params": params})
	if err != nil {
		return nil, err
	}
	result := &eventsResult{}
	return result, json.Unmarshal(answer.Value, result)
}

func (c *extensionNode) follow() ([]string, bool, error) {
	if c.version != modern {
		return nil, true, nil // it is notified without asking
	}
	answer, err := c.do("listen", map[string]any{"eventsListChanged": true, "salesListChanged": true})
	if err != nil {
		return nil, false, err
	}
	var confirmed map[string]any
	err = json.Unmarshal(answer.Value, &confirmed)
	return slices.Collect(maps.Keys(confirmed)), true, err
}

// followsByHand sends what the clients can't: wrong headers. It reads the confirmation of a
// subscription as the server sends it.
func followsByHand(t *testing.T, url string) {
	t.Helper()
	post := func(method, name, params string) *http.Response {
		t.Helper()
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{"extensions":{%q:{}}}}}}`, method, params, modern, ofEvents)
		request, err := http.NewRequestWithContext(testContext(t), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for header, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": modern, "Mcp-Method": method, "Mcp-Name": name,
		} {
			if value != "" {
				request.Header.Set(header, value)
			}
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	for _, name := range []string{"order.delivered", ""} {
		response := post("events/poll", name, `"name":"order.placed"`)
		if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), `"code":-32020`) {
			t.Errorf("Mcp-Name %q is answered with %s %s, %v", name, response.Status, text, err)
		}
	}
	stream := bufio.NewScanner(post("subscriptions/listen", "", `"notifications":{"eventsListChanged":true,"salesListChanged":true}`).Body)
	next := func() (data string) {
		for data == "" && stream.Scan() {
			data, _ = strings.CutPrefix(stream.Text(), "data: ")
			if !strings.HasPrefix(data, "{") {
				data = ""
			}
		}
		return data
	}
	const subscription = `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`
	if got, want := next(), `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+subscription+`,"notifications":{"eventsListChanged":true}}}`; got != want {
		t.Errorf("the server confirms %s, want %s", got, want)
	}
	post("tools/call", "track-parcels", `"name":"track-parcels","arguments":{}`)
	if got, want := next(), `{"jsonrpc":"2.0","method":"notifications/events/list_changed","params":{`+subscription+`}}`; got != want {
		t.Errorf("the client is notified by %s, want %s", got, want)
	}
}
