package naming_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/naming"
)

func TestSpellingsOfOnePathHaveOnePlainURI(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"file:///a/b.txt": "file:///a/b.txt", "file:///a%2Fb.txt": "file:///a/b.txt", "file:///a%252fb.txt": "file:///a/b.txt", "FILE:///a//b.txt": "file:///a/b.txt",
		"file:///./a/b.txt": "file:///a/b.txt", "file:///a/././/b.txt": "file:///a/b.txt", "file:///a/b.txt/": "file:///a/b.txt", "file:///a/b.txt/.": "file:///a/b.txt",
		"users://./a": "users://a", "users://a%40b": "users://a@b", "s:/a/?q=./b/&r=c//d/": "s:/a?q=b&r=c/d", "s:a?r=1&q=2": "s:a?q=2&r=1",
		"s:a b%7B%": "s:a%20b%7B%25", "s:ü%ff": "s:%C3%BC%FF", "s:.a/..b/c.": "s:.a/..b/c.", "s:.": "s:.", "s:": "s:", "docs://": "docs://",
	} {
		got := naming.PlainURI(uri)
		if got != want {
			t.Errorf("%s became %s, want %s", uri, got, want)
		}
		if again := naming.PlainURI(got); again != got {
			t.Errorf("%s became %s, and then %s", uri, got, again)
		}
	}
	if got := naming.PlainPath("./a%2f%2520b//c/"); got != "a/ b/c" {
		t.Errorf("a value became %q", got)
	}
}
