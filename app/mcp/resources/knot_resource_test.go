package resources_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/app/mcp/resources"
	"github.com/bowline-mcp/bowline/app/mcp/servers"
)

func TestKnotResourceIsReadByName(t *testing.T) {
	mcptest.Resource(t, &resources.KnotResource{}, "demo://knots/bowline").
		AssertOK().
		AssertSee("A loop that neither slips nor jams.")
}

func TestKnotResourceHasNoOtherKnots(t *testing.T) {
	mcptest.Resource(t, &resources.KnotResource{}, "demo://knots/granny").AssertError("Resource not found: demo://knots/granny")
}

func TestKnotResourceSuggestsKnotsThatItHas(t *testing.T) {
	client := mcptest.New(t, &servers.DemoServer{})
	suggested := client.CompleteResource("demo://knots/{name}", "name", "", nil).AssertOK().Completion.Values
	if len(suggested) != 4 {
		t.Errorf("it suggests %v, want 4 knots", suggested)
	}
	for _, name := range suggested {
		client.Read("demo://knots/" + name).AssertOK()
	}
	client.CompleteResource("demo://knots/{name}", "name", "fi", nil).AssertOK().AssertSee("figure-eight\nfishermans-knot")
}
