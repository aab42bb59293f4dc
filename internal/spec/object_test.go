package spec_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/spec"
)

func TestAnObjectKeepsTheOrderOfItsMembers(t *testing.T) {
	t.Parallel()
	o := spec.ParseObject([]byte(`{ "b": 1.50, "a": {"c": [ ]}, "é\n": null }`))
	if got := string(o.Get("a")); got != `{"c": [ ]}` {
		t.Errorf("a is %s", got)
	}
	if o.Get("absent") != nil {
		t.Errorf("what is absent is %s", o.Get("absent"))
	}
	o.Set("b", []byte("2"))
	o.Set("z", []byte("true"))
	if got := string(o.Append([]byte("is "))); got != `is {"b":2,"a":{"c": [ ]},"é\n":null,"z":true}` {
		t.Errorf("got %s", got)
	}
	o.Drop("a", "absent", "z")
	if got := string(o.Append(nil)); got != `{"b":2,"é\n":null}` {
		t.Errorf("got %s", got)
	}
}

func TestParseObjectReturnsNilForOtherValues(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{``, `null`, `[]`, `"a"`, `7`, `{"a":`, `{"a"`, `{"a":1,"b"`} {
		if o := spec.ParseObject([]byte(raw)); len(o) != 0 {
			t.Errorf("%s has the members %v", raw, o)
		}
	}
	if got := string(spec.Object(nil).Append(nil)); got != `{}` {
		t.Errorf("got %s", got)
	}
}

func TestAnArrayHasRawValues(t *testing.T) {
	t.Parallel()
	values := spec.ParseArray([]byte(`[1, "a", {"b":[2]}]`))
	if got := string(spec.AppendArray(nil, values)); got != `[1,"a",{"b":[2]}]` {
		t.Errorf("got %s", got)
	}
	if got := spec.ParseArray([]byte(`[]`)); got == nil || len(got) != 0 {
		t.Errorf("an empty array is %v", got)
	}
	for _, raw := range []string{``, `{}`, `null`, `[1`, `[1,`, `[`} {
		if got := spec.ParseArray([]byte(raw)); got != nil {
			t.Errorf("%s is %q", raw, got)
		}
	}
}

func TestAValueIsFoundByItsPath(t *testing.T) {
	t.Parallel()
	object := []byte(`{"a":{"b":{"c":7}},"d":[{"e":1}]}`)
	for _, test := range []struct {
		path []string
		want string
	}{
		{nil, string(object)}, {[]string{"a", "b"}, `{"c":7}`}, {[]string{"a", "b", "c"}, `7`}, {[]string{"a", "x", "c"}, ``}, {[]string{"d", "e"}, ``},
	} {
		if got := string(spec.Lookup(object, test.path...)); got != test.want {
			t.Errorf("%v: got %s, want %s", test.path, got, test.want)
		}
	}
}
