package resources_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/app/mcp/resources"
)

func TestGuideResourceDescribesTheServer(t *testing.T) {
	got := mcptest.Resource(t, &resources.GuideResource{}, "demo://guide").
		AssertOK().
		AssertSee("# The demo server", "demo://knots/bowline")
	if contents := got.Read.Contents[0]; contents.URI != "demo://guide" || contents.MIMEType != "text/markdown" {
		t.Errorf("got %+v", contents)
	}
}
