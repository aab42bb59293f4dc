package spec_test

import (
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/spec"
)

func TestVersionsAreParsedByName(t *testing.T) {
	t.Parallel()
	for v := v20241105; v <= spec.Newest; v++ {
		if got := spec.ParseVersion(v.String()); got != v {
			t.Errorf("%s is %s", v, got)
		}
		if got := spec.ParseVersion([]byte(v.String())); got != v {
			t.Errorf("%s in bytes is %s", v, got)
		}
		if v.Modern() != (v == v20260728) {
			t.Errorf("%s is modern: %t", v, v.Modern())
		}
	}
	for _, name := range []string{"", "unknown", "2025-11-24", "2027-01-01", "2026-07-28 "} {
		if got := spec.ParseVersion(name); got != spec.VersionUnknown || got.String() != "unknown" {
			t.Errorf("%q is %s", name, got)
		}
	}
}

func TestModernAndLaterVersionsClaimTheModernProtocol(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"2026-07-28": true, "2026-07-29": true, "2030-01-01": true,
		"": false, "2025-11-25": false, "2026-07-27": false, "draft": false, "2026-7-28": false, "2026-07-2x": false, "2030/01/01": false, "30-01-2030": false,
	} {
		if got := spec.ClaimsModern(header); got != want {
			t.Errorf("%q: %t, want %t", header, got, want)
		}
	}
}

func TestASetOfVersionsIsSplitByEra(t *testing.T) {
	t.Parallel()
	set := spec.Versions{v20241105, v20260728, v20251125}
	if got := set.Legacy(); !slices.Equal(got, spec.Versions{v20251125, v20241105}) {
		t.Errorf("the older ones are %v", got)
	}
	if got := set.Modern(); !slices.Equal(got, spec.Versions{v20260728}) {
		t.Errorf("the modern ones are %v", got)
	}
	if got := string(set.AppendNames([]byte("of "))); got != `of ["2024-11-05","2026-07-28","2025-11-25"]` {
		t.Errorf("the names are %s", got)
	}
	if got := string(spec.Versions(nil).AppendNames(nil)); got != `[]` {
		t.Errorf("no names are %s", got)
	}
}

func TestSeveritiesAreParsedByName(t *testing.T) {
	t.Parallel()
	names := []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	for i, name := range names {
		severity := spec.ParseSeverity([]byte(name))
		if severity != spec.SeverityDebug+spec.Severity(i) || severity.String() != name {
			t.Errorf("%s is %s", name, severity)
		}
	}
	if got := spec.ParseSeverity([]byte("warn")); got != spec.SeverityWarning {
		t.Errorf("warn is %s", got)
	}
	for _, name := range []string{"", "none", "Info", "fatal"} {
		if got := spec.ParseSeverity([]byte(name)); got != spec.SeverityNone || got.String() != "none" {
			t.Errorf("%q is %s", name, got)
		}
	}
}
