package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// stock is what the tools of a shop need.
type stock interface{ Count(item string) int }

type shelf struct{ amount int }

func (s *shelf) Count(string) int { return s.amount }

// shopServer is a server whose fields and whose components' fields have to be set.
type shopServer struct {
	servers.Server
	Stock     stock
	boot      func(s *shopServer) error
	tools     []servers.Tool
	resources []servers.Resource
	prompts   []servers.Prompt
}

func (s *shopServer) Tools() []servers.Tool         { return s.tools }
func (s *shopServer) Resources() []servers.Resource { return s.resources }
func (s *shopServer) Prompts() []servers.Prompt     { return s.prompts }

func (s *shopServer) Boot(context.Context) error {
	if s.boot != nil {
		return s.boot(s)
	}
	return nil
}

type (
	tallyTool struct {
		tools.Tool
		silent
		name   string
		Stock  stock
		Client *http.Client
		Count  int
		Hooks  []func()
		Done   chan struct{}
		Cache  map[string]int
		Clock  func() int
		hidden *http.Client //nolint:unused // a field that is not exported may be nil
		Tracer *http.Client `mcp:"optional"`
		needs
		*Needs
	}
	needs struct{ Shared stock }
	Needs struct {
		Public stock
		Maybe  stock `mcp:"optional"`
	}
	wrongTagTool struct {
		tools.Tool
		silent
		Stock stock `mcp:"optinal"`
	}
	clientTool struct {
		tools.Tool
		silent
		*Client `mcp:"optional"`
	}
	Client struct{ Transport http.RoundTripper }
	aisle  struct {
		resources.Resource
		Stock stock
	}
	offer struct {
		prompts.Prompt
		Stock stock
	}
	itself struct {
		tools.Tool
		silent
		*itself
	}
)

type silent struct{}

func (silent) Description() string { return "Counts." }
func (silent) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}

func (c *tallyTool) Name() string { return c.name }

func (*aisle) URI() string { return "shop://aisle" }
func (*aisle) Handle(context.Context, *resources.Request) (resources.Result, error) {
	return resources.Text(""), nil
}

func (*offer) Description() string { return "Offers." }
func (*offer) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return prompts.User(""), nil
}

func TestAFieldThatNobodySetsIsFoundAtBoot(t *testing.T) {
	t.Parallel()
	err := mcp.Validate(&shopServer{
		tools: []servers.Tool{&tallyTool{name: "a"}, &tallyTool{name: "b", Needs: &Needs{}}}, resources: []servers.Resource{&aisle{}}, prompts: []servers.Prompt{&offer{}},
	})
	const optional = `, or tag the field mcp:"optional" if it may be nil`
	var want []string
	add := func(of, place string, fields ...string) {
		for _, field := range fields {
			want = append(want, fmt.Sprintf("the server shopServer: the field %s of *mcp_test.%s is nil; set it where %s%s", field, of, place, optional))
		}
	}
	add("shopServer", "the program makes the server, such as routes/ai.go", "Stock")
	add("tallyTool", "Tools() of *mcp_test.shopServer lists it", "Stock", "Client", "Shared", "Needs", "Stock", "Client", "Shared", "Public")
	add("aisle", "Resources() of *mcp_test.shopServer lists it", "Stock")
	add("offer", "Prompts() of *mcp_test.shopServer lists it", "Stock")
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
}

func TestBootMaySetFields(t *testing.T) {
	t.Parallel()
	tool := &tallyTool{name: "a", Client: http.DefaultClient, Needs: &Needs{Public: &shelf{}}}
	tool.Shared = &shelf{}
	shop := &shopServer{tools: []servers.Tool{tool}, boot: func(s *shopServer) error {
		s.Stock = &shelf{}
		tool.Stock = s.Stock
		return nil
	}}
	mcptest.Check(t, shop)
}

func TestAFieldOfWhatIsAddedIsChecked(t *testing.T) {
	t.Parallel()
	const nowhere = ` is nil; set it where it is added to the server, or tag`
	shop := &shopServer{Stock: &shelf{}, boot: func(s *shopServer) error {
		return s.AddResource(&aisle{}) // which may be set until Boot returns
	}}
	if err := mcp.Validate(shop); err == nil || !strings.Contains(err.Error(), "the field Stock of *mcp_test.aisle"+nowhere) {
		t.Errorf("added by Boot: %v", err)
	}
	shop.boot = nil
	client := mcptest.New(t, shop)
	for name, err := range map[string]error{
		"tallyTool": shop.AddTool(&tallyTool{name: "a"}), "aisle": shop.AddResource(&aisle{}), "offer": shop.AddPrompt(&offer{}),
	} {
		if err == nil || !strings.Contains(err.Error(), "the field Stock of *mcp_test."+name+nowhere) {
			t.Errorf("added while it serves: %v", err)
		}
	}
	client.AssertNotRegistered(&tallyTool{name: "a"})
	if err := shop.AddResource(&aisle{Stock: &shelf{}}); err != nil {
		t.Error(err)
	}
}

func TestFieldsThatMayBeNil(t *testing.T) {
	t.Parallel()
	recursive := &itself{}
	recursive.itself = recursive
	for name, tool := range map[string]servers.Tool{
		"of a function":            tools.Func("f", "F.", func(context.Context, struct{}) (string, error) { return "", nil }),
		"of an embedded client":    &clientTool{},
		"of a set client":          &clientTool{Client: &Client{Transport: http.DefaultTransport}},
		"that embeds itself":       recursive,
		"of an embedded interface": &embedsTool{&tallyTool{name: "a"}},
	} {
		if err := mcp.Validate(&shopServer{Stock: &shelf{}, tools: []servers.Tool{tool}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := mcp.Validate(&shopServer{Stock: &shelf{}, tools: []servers.Tool{&wrongTagTool{Stock: &shelf{}}}})
	if err == nil || !strings.Contains(err.Error(), `the field Stock of *mcp_test.wrongTagTool has the tag mcp:"optinal", but the only word is optional; write mcp:"optional"`) {
		t.Errorf("a misspelled tag: %v", err)
	}
}

type embedsTool struct{ servers.Tool }
