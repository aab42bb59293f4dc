package metadata_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
)

func TestUsersSeeTheHostOrTheScheme(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]struct {
		host, source string
		here         bool
	}{
		"https://client.example:8443/cb": {"client.example:8443", "https://client.example:8443", false},
		"http://127.0.0.1:1234/callback": {"127.0.0.1:1234", "http://127.0.0.1:1234", true},
		"http://[::1]:1234/callback":     {"[::1]:1234", "http:", true},
		"cursor://x/cb":                  {"cursor:", "cursor:", true},
		"com.example.app:/cb":            {"com.example.app:", "com.example.app:", true},
		"%":                              {"", "'none'", false},
	} {
		if host, source, here := metadata.Host(uri), metadata.Source(uri), metadata.IsOnThisComputer(uri); host != want.host || source != want.source || here != want.here {
			t.Errorf("%s: users see %q, the policy has %q, and it is on this computer: %t", uri, host, source, here)
		}
	}
}
