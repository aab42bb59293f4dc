package gatetest_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// A recorder is a test that records how it ended.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()           {}
func (r *recorder) Skip(args ...any)  { r.skipped, _ = args[0].(string) }
func (r *recorder) Fatal(args ...any) { r.failed, _ = args[0].(string); panic(r) }

func TestAMissingToolSkipsATestAndFailsItInTheGate(t *testing.T) {
	t.Setenv("BOWLINE_CI", "")
	var elsewhere recorder
	gatetest.Missing(&elsewhere, "install it")
	if elsewhere.skipped != "install it" || elsewhere.failed != "" {
		t.Errorf("outside the gate: %+v", elsewhere)
	}

	t.Setenv("BOWLINE_CI", "1")
	var gate recorder
	defer func() {
		if recover() == nil || gate.failed != "install it" || gate.skipped != "" {
			t.Errorf("in the gate: %+v", gate)
		}
	}()
	gatetest.Missing(&gate, "install it")
}

func TestTestsOfTheGateAreSkippedElsewhere(t *testing.T) {
	t.Setenv("BOWLINE_CI", "")
	var elsewhere recorder
	gatetest.SkipUnlessGate(&elsewhere, "it starts a database server")
	if elsewhere.skipped != "it starts a database server; to run this test too: BOWLINE_CI=1 go test" {
		t.Errorf("elsewhere: %+v", elsewhere)
	}

	t.Setenv("BOWLINE_CI", "1")
	var gate recorder
	gatetest.SkipUnlessGate(&gate, "it starts a database server")
	if gate.skipped != "" {
		t.Errorf("in the gate: %+v", gate)
	}
}

func TestTestsOfTheNightlyRunAreSkippedElsewhere(t *testing.T) {
	t.Setenv("BOWLINE_NIGHTLY", "")
	var elsewhere recorder
	gatetest.SkipUnlessNightly(&elsewhere, "TestOnce runs one round")
	if n := gatetest.Rounds(5, 50); n != 5 {
		t.Errorf("elsewhere there are %d rounds", n)
	}
	if elsewhere.skipped != "TestOnce runs one round; to run this test too, set BOWLINE_NIGHTLY=1" {
		t.Errorf("elsewhere: %+v", elsewhere)
	}

	t.Setenv("BOWLINE_NIGHTLY", "1")
	var nightly recorder
	gatetest.SkipUnlessNightly(&nightly, "TestOnce runs one round")
	if nightly.skipped != "" || !gatetest.Nightly() || gatetest.Rounds(5, 50) != 50 {
		t.Errorf("in the nightly run: %+v", nightly)
	}
}
