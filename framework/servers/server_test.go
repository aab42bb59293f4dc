package servers_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/attachment"
)

type bareServer struct{ servers.Server }

func TestTheBaseHasDefaults(t *testing.T) {
	t.Parallel()
	var server servers.Interface = &bareServer{}
	for name, text := range map[string]string{
		"Name": server.Name(), "Title": server.Title(), "Version": server.Version(), "Description": server.Description(),
		"Website": server.Website(), "Instructions": server.Instructions(),
	} {
		if text != "" {
			t.Errorf("%s is %q", name, text)
		}
	}
	if server.PageSize() != 50 || server.MaxPageSize() != 100 {
		t.Errorf("a page has %d items, at most %d", server.PageSize(), server.MaxPageSize())
	}
	if server.Icons() != nil || server.Tools() != nil || server.Resources() != nil || server.Prompts() != nil || server.Boot(t.Context()) != nil {
		t.Error("the base has icons, tools, resources, prompts or something to boot")
	}
}

// notes is an engine that records its calls.
type notes struct{ said []string }

func (n *notes) note(what string) error {
	n.said = append(n.said, what)
	return errTaken
}

var errTaken = errors.New("the name is taken")

func (n *notes) AddTool(servers.Tool) error             { return n.note("tool") }
func (n *notes) RemoveTool(name string) bool            { return n.note("remove "+name) != nil }
func (n *notes) AddResource(servers.Resource) error     { return n.note("resource") }
func (n *notes) RemoveResource(uri string) bool         { return n.note("remove "+uri) != nil }
func (n *notes) ResourceUpdated(uri string)             { _ = n.note("updated " + uri) }
func (n *notes) VisibilityChanged()                     { _ = n.note("visibility") }
func (n *notes) VisibilityChangedFor(id string)         { _ = n.note("visibility for " + id) }
func (n *notes) AddPrompt(servers.Prompt) error         { return n.note("prompt") }
func (n *notes) RemovePrompt(name string) bool          { return n.note("remove "+name) != nil }
func (n *notes) AddCapability(name string, _ any) error { return n.note("capability " + name) }
func (n *notes) AddMethod(name string, _ func(context.Context, *exchange.Request) (any, error)) error {
	return n.note("method " + name)
}

func (n *notes) AddNotification(s string, _ func(context.Context, *exchange.Request) error) error {
	return n.note("notification " + s)
}

func TestAddAndRemoveCallTheEngineIfAttached(t *testing.T) {
	t.Parallel()
	server, engine := &bareServer{}, &notes{}
	add := map[string]func() error{
		"AddTool":         func() error { return server.AddTool(nil) },
		"AddResource":     func() error { return server.AddResource(nil) },
		"AddPrompt":       func() error { return server.AddPrompt(nil) },
		"AddMethod":       func() error { return server.AddMethod("a/b", nil) },
		"AddNotification": func() error { return server.AddNotification("a/b", nil) },
		"AddCapability":   func() error { return server.AddCapability("a", true) },
	}
	check := func(want error) {
		t.Helper()
		for name, add := range add {
			if err := add(); !errors.Is(err, want) {
				t.Errorf("%s returns %v, want %v", name, err, want)
			}
		}
		for name, remove := range map[string]func(string) bool{
			"RemoveTool": server.RemoveTool, "RemoveResource": server.RemoveResource, "RemovePrompt": server.RemovePrompt,
		} {
			if removed := remove("a"); removed != errors.Is(want, errTaken) {
				t.Errorf("%s returns %t", name, removed)
			}
		}
		server.ResourceUpdated("a://b")
		server.VisibilityChanged()
		server.VisibilityChangedFor("ada")
	}
	check(servers.ErrNotServing)
	if have, opened := attachment.Attach(server, engine); !opened || have != engine {
		t.Error("the first engine was not taken")
	}
	if have, opened := attachment.Attach(server, &notes{}); opened || have != engine {
		t.Error("a second engine was taken")
	}
	check(errTaken)
	for _, want := range []string{"updated a://b", "visibility", "visibility for ada"} {
		if !slices.Contains(engine.said, want) {
			t.Errorf("the engine wasn't asked for %q", want)
		}
	}
	if len(engine.said) != 12 {
		t.Errorf("the engine was asked for %q", engine.said)
	}
	attachment.Detach(server, &notes{})
	check(errTaken)
	attachment.Detach(server, engine)
	check(servers.ErrNotServing)
}
