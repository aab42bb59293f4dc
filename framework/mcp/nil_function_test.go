package mcp_test

import (
	"errors"
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
	if !errors.Is(err, resources.ErrNoFunction) || !errors.Is(err, prompts.ErrNoFunction) {
		t.Errorf("got %v, want both mistakes", err)
	}
}
