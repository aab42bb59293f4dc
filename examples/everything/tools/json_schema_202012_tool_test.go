package tools_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/examples/everything/tools"
)

func TestJSONSchema202012ToolTakesThePhoneOrTheEmail(t *testing.T) {
	mcptest.Tool(t, &tools.JSONSchema202012Tool{}, mcptest.Args{"name": "Ada", "contactMethod": "phone", "phone": "555"}).
		AssertOK().AssertSee("Ada can be reached by phone: 555")
	mcptest.Tool(t, &tools.JSONSchema202012Tool{}, mcptest.Args{"name": "Ada", "email": "ada@example.com"}).
		AssertOK().AssertSee("Ada can be reached by email: ada@example.com")
}

func TestJSONSchema202012ToolChecksEveryKeyword(t *testing.T) {
	for _, tt := range []struct {
		keyword string
		args    mcptest.Args
		want    string
	}{
		{"anyOf", nil, `"phone", or an object with "email"`},
		{"then", mcptest.Args{"contactMethod": "phone", "email": "ada@example.com"}, "/phone: required"},
		{"else", mcptest.Args{"contactMethod": "email", "phone": "555"}, "/email: required"},
		{"enum", mcptest.Args{"contactMethod": "pigeon", "email": "ada@example.com"}, "/contactMethod:"},
		{"$ref", mcptest.Args{"address": map[string]any{"city": 3}, "email": "ada@example.com"}, "/address/city:"},
		{"additionalProperties", mcptest.Args{"fax": "555", "email": "ada@example.com"}, "/fax:"},
	} {
		t.Run(tt.keyword, func(t *testing.T) {
			mcptest.Tool(t, &tools.JSONSchema202012Tool{}, tt.args).AssertError(tt.want)
		})
	}
}
