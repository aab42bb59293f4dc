// Package gatetest tells tests which run they are part of: a developer's, the gate before a merge (.ci/run), or the nightly one
// (.ci/run nightly).
package gatetest

import (
	"os"
	"testing"
)

// Gate reports whether a test is part of the gate, which has all that tests need.
func Gate() bool { return os.Getenv("BOWLINE_CI") == "1" }

// Missing ends a test that needs something this machine lacks. It skips the test with the message, which says what to install; in the
// gate, which installs everything, it fails the test.
func Missing(t testing.TB, message string) {
	t.Helper()
	if Gate() {
		t.Fatal(message)
	}
	t.Skip(message)
}

// SkipUnlessGate skips a test that takes more of a machine than a developer's run should, such as a database server. The reason says what.
func SkipUnlessGate(t testing.TB, reason string) {
	t.Helper()
	if !Gate() {
		t.Skip(reason + "; to run this test too: BOWLINE_CI=1 go test")
	}
}

// Nightly reports whether a test should repeat itself as often as it can. Elsewhere a test of chance or of load runs a few rounds.
func Nightly() bool { return os.Getenv("BOWLINE_NIGHTLY") == "1" }

// Rounds returns how often a test of chance or of load does what it does: as often as it needs to fail, or as often as it can in the
// nightly run.
func Rounds(ordinary, nightly int) int {
	if Nightly() {
		return nightly
	}
	return ordinary
}

// SkipUnlessNightly skips a test that only repeats what shorter tests show. The reason names those tests.
func SkipUnlessNightly(t testing.TB, reason string) {
	t.Helper()
	if !Nightly() {
		t.Skip(reason + "; to run this test too, set BOWLINE_NIGHTLY=1")
	}
}
