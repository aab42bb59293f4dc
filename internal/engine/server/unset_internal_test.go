package server

import (
	"net/http"
	"testing"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/tools"
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
	tool := component{value: &storedTool{Store: http.NotFoundHandler(), Client: http.DefaultClient}}
	for b.Loop() {
		for range 10 {
			if err := tool.unset(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
