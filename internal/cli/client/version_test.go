package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// versions returns a server that speaks 2026-07-28 and 2025-06-18.
func versions() server {
	return server{
		"server/discover": answer(`{"supportedVersions":["2026-07-28","2025-06-18"],"capabilities":{},"instructions":"Tie \"it\"."}`),
		"initialize": func(w http.ResponseWriter, r *http.Request, id, body string) {
			answer(`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"},"instructions":"Tie it."}`)(w, r, id, body)
		},
		"notifications/initialized": accepted,
	}
}

func TestAClientSpeaksTheVersionThatItIsToldTo(t *testing.T) {
	t.Parallel()
	for wanted, want := range map[spec.Version]struct {
		version      spec.Version
		instructions string
	}{
		spec.VersionUnknown:  {spec.Version20260728, `Tie "it".`},
		spec.Version20260728: {spec.Version20260728, `Tie "it".`},
		spec.Version20250618: {spec.Version20250618, "Tie it."},
	} {
		c, err := connect(t, versions(), nil, client.Options{Protocol: wanted})
		if err != nil {
			t.Errorf("%s: %v", wanted, err)
			continue
		}
		if c.Protocol() != want.version || c.Instructions() != want.instructions {
			t.Errorf("told to speak %s, the client speaks %s; the instructions are %q", wanted, c.Protocol(), c.Instructions())
		}
	}
}

func TestAVersionThatTheServerDoesNotSpeakIsAnError(t *testing.T) {
	t.Parallel()
	older := versions()
	delete(older, "server/discover")
	for _, test := range []struct {
		server server
		wanted spec.Version
	}{{versions(), spec.Version20241105}, {older, spec.Version20260728}} {
		_, err := connect(t, test.server, nil, client.Options{Protocol: test.wanted})
		if want := "the server doesn't speak the protocol version " + test.wanted.String() + "; it offers 2025-06-18"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
