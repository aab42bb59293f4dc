package naming_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/naming"
)

func TestAURIHasASchemeAndNothingThatMustBeEncoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"docs://handbook": true, "file:///a%20b": true, "urn:isbn:1": true, "mailto:ada@example.com": true, "x:": true,
		"": false, "handbook": false, "/handbook": false, "not a uri": false, "docs://hand book": false, "file:///a b": false,
		"javascript:alert(1)\n": false, "x:\x00": false, "docs://<id>": false, "docs://{id}": false, "docs:///%zz": false, "1s:x": false,
	} {
		if got := naming.IsURI(text); got != want {
			t.Errorf("IsURI(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestSpellingsOfOneURIAreTheSameWhenNormalized(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"users://%61dmin": "users://admin", "USERS://admin": "users://admin", "Users+V1.x-y:a": "users+v1.x-y:a", "s:%7e%2D%5f%2E%30": "s:~-_.0",
		"s:a%2fb%c3%bc": "s:a%2Fb%C3%BC", "s:ü": "s:%C3%BC", "s:\xff": "s:%FF", "%41:b": "a:b", "s:%2561": "s:%2561", // decoded once only
		"users://Admin": "users://Admin", "s:A": "s:A", "s:%": "s:%", "s:%4": "s:%4", "s:%zz%61": "s:%zza", "": "", "A/b:c": "A/b:c", "s:/../a": "s:/../a", "s:/%2e%2E/a": "s:/../a",
	} {
		got := naming.NormalizeURI(uri)
		if got != want {
			t.Errorf("%s became %s, want %s", uri, got, want)
		}
		if again := naming.NormalizeURI(got); again != got {
			t.Errorf("%s became %s, and then %s", uri, got, again)
		}
	}
	if got := naming.NormalizeURIPart("A:%62"); got != "A:b" {
		t.Errorf("a part became %s", got)
	}
}
