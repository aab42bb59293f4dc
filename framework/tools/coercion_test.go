package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// The conversions that Config.CoerceArguments turns on: only those that lose
// nothing. A want of "" means that the argument is refused.
func TestArgumentsAreConvertedIfAskedForAndSafe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		property string // of the schema
		given    any
		want     string // what the handler gets, as JSON
	}{
		{"integer", "3", "3"},
		{"integer", "3.0", "3"},
		{"integer", "-3", "-3"},
		{"number", "2.5", "2.5"},
		{"number", "3", "3"},
		{"boolean", "true", "true"},
		{"boolean", "false", "false"},
		{"string", 3, `"3"`},

		{"integer", "abc", ""},
		{"integer", "3.5", ""},
		{"integer", "", ""},
		{"integer", true, ""},
		{"number", "abc", ""},
		{"boolean", 1, ""},
		{"boolean", "1", ""},
		{"boolean", "TRUE", ""},
		{"boolean", "yes", ""},
		{"string", []int{3}, ""},
		{"string", map[string]any{}, ""},
		{"integer", []int{3}, ""},
		{"integer", map[string]any{}, ""},
		{"boolean", []bool{true}, ""},
	} {
		got := ""
		tool := &askTool{
			schema: func(schema *schema.Object) {
				switch test.property {
				case "integer":
					schema.Integer("v").Required()
				case "number":
					schema.Number("v").Required()
				case "boolean":
					schema.Boolean("v").Required()
				case "string":
					schema.String("v").Required()
				}
			},
			ask: func(r *tools.Request) { got = string(r.Raw("v")) },
		}
		args := mcptest.Args{"v": test.given}
		result := mcptest.Configured(t, mcp.Config{CoerceArguments: true}, &server{tools: []servers.Tool{tool}}).Call("ask-tool", args)
		if test.want == "" {
			result.AssertError("The arguments of ask-tool are not valid:\n- /v: ")
		} else if result.AssertOK(); got != test.want {
			t.Errorf("%#v as %s: got %s, want %s", test.given, test.property, got, test.want)
		}

		// Off, which is the default, no argument is another type than it says.
		mcptest.Tool(t, tool, args).AssertError("The arguments of ask-tool are not valid:\n- /v: ")
	}
}

func TestAWholeNumberIsAnIntegerHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for _, coerce := range []bool{false, true} {
		got := 0
		tool := &askTool{
			schema: func(schema *schema.Object) { schema.Integer("v").Required() },
			ask:    func(r *tools.Request) { got = r.Int("v") },
		}
		app := mcp.New(mcp.Config{CoerceArguments: coerce, Logger: quiet(t)})
		app.Router.Web("/", &server{tools: []servers.Tool{tool}})
		handler, err := app.Handler()
		if err != nil {
			t.Fatal(err)
		}
		for _, arguments := range []string{`{"v":3}`, `{"v":3.0}`, `{"v":30e-1}`} {
			got = 0
			if _, body := post(t, handler, "/", map[string][]string{"Mcp-Name": {"ask-tool"}}, callOf("ask-tool", arguments)); got != 3 {
				t.Errorf("%s with CoerceArguments %t: got %d: %s", arguments, coerce, got, body)
			}
		}
	}
}
