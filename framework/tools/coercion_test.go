package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// The conversions that Config.CoerceArguments enables; none loses information. A want of
// "" means that the argument is refused.
func TestArgumentsAreConvertedIfEnabledAndSafe(t *testing.T) {
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
		{"boolean", map[string]any{}, ""},
		{"number", []int{3}, ""},
		{"number", map[string]any{}, ""},
		{"number", true, ""},
		{"string", true, ""},
	} {
		got := ""
		tool := &askTool{
			schema: func(s *schema.Object) {
				switch test.property {
				case "integer":
					s.Integer("v").Required()
				case "number":
					s.Number("v").Required()
				case "boolean":
					s.Boolean("v").Required()
				case "string":
					s.String("v").Required()
				}
			},
			ask: func(r *tools.Request) { got = string(r.Raw("v")) },
		}
		args := mcptest.Args{"v": test.given}
		result := mcptest.Configured(t, mcp.Config{CoerceArguments: true}, &server{tools: []servers.Tool{tool}}).Call("ask", args)
		if test.want == "" {
			result.AssertError("The arguments of ask are not valid:\n- /v: ")
		} else if result.AssertOK(); got != test.want {
			t.Errorf("%#v as %s: got %s, want %s", test.given, test.property, got, test.want)
		}

		// By default no argument is converted.
		mcptest.Tool(t, tool, args).AssertError("The arguments of ask are not valid:\n- /v: ")
	}
}

func TestAWholeNumberIsAnIntegerHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for coerce, raws := range map[bool][]string{false: {"3", "3.0", "30e-1"}, true: {"3", "3", "3"}} {
		for i, given := range []string{"3", "3.0", "30e-1"} {
			asked := false
			tool := &askTool{
				schema: func(s *schema.Object) { s.Integer("v").Required() },
				ask: func(r *tools.Request) {
					asked = true
					if got := r.Int("v"); got != 3 {
						t.Errorf("%s with CoerceArguments %t: got %d", given, coerce, got)
					}
					if got := string(r.Raw("v")); got != raws[i] {
						t.Errorf("%s with CoerceArguments %t: the raw argument is %s, want %s", given, coerce, got, raws[i])
					}
					var in struct {
						V int `json:"v"`
					}
					if err := r.Bind(&in); err != nil || in.V != 3 {
						t.Errorf("%s with CoerceArguments %t: bound is %+v, %v", given, coerce, in, err)
					}
					var v int
					if found, err := r.Get("v", &v); !found || err != nil || v != 3 {
						t.Errorf("%s with CoerceArguments %t: decoded is %d, %v", given, coerce, v, err)
					}
				},
			}
			client := mcptest.Configured(t, mcp.Config{CoerceArguments: coerce}, &server{tools: []servers.Tool{tool}})
			if client.Call("ask", mcptest.Args{"v": codec.Value(given)}).AssertOK(); !asked {
				t.Errorf("%s with CoerceArguments %t: the tool was not called", given, coerce)
			}
		}
	}
}

// The schema of a function accepts 3.0 as an integer, so the function must accept it too.
func TestAFunctionTakesAWholeNumberHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	tool := tools.Func("add", "Adds two numbers.", add)
	mcptest.Tool(t, tool, mcptest.Args{"a": codec.Value("2.0"), "b": codec.Value("10e-1")}).AssertOK().AssertStructured(addOut{3})
	mcptest.Tool(t, tool, mcptest.Args{"a": 2.5}).AssertError("/a: must be an integer, got the number 2.5")
}
