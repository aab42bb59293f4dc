package servers_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// says returns an item of each kind, which says a text. All have the same names and URIs.
func says(text string) (servers.Tool, []servers.Resource, servers.Prompt) {
	read := func(context.Context, *resources.Request) (resources.Result, error) { return resources.Text(text), nil }
	return tools.New(tools.Definition{Name: "same", Description: "Says who it is."},
			func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text(text), nil }),
		[]servers.Resource{
			resources.New(resources.Definition{URI: "same://one", Name: "one"}, read),
			resources.New(resources.Definition{URI: "same://{each}/x", Name: "each"}, read),
		},
		prompts.New(prompts.Definition{Name: "same", Description: "Says who it is."},
			func(context.Context, *prompts.Request) (prompts.Result, error) { return prompts.User(text), nil })
}

// A group of features.
type group struct {
	tools     []servers.Tool
	resources []servers.Resource
	prompts   []servers.Prompt
}

func (g *group) Tools() []servers.Tool         { return g.tools }
func (g *group) Resources() []servers.Resource { return g.resources }
func (g *group) Prompts() []servers.Prompt     { return g.prompts }

func groupOf(text string) *group {
	tool, list, prompt := says(text)
	return &group{[]servers.Tool{tool}, list, []servers.Prompt{prompt}}
}

// A layered server has features, and the same things itself, in its lists or by Boot.
type layeredServer struct {
	servers.Server
	own, booted *group
	features    []servers.Features
}

func (s *layeredServer) Tools() []servers.Tool         { return s.own.tools }
func (s *layeredServer) Resources() []servers.Resource { return s.own.resources }
func (s *layeredServer) Prompts() []servers.Prompt     { return s.own.prompts }
func (s *layeredServer) Features() []servers.Features  { return s.features }

func (s *layeredServer) Boot(context.Context) error { return s.add(s.booted) }

func (s *layeredServer) add(g *group) error {
	for _, tool := range g.tools {
		if err := s.AddTool(tool); err != nil {
			return err
		}
	}
	for _, resource := range g.resources {
		if err := s.AddResource(resource); err != nil {
			return err
		}
	}
	for _, prompt := range g.prompts {
		if err := s.AddPrompt(prompt); err != nil {
			return err
		}
	}
	return nil
}

// saysOf asserts who serves each of the items.
func saysOf(t *testing.T, client *mcptest.Client, want string) {
	t.Helper()
	client.Call("same", nil).AssertOK().AssertSee(want)
	client.Read("same://one").AssertOK().AssertSee(want)
	client.Read("same://other/x").AssertOK().AssertSee(want)
	client.Get("same", nil).AssertOK().AssertSee(want)
}

func TestWhatAServerHasByItselfWinsOverItsFeatures(t *testing.T) {
	t.Parallel()
	none := &group{}
	for name, test := range map[string]struct {
		server *layeredServer
		want   string
	}{
		"nothing else": {&layeredServer{own: none, booted: none}, "generated"},
		"in its lists": {&layeredServer{own: groupOf("by hand"), booted: none}, "by hand"},
		"in Boot":      {&layeredServer{own: none, booted: groupOf("by hand")}, "by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.server.features = []servers.Features{groupOf("generated")}
			client := mcptest.New(t, test.server)
			saysOf(t, client, test.want)
			if test.want == "generated" { // and while it serves
				if err := test.server.add(groupOf("later")); err != nil {
					t.Fatal(err)
				}
				saysOf(t, client, "later")
			}
			if err := test.server.add(groupOf("again")); err == nil || !strings.Contains(err.Error(), "the server has a tool of that name already") {
				t.Errorf("a second one by hand: %v", err)
			}
		})
	}
}

func TestATemplateOfAServerWinsOverOneThatMatchesTheSameURIs(t *testing.T) {
	t.Parallel()
	own := &group{resources: []servers.Resource{resources.New(resources.Definition{URI: "same://{name}/x", Name: "own"},
		func(context.Context, *resources.Request) (resources.Result, error) {
			return resources.Text("by hand"), nil
		})}}
	for _, server := range []*layeredServer{{own: own, booted: &group{}}, {own: &group{}, booted: own}} {
		server.features = []servers.Features{groupOf("generated")}
		mcptest.New(t, server).Read("same://other/x").AssertOK().AssertSee("by hand")
	}
}

func TestMistakesInFeaturesAreFoundAtRegistration(t *testing.T) {
	t.Parallel()
	var missing *group
	err := mcp.Validate(servers.New(servers.Definition{Name: "twice", Features: []servers.Features{
		groupOf("a"), groupOf("b"), nil, missing, &group{tools: []servers.Tool{nil}},
	}}))
	for _, want := range []string{
		"the server twice: *servers_test.group: tool 1: the tool same (tools.New): the name is taken: the server has a tool of that name already (tools.New)",
		"*servers_test.group: resource 1: the resource same://one",
		"*servers_test.group: resource 2: the resource same://{each}/x",
		"*servers_test.group: prompt 1: the prompt same",
		"features 3: they are nil; give a pointer to features, such as &generated.Features{}",
		"features 4: they are nil",
		"*servers_test.group: tool 1: it is nil",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
}
