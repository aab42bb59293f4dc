package resources_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/framework/resources"
)

func parse(t testing.TB, text string) *resources.Template {
	t.Helper()
	template, err := resources.ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

type values = map[string]string

// The examples of levels 1 to 3 in RFC 6570, sections 1.2 and 3.2, with a scheme
// prepended.
func TestTemplatesExpandAsInTheRFC(t *testing.T) {
	t.Parallel()
	all := values{
		"var": "value", "hello": "Hello World!", "half": "50%", "who": "fred", "base": "http://example.com/home/", "path": "/foo/bar",
		"dub": "me/too", "v": "6", "x": "1024", "y": "768", "empty": "", "dom": "example.com",
	}
	for template, want := range map[string]string{
		"{var}": "value", "{hello}": "Hello%20World%21", "O{empty}X": "OX", "O{undef}X": "OX",
		"{half}": "50%25", "{who}": "fred", "map?{x,y}": "map?1024,768", "{x,hello,y}": "1024,Hello%20World%21,768", "?{x,empty}": "?1024,",
		"?{x,undef}": "?1024", "?{undef,y}": "?768", "{base}": "http%3A%2F%2Fexample.com%2Fhome%2F",
		"{+var}": "value", "{+hello}": "Hello%20World!", "{+half}": "50%25", "{base}index": "http%3A%2F%2Fexample.com%2Fhome%2Findex",
		"{+base}index": "http://example.com/home/index", "O{+empty}X": "OX", "O{+undef}X": "OX", "{+path}/here": "/foo/bar/here",
		"here?ref={+path}": "here?ref=/foo/bar", "up{+path}{var}/here": "up/foo/barvalue/here", "{+x,hello,y}": "1024,Hello%20World!,768",
		"{+path,x}/here": "/foo/bar,1024/here", "{#var}": "#value", "{#hello}": "#Hello%20World!", "{#half}": "#50%25", "foo{#empty}": "foo#", "foo{#undef}": "foo",
		"{#x,hello,y}": "#1024,Hello%20World!,768", "{#path,x}/here": "#/foo/bar,1024/here",
		"{.who}": ".fred", "{.half}": ".50%25", "X{.var}": "X.value", "X{.empty}": "X.", "X{.undef}": "X", "www{.dom}": "www.example.com", "X{.x,y}": "X.1024.768",
		"{/who}": "/fred", "{/half,who}": "/50%25/fred", "{/who,dub}": "/fred/me%2Ftoo", "{/var}": "/value", "{/var,empty}": "/value/", "{/var,undef}": "/value",
		"{/var,x}/here": "/value/1024/here", "{;who}": ";who=fred", "{;half}": ";half=50%25", "{;empty}": ";empty", "{;v,empty,who}": ";v=6;empty;who=fred",
		"{;v,bar,who}": ";v=6;who=fred", "{;x,y}": ";x=1024;y=768", "{;x,y,empty}": ";x=1024;y=768;empty", "{;x,y,undef}": ";x=1024;y=768",
		"{?who}": "?who=fred", "{?half}": "?half=50%25", "{?x,y}": "?x=1024&y=768", "{?x,y,empty}": "?x=1024&y=768&empty=", "{?x,y,undef}": "?x=1024&y=768",
		"{&who}": "&who=fred", "{&half}": "&half=50%25", "?fixed=yes{&x}": "?fixed=yes&x=1024", "{&x,y,empty}": "&x=1024&y=768&empty=", "{&x,y,undef}": "&x=1024&y=768",
	} {
		got, err := parse(t, "s:"+template).Expand(all)
		if err != nil || got != "s:"+want {
			t.Errorf("%s: got %s, %v; want %s", template, got, err, want)
		}
	}
}

func TestTextOfAnyLanguageIsEncodedAsUTF8(t *testing.T) {
	t.Parallel()
	got, err := parse(t, "s:/ü/{a}/{+b}").Expand(values{"a": "é€日", "b": "ä/\u2e2e"})
	if want := "s:/%C3%BC/%C3%A9%E2%82%AC%E6%97%A5/%C3%A4/%E2%B8%AE"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for _, value := range []string{"\xff", "a\x00b"} {
		got, err := parse(t, "s:{a}").Expand(values{"a": value})
		if want := `the URI template "s:{a}": the value of a must be valid UTF-8 without NUL`; err == nil || err.Error() != want {
			t.Errorf("%q became %s, %v; want %s", value, got, err, want)
		}
	}
}

func TestAPercentSignInAValueIsText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"s:{a}", "s:{+a}"} {
		template := parse(t, text)
		uri, err := template.Expand(values{"a": "100%25"})
		if got, ok := template.Match(uri); err != nil || uri != "s:100%2525" || !ok || got["a"] != "100%25" {
			t.Errorf("%s became %s, %v, and %q again", text, uri, err, got["a"])
		}
	}
}

func TestTemplatesFindTheirVariables(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		template, uri string
		want          values // nil if it doesn't match
	}{
		{"user://{userId}/profile/{section}", "user://123/profile/settings", values{"userId": "123", "section": "settings"}},
		{"test://template/{id}/data", "test://template/123/data", values{"id": "123"}},
		{"https://api.example.com/users/{id}", "https://api.example.com/users/42", values{"id": "42"}},
		{"s:{v}", "s:a%20b%3Fc", values{"v": "a b?c"}},
		{"s:{+v}", "s:a%20b%2Fc", values{"v": "a b/c"}},
		{"s:{v}", "s:a+b", values{"v": "a+b"}},
		{"s:{v}", "s:ab@example.com", values{"v": "ab@example.com"}},
		{"s:{v}", "s:Zürich", values{"v": "Zürich"}},
		{"s:/ü/{v}", "s:/ü/x", values{"v": "x"}},
		{"s:/ü/{v}", "s:/%C3%BC/x", values{"v": "x"}},
		{"s:/ü/{v}", "S:/%c3%bc/%78", values{"v": "x"}},
		{"S:/%61/{v}", "s:/a/x", values{"v": "x"}},
		{"s:/a{;x}", "s:/a;%78=1", values{"x": "1"}},
		{"s:/a{?q}", "s:/a?%71=1", values{"q": "1"}},
		{"users://{id}", "users://Ada", values{"id": "Ada"}}, // the case of an identifier counts
		{"s:{a}-{b}", "s:1-2", values{"a": "1", "b": "2"}},
		{"s:{a,b}", "s:1,2", values{"a": "1", "b": "2"}},
		{"file:///{+path}", "file:///a/b%20c.txt", values{"path": "a/b c.txt"}},
		{"file:///{+path}.txt", "file:///a/b.txt", values{"path": "a/b"}},
		{"get:{+url}", "get:https://example.com/a?b=c#d", values{"url": "https://example.com/a?b=c#d"}},
		{"s:/a{/x,y}", "s:/a/1/2", values{"x": "1", "y": "2"}},
		{"s:/a{.ext}", "s:/a.tar.gz", values{"ext": "tar.gz"}},
		{"s:/a{.x,y}", "s:/a.tar.gz", values{"x": "tar", "y": "gz"}},
		{"s:/a{;x,y}", "s:/a;x=1;y", values{"x": "1", "y": ""}},
		{"s:/a{#f}", "s:/a#b/c", values{"f": "b/c"}},
		{"s:/{a}/{+b}", "s:/1/2/3", values{"a": "1", "b": "2/3"}},
		{"s:/{a}{?q,r}", "s:/1", values{"a": "1"}},
		{"s:/{a}{?q,r}", "s:/1?q=x", values{"a": "1", "q": "x"}},
		{"s:/{a}{?q,r}", "s:/1?r=2%263&q=x%20y/z", values{"a": "1", "q": "x y/z", "r": "2&3"}},
		{"s:/{a}{?q,r}", "s:/1?q=&r", values{"a": "1", "q": "", "r": ""}},
		{"s:/{+a}{?q}", "s:/1/2?q=x", values{"a": "1/2", "q": "x"}},
		{"s:/?a={a}{&b}", "s:/?a=1&b=2", values{"a": "1", "b": "2"}},
		{"s:/?a={a}{&b}", "s:/?a=1", values{"a": "1"}},
		{"s:/{a}{&b}", "s:/1&b=2", values{"a": "1", "b": "2"}},

		{"s:/{a}/b", "s:/1/b/", nil},    // anchored at the end
		{"s:/{a}/b", "xs:/1/b", nil},    // and at the beginning
		{"s:/{a}.b", "s:/1xb", nil},     // literals are literal
		{"s:/{a}", "s:/1/2", nil},       // one segment
		{"s:/{a}", "s:/", nil},          // all variables are required
		{"s:/{a}", "s:/1?q=2", nil},     // the template has no query
		{"s:/{a}", "s:/1#f", nil},       // nor a fragment
		{"s:/{a}", "s:/%", nil},         // not percent-encoded
		{"s:/{a}", "s:/%ff", nil},       // not UTF-8
		{"s:/{a}", "s:/\xff", nil},      // not UTF-8 either
		{"s:/{a}", "s:/a b", nil},       // not a URI
		{"s:/{a}", "s:/a\n", nil},       // not a URI
		{"s:/{a}", "s:/{a}", nil},       // the template itself
		{"s:/{a}{?q}", "s:/1?", nil},    // an empty query
		{"s:/{a}{?q}", "s:/1?x=1", nil}, // an unknown query variable
		{"s:/{a}{?q}", "s:/1?q=1&q=2", nil},
		{"s:/{a}{?q}", "s:/1?q=1#f", nil},
		{"s:/{a}{?q}", "s:/1?q=%zz", nil},
		{"s:/{a}", "s:/" + strings.Repeat("a", 8<<10), nil},
	} {
		got, ok := parse(t, test.template).Match(test.uri)
		if ok != (test.want != nil) || !maps.Equal(got, test.want) {
			t.Errorf("%s in %.60s: got %v, %v; want %v", test.template, test.uri, got, ok, test.want)
		}
	}
}

func TestValuesThatLeadOutOfAFolderDoNotMatch(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"..", "../etc/passwd", "a/../b", "a/..", "%2e%2e/a", "..%2fa", "%2E%2E%2Fa", ".%2e/a", "%252e%252e/a", "..%252fa", "%252e%252e%252fa", "%25252e%25252e/a",
		"%25%32%65%25%32%65/a", "a%5c..%5cb", "a\\b", "a%5cb", "a%255cb", "a%00b", "a%2500b", "/etc/passwd", "%2fetc/passwd", "%2Fetc", "C:/a", "c%3A/a", "%252525252525252e",
		"%c0%ae%c0%ae/a", "%252fetc/passwd", "%25252Fetc", "%2f%2fhost/share", "//host/share", "%255c%255chost", "%5c%5chost%5cshare", "C%253A/a", "c:%252fa", "%43:/a",
	} {
		for _, template := range []string{"file:///{+path}", "file:///{path}", "file:///x{/path}", "file:///{path}/raw"} {
			uri := strings.NewReplacer("{+path}", value, "{path}", value, "{/path}", "/"+value).Replace(template)
			if got, ok := parse(t, template).Match(uri); ok {
				t.Errorf("%s matches %s with %q", template, uri, got)
			}
		}
		for template, uri := range map[string]string{
			"file:///{?path}": "file:///?path=", "file:///{?rev,path}": "file:///?path=", "file:///?a=b{&path}": "file:///?a=b&path=",
			"file:///x{;path}": "file:///x;path=", "file:///x{#path}": "file:///x#", "file:///x{.path}": "file:///x.",
		} {
			if got, ok := parse(t, template).Match(uri + value); ok {
				t.Errorf("%s matches %s with %q", template, value, got)
			}
		}
	}
	for _, value := range []string{"a/b", "a%2fb", "%61%2fb", "a%252fb"} {
		for _, template := range []string{"users://{id}", "users://x{/id}", "users://x{.id}", "users://x{;id}", "users://{id}/posts"} {
			uri := strings.NewReplacer("{id}", value, "{/id}", "/"+value, "{.id}", "."+value, "{;id}", ";id="+value).Replace(template)
			if got, ok := parse(t, template).Match(uri); ok {
				t.Errorf("%s matches %s with %q", template, uri, got)
			}
		}
		for template, uri := range map[string]string{"users://{+id}": "users://", "users://x{#id}": "users://x#", "users://x{?id}": "users://x?id="} {
			if _, ok := parse(t, template).Match(uri + value); !ok {
				t.Errorf("%s does not match %s", template, uri+value)
			}
		}
	}
	for _, value := range []string{".", "%2e", "%252e"} {
		for template, uri := range map[string]string{"users://{id}": "users://", "users://x{/id}": "users://x/", "users://x{;id}": "users://x;id="} {
			if got, ok := parse(t, template).Match(uri + value); ok {
				t.Errorf("%s matches %s with %q", template, uri+value, got)
			}
		}
	}
	for _, value := range []string{"...", "..a", "a..", "a/.b/..c", "a..b", "50%25", "%2525", "a:b", "A:12", "."} {
		if _, ok := parse(t, "file:///{+path}").Match("file:///" + value); !ok {
			t.Errorf("%s does not match, but is safe", value)
		}
	}
}

func TestTemplatesOfOneShapeMatchTheSameURIs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"s:{a}", "s:{b}", true},
		{"s:{a}/{+b}", "s:{x}/{+y}", true},
		{"s:{a}{?q,r}", "s:{b}{?r,q}", true},
		{"s:{/a,b}", "s:{/b,a}", true},
		{"s:{a}", "s:{+a}", false},
		{"s:{a}", "t:{a}", false},
		{"s:{a}{?q}", "s:{a}{?r}", false},
		{"s:{;a}", "s:{;b}", false},
		{"s:/%61/{b}", "S:/a/{x}", true},
		{"s:{a}/{b}", "s:{a,b}", false},
	} {
		if a, b := parse(t, test.a).Shape(), parse(t, test.b).Shape(); (a == b) != test.same {
			t.Errorf("%s has the shape %s, and %s has %s", test.a, a, test.b, b)
		}
	}
}

func TestTemplatesThatCannotBeMatchedAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":               "it has no variable",
		"s:/a":           "it has no variable",
		"{a}":            "it must begin with a scheme",
		"tasks/{id}":     "it must begin with a scheme",
		"1s:{id}":        "it must begin with a scheme",
		"s:{a":           "incomplete expression: s:{a_: ",
		"s:a}{b}":        "unacceptable character (hint: use %XX encoding): s:a_: ",
		"s:{}":           "{}: a variable has no name; give it one, as in {id}",
		"s:{a b}":        "{a b}: a variable's name has only letters, digits, underscores and single dots; write {ab}",
		"s:{a,}":         "{a,}: a variable has no name; give it one, as in {id}",
		"s:{a..b}":       "{a..b}: a variable's name has only letters, digits, underscores and single dots; write {ab}",
		"s:{{a}}":        "{{a}: a variable's name has only letters, digits, underscores and single dots; write {a}",
		"s:{isbn...}":    "{isbn...}: a variable's name has only letters, digits, underscores and single dots; write {isbn}",
		"s:{?q,r-s}":     "write {?rs}",
		"s:{=a}":         "unimplemented operator (op-reserved): s:{=|: ",
		"s:{|a}":         "close each {, use no operators but + # . / ; ? & and in names only letters, digits, underscores and single dots",
		"s:{++a}":        "use no operators but + # . / ; ? &",
		"s:{a*}":         "{a*}: modifiers can't be matched; write the variable as a",
		"s:{a:3}":        "{a:3}: modifiers can't be matched; write the variable as a",
		"s:{a}/{a}":      "the variable a occurs twice",
		"s:{?a}{c}":      "{c}: it follows {?…}",
		"s:{?a}{&b}":     "it follows {?…}",
		"s:/a b/{c}":     "s:/a_: percent-encode what may not be in a URI (a space is %20)",
		"s:/a%zz/{c}":    "incomplete pct-encodeed: s:/a_: ",
		"s:/\\{c}":       "unacceptable character (hint: use %XX encoding): s:/_: ",
		"s:/\xff{c}":     "invalid UTF-8 sequence: s:/_: ",
		"s:{?a}/literal": "follows {?…}", // a literal after the query
		"s:/?x{?a}":      "the query has begun",
		"s:{?%70ath}":    "the variable %70ath is compared with URIs in another spelling; write path",
	} {
		if _, err := resources.ParseTemplate(text); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), fmt.Sprintf("the URI template %q: ", text)) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestATemplateNamesItsVariables(t *testing.T) {
	t.Parallel()
	template := parse(t, "s:/{b}/{+a.c}{?x%20y,z_1}")
	if got, want := template.Variables(), []string{"b", "a.c", "x%20y", "z_1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if template.String() != "s:/{b}/{+a.c}{?x%20y,z_1}" {
		t.Errorf("got %s", template)
	}
}

func TestLiteralsCountsCharactersOutsideVariables(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"s:{a}": 2, "s:/x/{b}": 5, "s:/x/y/{d}": 7} {
		if got := parse(t, text).Literals(); got != want {
			t.Errorf("%s has %d literal characters, want %d", text, got, want)
		}
	}
}

// isSimple reports whether a value round-trips through every template with slashes
// between its expressions.
func isSimple(value string) bool {
	return value != "" && len(value) < 100 && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"s:{a}", "s:/{a,b}/{+c}{?d,e}", "s:{;a,b}{#c}", "s:/?x={a}{&b}", "s:/a%20{.b}{/c,d}", "s:{a*}", "s:{a}{b}", "s:{+a}{+b}", "é:{a}", "s:{?a.b}"} {
		f.Add(text, "abc")
		f.Add(text, "../é %2e\\")
		f.Add(text, "日\u2e2e\u2f2e")
		f.Add(text, "%252fetc/passwd")
	}
	shapes := []*resources.Template{
		parse(f, "s:/{a}/{b}"), parse(f, "s:/a{/a,b}"), parse(f, "s:{a,b}"), parse(f, "s:{;a,b}"), parse(f, "s:{?a,b}"), parse(f, "s:/?c=d{&a,b}"), parse(f, "s:/{a}{?b}"),
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		for _, template := range shapes {
			want := values{"a": value, "b": "x"}
			uri, err := template.Expand(want)
			if (err == nil) != (utf8.ValidString(value) && !strings.Contains(value, "\x00")) {
				t.Fatalf("%s with %q: %v", template, value, err)
			}
			got, ok := template.Match(uri)
			if !ok && isSimple(value) || ok && !maps.Equal(got, want) {
				t.Fatalf("%s made %s of %q, and found %v", template, uri, value, got)
			}
			if ok && (strings.HasPrefix(value, "/") || strings.HasPrefix(strings.ToUpper(value), "%2F")) {
				t.Fatalf("%s found the absolute path %q", template, value)
			}
		}
		template, err := resources.ParseTemplate(text)
		if err != nil {
			return
		}
		_, _ = template.Match(value)
		all := values{}
		for _, name := range template.Variables() {
			all[name] = value
		}
		uri, err := template.Expand(all)
		if err != nil {
			return
		}
		got, ok := template.Match(uri)
		if isSimple(value) && len(uri) < 8<<10 && !ok {
			t.Fatalf("%s made %s, which it doesn't match", template, uri)
		}
		if again, _ := template.Expand(got); isSimple(value) && ok && again != uri {
			t.Fatalf("%s made %s, found %v, and made %s", template, uri, got, again)
		}
	})
}
