package resources_test

import (
	"maps"
	"testing"

	"github.com/yosida95/uritemplate/v3"
)

// The table of docs/adr/0011, which explains why the framework matches templates itself.
// If a new version of the library fails here, read it again: the reason may no longer
// exist.
func TestTheLibraryMatchesDifferently(t *testing.T) {
	t.Parallel()
	type lists = map[string][]string
	for _, test := range []struct {
		template, uri string
		ours          values // nil if it doesn't match
		theirs        lists
	}{
		{"users://{id}", "users://ada@example.com", values{"id": "ada@example.com"}, nil},
		{"tags://{list}", "tags://red,blue", values{"list": "red,blue"}, lists{"list": {"red", "blue"}}},
		{"posts://{id}{?page,size}", "posts://7?size=9&page=2", values{"id": "7", "page": "2", "size": "9"}, nil},
		{"files://{+path}{?rev}", "files://a/b?rev=2", values{"path": "a/b", "rev": "2"}, lists{"path": {"a/b?rev=2"}}},
		{"s:/a{.name,type}", "s:/a.tar.gz", values{"name": "tar", "type": "gz"}, lists{"name": {"tar.gz"}, "type": {""}}},
		{"users://{id}/posts", "users:///posts", nil, lists{"id": {""}}},
		{"s:/a{?q,r}", "s:/a?q=1r=2", values{"q": "1r=2"}, lists{"q": {"1"}, "r": {"2"}}},
		{"users://{id}", "users://%ff", nil, lists{"id": {"\xff"}}},
	} {
		if got, ok := parse(t, test.template).Match(test.uri); ok != (test.ours != nil) || !maps.Equal(got, test.ours) {
			t.Errorf("%s in %s: got %v, %v; want %v", test.template, test.uri, got, ok, test.ours)
		}
		theirs := uritemplate.MustNew(test.template).Match(test.uri)
		if len(theirs) != len(test.theirs) {
			t.Errorf("%s in %s: the library finds %v, no longer %v", test.template, test.uri, theirs, test.theirs)
		}
		for name, want := range test.theirs {
			if got := theirs.Get(name); len(got.V) != len(want) || got.V[0] != want[0] {
				t.Errorf("%s in %s: the library finds %s = %q, no longer %q", test.template, test.uri, name, got.V, want)
			}
		}
	}
}

func TestTheLibraryEncodesCodePoints(t *testing.T) {
	t.Parallel()
	theirs, err := uritemplate.MustNew("s:{a}").Expand(uritemplate.Values{"a": uritemplate.String("\u2e2e\u2f2e")})
	if want := "s:%2E%2E%2F%2E"; err != nil || theirs != want {
		t.Errorf("the library makes %s, %v, no longer %s", theirs, err, want)
	}
}
