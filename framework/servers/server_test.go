package servers_test

import (
	"errors"
	"testing"

	"github.com/bowline-mcp/bowline/framework/servers"
)

type bareServer struct{ servers.Server }

func TestTheBaseSaysNothingAndPagesByFifty(t *testing.T) {
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

// notes is an engine that notes what it is asked to do.
type notes struct{ said []string }

func (n *notes) note(what string) error {
	n.said = append(n.said, what)
	return errTaken
}

var errTaken = errors.New("the name is taken")

func (n *notes) AddTool(servers.Tool) error                    { return n.note("tool") }
func (n *notes) RemoveTool(name string) bool                   { return n.note("remove "+name) != nil }
func (n *notes) AddResource(servers.Resource) error            { return n.note("resource") }
func (n *notes) RemoveResource(uri string) bool                { return n.note("remove "+uri) != nil }
func (n *notes) ResourceUpdated(uri string)                    { _ = n.note("updated " + uri) }
func (n *notes) AddPrompt(servers.Prompt) error                { return n.note("prompt") }
func (n *notes) RemovePrompt(name string) bool                 { return n.note("remove "+name) != nil }
func (n *notes) AddMethod(name string, _ servers.Method) error { return n.note("method " + name) }
func (n *notes) AddCapability(name string, _ any) error        { return n.note("capability " + name) }
func (n *notes) AddNotification(s string, _ servers.Listener) error {
	return n.note("notification " + s)
}

func TestWhatIsAddedGoesToTheEngineWhileThereIsOne(t *testing.T) {
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
		if removed := server.RemoveTool("a"); removed != errors.Is(want, errTaken) {
			t.Errorf("RemoveTool returns %t", removed)
		}
	}
	check(servers.ErrNotServing)
	if have, opened := servers.Open(server, engine); !opened || have != engine {
		t.Error("the first engine was not taken")
	}
	if have, opened := servers.Open(server, &notes{}); opened || have != engine {
		t.Error("a second engine was taken")
	}
	check(errTaken)
	if len(engine.said) != 7 {
		t.Errorf("the engine was asked for %q", engine.said)
	}
	servers.Close(server, &notes{})
	check(errTaken)
	servers.Close(server, engine)
	check(servers.ErrNotServing)
}
