package authcheck

import "testing"

func TestTheDifferenceOfTwoResourcesIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ used, said, want string }{
		{"https://h.example/mcp", "https://h.example/mcp", ""},
		{"https://h.example", "https://h.example/", ""},
		{"https://h.example/", "https://h.example", ""},
		{"https://h.example/mcp", "https://h.example/mcp/", "the trailing slash differs"},
		{"https://h.example/mcp/", "https://h.example/mcp", "the trailing slash differs"},
		{"https://h.example/mcp", "https://H.example/mcp", "the case of the scheme or host differs"},
		{"HTTPS://h.example/mcp", "https://h.example/mcp", "the case of the scheme or host differs"},
		{"https://h.example/mcp", "https://h.example/MCP", "the case of the path differs"},
		{"https://h.example/mcp", "http://h.example/mcp", "you used https, the server says http"},
		{"http://localhost:80/mcp", "http://127.0.0.1:80/mcp", `the host differs: you used localhost, the server says "127.0.0.1"`},
		{"https://h.example/mcp", "https://h.example:8443/mcp", `the port differs: you used h.example, the server says "h.example:8443"`},
		{"https://h.example/mcp", "https://h.example:443/mcp", "one of them names the default port"},
		{"https://h.example/mcp", "https://h.example", "the path is missing"},
		{"https://h.example/mcp", "https://h.example/", "the path is missing"},
		{"https://h.example/mcp", "https://h.example/mcp#a", "it has a fragment"},
		{"https://h.example/mcp", "https://h.example/other", "the path or query differs"},
		{"https://h.example/mcp", "https://h.example/mcp?a=b", "the path or query differs"},
		{"https://h.example/mcp", "/mcp", "it isn't an absolute URL"},
		{"https://h.example/mcp", "mcp:server", "it isn't an absolute URL"},
	} {
		got := ""
		if !sameResource(test.used, test.said) {
			got = difference(test.used, test.said)
		}
		if got != test.want {
			t.Errorf("%s and %s: %q, want %q", test.used, test.said, got, test.want)
		}
	}
}
