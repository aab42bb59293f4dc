package interop_test

import (
	"slices"
	"testing"
)

// testBatch lets the client's transport send a batch in a session of 2025-03-26, the only
// version with batches.
func testBatch(t *testing.T, app *program) {
	t.Parallel()
	requireNode(t, "@modelcontextprotocol/sdk")
	c, err := connectNode(testContext(t), "batch.mjs", "", target{URL: "http://" + app.addr + "/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	batch := c.(*nodeClient)
	for what, with := range map[string]any{
		"one array":                 []string{"test_simple_text", "test_error_handling", "test_simple_text"},
		"a stream, if one of it is": []string{"test_simple_text", "test_tool_with_progress"},
	} {
		got, err := batch.names("batch", with)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		want := slices.Clone(with.([]string))
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: the calls of %v are answered, want %v", what, got, want)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
