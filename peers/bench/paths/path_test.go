package paths_test

import (
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/paths"
	"github.com/bowline-mcp/bowline/peers/bench/report"
)

// The paths that need neither the go command nor this package's own program run once, briefly.
// They fail if an answer is wrong, so this also tests the setup of the contenders.
func TestPathsMeasureEveryContender(t *testing.T) {
	for _, path := range paths.All() {
		switch path.Row {
		case "stdio", "cold", "listen", "change", "command", "dev":
			continue
		}
		t.Run(path.Row, func(t *testing.T) {
			reports, err := path.Run(measure.Settings{Rounds: 1, Time: time.Millisecond})
			if err != nil || len(reports) == 0 {
				t.Fatalf("%v, with %d reports", err, len(reports))
			}
			for _, r := range reports {
				for _, result := range r.Results {
					if result.Wall <= 0 {
						t.Errorf("%s: %s took no time", r.Title, result.Name)
					}
				}
				for _, b := range r.Budgets {
					if b.Verdict() == "not measured" {
						t.Errorf("%s: %s was not measured", r.Title, b.What)
					}
				}
				if _, err := measure.Find(r.Results, report.Bowline); err != nil {
					t.Errorf("%s: %v", r.Title, err)
				}
			}
		})
	}
}
