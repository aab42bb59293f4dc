package protocol_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/protocol"
	"github.com/bowline-mcp/bowline/internal/seal"
)

// newCore returns the core of a server without anything.
func newCore() *protocol.Core {
	return protocol.New(protocol.Config{
		Scope: "test", Versions: protocol.Versions{protocol.Newest}, Info: []byte(`{"name":"test","version":"1"}`), PageSize: 50, MaxPageSize: 100,
		Lifecycle: protocol.NewLifecycle(), Seal: seal.New(), Logger: slog.New(slog.DiscardHandler),
	})
}

func TestTheBusCarriesChangesOfListsOnceTheServerIsOpen(t *testing.T) {
	t.Parallel()
	core := newCore()
	var heard []protocol.ChangeKind
	stop := core.Changes().Listen(func(change protocol.Change) { heard = append(heard, change.Kind) })
	tool := func(name string) *protocol.Tool { return &protocol.Tool{Item: protocol.Item{Key: name}} }
	check := func(what string, want ...protocol.ChangeKind) {
		t.Helper()
		if !slices.Equal(heard, want) {
			t.Errorf("%s: the bus carries %v, want %v", what, heard, want)
		}
		heard = nil
	}
	_ = core.AddTool(tool("boot"))
	check("a tool is added while the server boots")
	core.Opened()
	_ = core.AddTool(tool("late"))
	check("a tool is added", protocol.ToolsChanged)
	_ = core.AddTool(tool("late"))
	check("a tool is refused")
	core.RemoveTool("late")
	check("a tool is removed", protocol.ToolsChanged)
	core.RemoveTool("late")
	check("nothing is removed")
	_ = core.AddPrompt(&protocol.Prompt{Item: protocol.Item{Key: "ask"}})
	check("a prompt is added", protocol.PromptsChanged)
	_ = core.AddResource(&protocol.Resource{Item: protocol.Item{Key: "a://b"}})
	check("a resource is added", protocol.ResourcesChanged)
	_ = core.AddTemplate(&protocol.Template{Item: protocol.Item{Key: "a://{b}"}})
	check("a template is added", protocol.ResourcesChanged)
	core.RemoveResource("a://{b}")
	check("a template is removed", protocol.ResourcesChanged)
	core.Declare([]byte(`{}`), nil)
	_ = core.AddListener("a", func(context.Context, *protocol.Arrival, protocol.Peer) {})
	check("what is in no list is added")
	stop()
	core.RemoveTool("boot")
	check("nobody listens any more")
}

func TestTheBusCarriesAChangeToAllWhoListen(t *testing.T) {
	t.Parallel()
	bus, heard := newCore().Changes(), map[int]int{}
	stops := map[int]func(){}
	for i := range 10_000 {
		stops[i] = bus.Listen(func(change protocol.Change) {
			if change.URI == "a://b" {
				heard[i]++
			}
		})
	}
	updated := protocol.Change{Kind: protocol.ResourceUpdated, URI: "a://b"}
	bus.Publish(updated)
	for i := range 5_000 {
		stops[i]()
	}
	bus.Publish(updated)
	for i := range 10_000 {
		if want := 1 + i/5_000; heard[i] != want {
			t.Fatalf("listener %d has heard of %d changes, want %d", i, heard[i], want)
		}
	}
}

func TestNotificationsOfChangesHaveTheirWireForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		change       protocol.Change
		subscription string
		want         string
	}{
		{protocol.Change{Kind: protocol.ToolsChanged}, ``, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`},
		{protocol.Change{Kind: protocol.PromptsChanged}, ``, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`},
		{protocol.Change{Kind: protocol.ResourcesChanged}, ``, `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`},
		{
			protocol.Change{Kind: protocol.ResourceUpdated, URI: "a://\"b\""}, ``,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://\"b\""}}`,
		},
		{
			protocol.Change{Kind: protocol.ToolsChanged}, `7`,
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`,
		},
		{
			protocol.Change{Kind: protocol.ResourceUpdated, URI: "a://b"}, `"7"`,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","_meta":{"io.modelcontextprotocol/subscriptionId":"7"}}}`,
		},
	} {
		var subscription []byte
		if test.subscription != "" {
			subscription = []byte(test.subscription)
		}
		if got := string(test.change.AppendNotification(nil, subscription)); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
