package mcp_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
)

type nilFunctionServer struct{ servers.Server }

func (*nilFunctionServer) Resources() []servers.Resource {
	return []servers.Resource{resources.New(resources.Definition{URI: "test://a", Name: "a"}, nil)}
}

func (*nilFunctionServer) Prompts() []servers.Prompt {
	return []servers.Prompt{prompts.New(prompts.Definition{Name: "a", Description: "Says a."}, nil)}
}

func TestAResourceOrPromptWithoutAFunctionIsRefused(t *testing.T) {
	t.Parallel()
	err := mcp.Validate(&nilFunctionServer{})
	for _, want := range []string{"give resources.New one", "give prompts.New one"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want: %s", err, want)
		}
	}
}
