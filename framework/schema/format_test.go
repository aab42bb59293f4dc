package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	for format, tt := range map[string]struct{ valid, invalid []string }{
		"email": {
			[]string{"a@b", "ann.b+c@example.com", "jörg@example.org"},
			[]string{"", "a", "@b", "a@", "a@b@c d", ".a@b.c", "a.@b.c", "a..b@c.d", "a b@c.d", "a@-b.c", strings.Repeat("a", 65) + "@b.c"},
		},
		"uri": {
			[]string{"https://example.com/a?b=c#d", "urn:isbn:1", "mailto:a@b.c", "http://[::1]:80/", "a:", "http://u:p@h:1/%20"},
			[]string{"", "example.com", "/a", "://a", "1a:b", "http://a b", "http://a/%2", "http://[::1", "http://a:b", "a:[", "http://é"},
		},
		"date":      {[]string{"2024-02-29"}, []string{"2023-02-29", "24-01-01", "2024-1-01", "2024-01-01T00:00:00Z"}},
		"date-time": {[]string{"2024-02-29T23:59:59Z", "2024-01-01t00:00:00.123+01:30", "1998-12-31T23:59:60Z"}, []string{"2024-01-01", "2024-01-01T24:00:00Z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00,1Z", "1998-12-31T22:59:60Z"}},
		"uuid":      {[]string{"01890a5d-ac96-774b-bcce-b302099a8057"}, []string{"", "01890a5dac96774bbcceb302099a8057", "01890a5d-ac96-774b-bcce-b302099a805g"}},
		"ipv4":      {[]string{"127.0.0.1"}, []string{"127.0.0", "256.0.0.1", "::1", "01.0.0.1"}},
		"ipv6":      {[]string{"::1", "2001:db8::1"}, []string{"127.0.0.1", "fe80::1%eth0", ":::"}},
		"hostname":  {[]string{"localhost", "a-b.example.com", "1.2"}, []string{"", "a..b", "-a", "a-", "a_b", "a.", strings.Repeat("a", 64)}},
	} {
		object := schema.New()
		object.String("x").Format(format)
		for _, text := range tt.valid {
			data, _ := json.Marshal(map[string]string{"x": text})
			if got := object.Validate(data); got != nil {
				t.Errorf("%q is refused as %s: %v", text, format, got)
			}
		}
		for _, text := range tt.invalid {
			data, _ := json.Marshal(map[string]string{"x": text})
			if got := object.Validate(data); len(got) != 1 || got[0].Rule != "format" {
				t.Errorf("%q as %s returns %v, want one violation of format", text, format, got)
			}
		}
	}
}

func TestHelpers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		is             func(string) bool
		valid, invalid []string
	}{
		"IsEmail": {schema.IsEmail, []string{"a@b.c"}, []string{"a", "a@b c"}},
		"IsURL": {schema.IsURL, []string{"https://example.com", "HTTP://localhost:8080/a?b#c", "http://u@[::1]/"},
			[]string{"", "ftp://a.b", "https://", "https:///a", "http://:80", "example.com", "javascript:alert(1)", "http://a b"}},
		"IsPath": {schema.IsPath, []string{"a", "a/b.txt", "./a", "a..b/c...", "ä/日"},
			[]string{"", "/a", "..", "../a", "a/../b", "a/..", `a\b`, `..\a`, "C:/a", "c:a", "a\x00b", "a\nb"}},
		"IsJSON": {schema.IsJSON, []string{"1", ` {"a":[null]} `}, []string{"", "{", "1 2", `{"a":1,"a":2}`, "'a'", "nan"}},
	} {
		for _, text := range tt.valid {
			if !tt.is(text) {
				t.Errorf("%s(%q) = false", name, text)
			}
		}
		for _, text := range tt.invalid {
			if tt.is(text) {
				t.Errorf("%s(%q) = true", name, text)
			}
		}
	}
}
