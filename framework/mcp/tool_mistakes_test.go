package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type (
	contradictoryTool struct{ plain }
	arrayTool         struct{ plain }
	outputTool        struct{ plain }
	hintTool          struct{ plain }
	hookTool          struct{ plain }
	nilBaseTool       struct{ *tools.Tool }
	iconTool          struct{ plain }
	hastyTool         struct{ plain }
	panickyTool       struct{ plain }
	metaTool          struct{ plain }
	audienceTool      struct{ plain }
)

func (*contradictoryTool) Schema(s *schema.Object) {
	s.String("unit").MinLength(5).MaxLength(2)
	s.Integer("n").Min(2).Max(1)
}
func (*arrayTool) Schema(s *schema.Object)          { s.Raw(`{"type":"array"}`) }
func (*outputTool) OutputSchema(s *schema.Object)   { s.Raw(`{"type":`) }
func (*hintTool) ReadOnlyHint() string              { return "yes" }
func (*hookTool) Guardrail() []guardrails.Guardrail { return nil }
func (*nilBaseTool) Description() string            { return "A tool." }
func (*hastyTool) Timeout() time.Duration           { return -time.Second }
func (*panickyTool) Schema(*schema.Object)          { panic("no such table") }
func (*metaTool) Meta() map[string]any              { return map[string]any{"f": func() {}} }

func (*audienceTool) Annotations() *content.Annotations {
	return &content.Annotations{Audience: []content.Role{content.User}}
}

func (*nilBaseTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}

func (*iconTool) Icons() []content.Icon {
	return []content.Icon{{Src: "http://example.com/i.png"}, {Src: "data:,", Theme: "blue"}, {Src: "data:,", Sizes: []string{"48"}}}
}

// Each mistake with its error: where it is, what is wrong, what to do.
var toolMistakes = []struct {
	name string
	tool servers.Tool
	want []string
}{
	{"nil", nil, []string{"it is nil; give a pointer to a tool, such as &tools.EchoTool{}"}},
	{"a nil pointer", (*hookTool)(nil), []string{"it is nil; give a pointer to a tool, such as &tools.EchoTool{}"}},
	{"a schema that contradicts itself", &contradictoryTool{}, []string{
		"contradictory (*mcp_test.contradictoryTool): Schema: /properties/unit: minLength 5 is greater than maxLength 2; swap or change them",
		"contradictory (*mcp_test.contradictoryTool): Schema: /properties/n: no number is allowed by minimum 2 and maximum 1; swap or change them",
	}},
	{"arguments that are no object", &arrayTool{}, []string{"array (*mcp_test.arrayTool): Schema: ", `must have "type":"object"`}},
	{"an output schema that isn't JSON", &outputTool{}, []string{"output (*mcp_test.outputTool): OutputSchema: "}},
	{"a hint of a wrong signature", &hintTool{}, []string{"hint (*mcp_test.hintTool): ", "the method ReadOnlyHint must be: ReadOnlyHint() bool"}},
	{"a method of another name", &hookTool{}, []string{"hook (*mcp_test.hookTool): the method Guardrail is never called; did you mean Guardrails() []guardrails.Guardrail?"}},
	{"a base that is a nil pointer", &nilBaseTool{}, []string{"*mcp_test.nilBaseTool panics while it is registered", "does it embed tools.Tool by value?"}},
	{"icons", &iconTool{}, []string{
		"icon (*mcp_test.iconTool): ", `the icon "http://example.com/i.png" must be an https: or data: URI`,
		`the theme of the icon "data:," must be light or dark, not "blue"`, `the size "48" of the icon "data:," must look like 48x48, or be any`,
	}},
	{"the annotations of a resource", &audienceTool{}, []string{
		"audience (*mcp_test.audienceTool): it has a method Annotations, as a resource has, which is not called for a tool; embed hints such as annotations.IsReadOnly",
	}},
	{"a timeout", &hastyTool{}, []string{"hasty (*mcp_test.hastyTool): ", "Timeout is -1s; it must be positive, or 0 for the server's Timeout"}},
	{"a panic", &panickyTool{}, []string{"*mcp_test.panickyTool panics while it is registered: no such table", "tool_mistakes_test.go"}},
	{"metadata that has no JSON", &metaTool{}, []string{"meta (*mcp_test.metaTool): "}},
	{"data whose schema is not JSON", tools.New(tools.Definition{Name: "raw", InputSchema: json.RawMessage(`{"type":"object",}`)}, (&plain{}).Handle), []string{"raw (*tools.defined): Schema: "}},
	{"no handler", tools.New(tools.Definition{Name: "idle"}, nil), []string{"idle (*tools.defined): it has no function to call; give tools.New one"}},
}

func TestMistakesInToolsAreFoundAtRegistration(t *testing.T) {
	t.Parallel()
	for _, test := range toolMistakes {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wants(t, "Validate", mcp.Validate(boxOf(saying("fine", ""), test.tool)), append(test.want, "the server toolbox: tool 2: ")...)

			box := boxOf()
			box.boot = func(context.Context) error { return box.AddTool(test.tool) }
			wants(t, "AddTool at boot", mcp.Validate(box), append(test.want, "the server toolbox: Boot: ")...)

			serving := boxOf(saying("fine", ""))
			p := probeServer(t, mcp.Config{}, serving)
			wants(t, "AddTool while serving", serving.AddTool(test.tool), test.want...)
			if names := p.ask("tools/list", nil).names(); names != "fine" {
				t.Errorf("the server has the tools %s", names)
			}
		})
	}
}

// wants checks that an error contains texts. It ends the test if there is no error.
func wants(t *testing.T, what string, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("%s: no error", what)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: the error does not say %q:\n%v", what, text, err)
		}
	}
}

func TestTwoToolsWithOneNameAreRefused(t *testing.T) {
	t.Parallel()
	const want = "the tool twin (tools.New): the name is taken: the server has a tool of that name already (tools.New); drop one of them, or give one of them another Name"
	wants(t, "Validate", mcp.Validate(boxOf(saying("twin", "a"), saying("other", ""), saying("twin", "b"))), "the server toolbox: tool 3: "+want)

	box := boxOf(saying("twin", "a"))
	p := probeServer(t, mcp.Config{}, box)
	wants(t, "AddTool", box.AddTool(saying("twin", "b")), want)
	if text, _ := p.call("twin", nil).text(); text != "a" {
		t.Errorf("the first tool returns %q", text)
	}
}

func TestAnErrorForATakenNameNamesTheOtherTool(t *testing.T) {
	t.Parallel()
	hello := tools.Func("hook", "Says hello.", func(context.Context, struct{}) (string, error) { return "", nil })
	wants(t, "another type", mcp.Validate(boxOf(hello, &namesakeTool{})),
		"tool 2: the tool hook (*mcp_test.namesakeTool): the name is taken: the server has a tool of that name already (tools.Func); give one of them another Name")
	wants(t, "the same type", mcp.Validate(boxOf(&namesakeTool{}, &namesakeTool{})),
		"tool 2: the tool hook (*mcp_test.namesakeTool): the name is taken: the server has a tool of that name already (*mcp_test.namesakeTool); drop one of them")
	wants(t, "types that differ only in their kind", mcp.Validate(boxOf(&Echo{}, &EchoTool{})),
		"tool 2: the tool echo (*mcp_test.EchoTool): the name is taken: the server has a tool of that name already (*mcp_test.Echo); give one of them another Name")
}

type namesakeTool struct{ plain }

func (*namesakeTool) Name() string { return "hook" }

func TestAFunctionIsNamedByItsFirstArgument(t *testing.T) {
	t.Parallel()
	named := func(name string) *toolbox {
		return boxOf(tools.Func(name, "Says hello.", func(context.Context, struct{}) (string, error) { return "", nil }))
	}
	wants(t, "no name", mcp.Validate(named("")), "it has no name; the first argument of tools.Func is the name")
	wants(t, "a bad name", mcp.Validate(named("a b")), `its name, the first argument of tools.Func, is "a b"; it must be 1 to 128 letters`)
}

func TestAllProblemsOfAServerAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	box := &oddServer{toolbox{tools: []servers.Tool{nil, &hookTool{}, saying("twin", ""), saying("twin", ""), &contradictoryTool{}}}}
	box.boot = func(context.Context) error {
		return errors.Join(box.AddTool(&hintTool{}), fmt.Errorf("the database is down: %w: %w", errors.New("connection refused"), errors.New("try later")))
	}
	wants(t, "Validate", mcp.Validate(box),
		"the server oddServer: PageSize is 0 and MaxPageSize is 200; they must be 1 to 100, the second no less than the first",
		`the server oddServer: the icon "i.png" must be an https: or data: URI`,
		"the server oddServer: tool 1: it is nil", "the server oddServer: tool 2: hook", "the server oddServer: tool 4: the tool twin",
		"the server oddServer: tool 5: contradictory (*mcp_test.contradictoryTool): Schema: /properties/unit: ",
		"the server oddServer: tool 5: contradictory (*mcp_test.contradictoryTool): Schema: /properties/n: ",
		"the server oddServer: Boot: hint", "the server oddServer: Boot: the database is down: connection refused: try later")
}

// oddServer has the mistakes of a server itself.
type oddServer struct{ toolbox }

func (*oddServer) PageSize() int         { return 0 }
func (*oddServer) MaxPageSize() int      { return 200 }
func (*oddServer) Icons() []content.Icon { return []content.Icon{{Src: "i.png"}} }

type sizedServer struct {
	servers.Server
	size, most int
}

func (s *sizedServer) PageSize() int    { return s.size }
func (s *sizedServer) MaxPageSize() int { return s.most }

func TestPageSizesHaveLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		size, most int
		fine       bool
	}{{1, 1, true}, {100, 100, true}, {1, 100, true}, {0, 100, false}, {-1, 1, false}, {101, 101, false}, {50, 101, false}, {50, 49, false}} {
		if err := mcp.Validate(&sizedServer{size: test.size, most: test.most}); (err == nil) != test.fine {
			t.Errorf("PageSize %d and MaxPageSize %d give the error %v", test.size, test.most, err)
		}
	}
}

type (
	nilBaseServer struct{ *servers.Server }
	valueServer   struct {
		*servers.Server
		_ []string // makes the type not comparable
	}
)

func TestAValueThatIsNotAServerIsRefused(t *testing.T) {
	t.Parallel()
	const nothing = "there is no server; give a pointer to one, such as &servers.DemoServer{}"
	for _, test := range []struct {
		name   string
		server servers.Interface
		want   string
	}{
		{"nil", nil, nothing},
		{"a nil pointer", (*toolbox)(nil), nothing},
		{"a base that is a nil pointer", &nilBaseServer{}, "the server nilBaseServer panics while it is registered"},
		{"a value that embeds a pointer", valueServer{Server: &servers.Server{}}, nothing},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wants(t, "Validate", mcp.Validate(test.server), test.want)
			app := mcp.New(mcp.Config{})
			app.Router.Web("demo", test.server)
			wants(t, "App.Validate", app.Validate(), test.want)
		})
	}
}

// A server whose Boot failed must not count as booted.
func TestAPanicInBootIsReportedEachTime(t *testing.T) {
	t.Parallel()
	box := boxOf()
	box.boot = func(context.Context) error { panic("no such table") }
	for range 2 {
		wants(t, "Validate", mcp.Validate(box), "the server toolbox panics while it is registered: no such table")
	}
}

func TestValidateDoesNotChangeAServer(t *testing.T) {
	t.Parallel()
	box := boxOf(saying("a", ""))
	if err := mcp.Validate(box); err != nil {
		t.Fatal(err)
	}
	if err := box.AddTool(saying("b", "")); !errors.Is(err, servers.ErrNotServing) {
		t.Errorf("AddTool after Validate returns the error %v", err)
	}
	p := probeServer(t, mcp.Config{}, box)
	if err := mcp.Validate(box); err != nil {
		t.Fatal(err)
	}
	if err := box.AddTool(saying("b", "")); err != nil {
		t.Errorf("AddTool while serving, after Validate, returns the error %v", err)
	}
	if names := p.ask("tools/list", nil).names(); names != "a b" {
		t.Errorf("the server has the tools %s", names)
	}
}

func TestHandlerPanicsForAServerThatCannotServe(t *testing.T) {
	t.Parallel()
	defer func() {
		text, _ := recover().(string)
		if !strings.HasPrefix(text, "mcp: the server toolbox: tool 1: ") || !strings.Contains(text, "\nmcp: the server toolbox: tool 2: ") {
			t.Errorf("the panic is %q", text)
		}
	}()
	mcp.Handler(boxOf(nil, &hookTool{}))
}
