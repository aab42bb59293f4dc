package fields_test

import (
	"net/http"
	"testing"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/fields"
)

// A storedTool has fields like those of a tool in an app.
type storedTool struct {
	tools.Typed[struct{}, string]
	annotations.IsReadOnly
	Store  http.Handler
	Client *http.Client
}

func BenchmarkTenToolsAreChecked(b *testing.B) {
	b.ReportAllocs()
	tool := fields.Component{Value: &storedTool{Store: http.NotFoundHandler(), Client: http.DefaultClient}}
	check := fields.Check{}
	if err := check.All(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for range 10 {
			if err := check.Component(tool); err != nil {
				b.Fatal(err)
			}
		}
	}
}
