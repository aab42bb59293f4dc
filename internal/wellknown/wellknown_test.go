package wellknown_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/wellknown"
)

func TestMetadataIsAtTheURLsOfTheRFCs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"https://h.example":          {"", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"},
		"https://h.example/":         {"", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"},
		"https://h.example:443/a/b":  {"/a/b", "/.well-known/oauth-authorization-server/a/b", "/.well-known/openid-configuration/a/b", "/a/b/.well-known/openid-configuration"},
		"https://h.example/a%2fb/":   {"/a%2fb/", "/.well-known/oauth-authorization-server/a%2fb", "/.well-known/openid-configuration/a%2fb", "/a%2fb/.well-known/openid-configuration"},
		"https://H.example/a?tenant": {"/a?tenant", "/.well-known/oauth-authorization-server/a", "/.well-known/openid-configuration/a", "/a/.well-known/openid-configuration"},
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		const host = "https://h.example"
		if got := wellknown.ResourceURL(u); got != host+wellknown.Resource+want[0] {
			t.Errorf("the metadata of %s is at %s", text, got)
		}
		if path, _, _ := strings.Cut(want[0], "?"); wellknown.ResourcePath(u) != wellknown.Resource+path {
			t.Errorf("the metadata of %s is at the path %s", text, wellknown.ResourcePath(u))
		}
		got := wellknown.ServerURLs(u)
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], host)
		}
		if !slices.Equal(got, want[1:]) {
			t.Errorf("the metadata of the issuer %s is at %q, want %q", text, got, want[1:])
		}
	}
}
