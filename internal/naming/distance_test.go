package naming_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/naming"
)

func TestDistanceCountsTheMistakesOfATypist(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, meant string
		want        int
	}{
		{"TimeOut", "Timeout", 0},
		{"Titel", "Title", 1},
		{"Guardrail", "Guardrails", 1},
		{"OutputSchma", "OutputSchema", 1},
		{"InputSchema", "OutputSchema", 3},
		{"Close", "Guardrails", 4},
	} {
		if got := naming.Distance(test.name, test.meant, 4); got != test.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", test.name, test.meant, got, test.want)
		}
	}
}
