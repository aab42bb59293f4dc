package legacy

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestSettingsHaveTheTimesOfTheLatestSubscriptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		settings := Settings{}
		settings.subscribe("docs://a", true)
		time.Sleep(limits.RecentTime)
		settings.subscribe("docs://b", true)
		time.Sleep(time.Second)
		settings.subscribe("docs://c", true)
		settings.subscribe("DOCS://c", true) // the same one
		settings.subscribe("docs://d", true)
		settings.subscribe("docs://d", false)
		if want := []string{"docs://a", "docs://b", "DOCS://c"}; !slices.Equal(settings.URIs, want) {
			t.Errorf("the resources are %q, want %q", settings.URIs, want)
		}
		if got, want := slices.Sorted(maps.Keys(settings.Since)), []string{"DOCS://c", "docs://b"}; !slices.Equal(got, want) {
			t.Errorf("the times are those of %q, want %q", got, want)
		}
	})
}
