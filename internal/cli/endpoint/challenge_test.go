package endpoint_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
)

func TestChallengesAreParsedAsRFC9110Says(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		headers []string
		want    string // the challenges
		mistake string // the beginning of the only mistake, after the name of the header
	}{
		{[]string{`Bearer`}, `bearer[]`, ""},
		{[]string{`bearer Scope="a b", resource_metadata="https://h/x,y"`}, `bearer[resource_metadata:https://h/x,y scope:a b]`, ""},
		{[]string{`Bearer realm=x , scope = "a"`}, `bearer[realm:x scope:a]`, ""},
		{[]string{`Basic realm="a", Bearer scope="b", error="c"`}, `basic[realm:a] bearer[error:c scope:b]`, ""},
		{[]string{`Basic realm="a"`, `Bearer scope="b"`}, `basic[realm:a] bearer[scope:b]`, ""},
		{[]string{`Negotiate YWJj+/==, Bearer scope="b"`}, `negotiate[] bearer[scope:b]`, ""},
		{[]string{`Negotiate, Bearer`}, `negotiate[] bearer[]`, ""},
		{[]string{`Bearer ,, scope="b",`}, `bearer[scope:b]`, ""},
		{[]string{`Bearer error_description="say \"a\", \\"`}, `bearer[error_description:say "a", \]`, ""},
		{[]string{`Bearer scope=""`}, `bearer[scope:]`, ""},
		{[]string{``, `,`}, ``, ""},

		{[]string{`Bearer resource_metadata=https://h/x, scope="b"`}, `bearer[resource_metadata:https://h/x scope:b]`, "has the value of resource_metadata without double quotes"},
		{[]string{`Bearer resource_metadata='https://h/x', scope="b"`}, `bearer[resource_metadata:https://h/x scope:b]`, "has the value of resource_metadata without double quotes"},
		{[]string{`Bearer scope=a b, error="c"`}, `bearer[error:c scope:a b]`, "has the value of scope without double quotes"},
		{[]string{`Bearer scope="a" error="c"`}, `bearer[error:c scope:a]`, "has no comma after the value of scope"},
		{[]string{`Bearer scope="a, error=c`}, `bearer[scope:a, error=c]`, "has no closing quote after the value of scope"},
		{[]string{`Bearer scope="a\`}, `bearer[scope:a]`, "has no closing quote"},
		{[]string{`Bearer scope="a", scope="b"`}, `bearer[scope:a]`, "has scope twice"},
		{[]string{`resource_metadata="https://h/x"`}, ``, "begins with the parameter resource_metadata"},
		{[]string{`Bearer "a", scope="b"`}, `bearer[scope:b]`, `has "\"a\", scope=\"b\"" where a name must be`},
	} {
		found, mistakes := endpoint.ParseChallenges(http.Header{"Www-Authenticate": test.headers})
		var got []string
		for _, c := range found {
			got = append(got, strings.Replace(fmt.Sprintf("%s%v", c.Scheme, c.Params), "map", "", 1))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q has the challenges %v, want %s", test.headers, got, test.want)
		}
		want := 0
		if test.mistake != "" {
			want = 1
		}
		if len(mistakes) != want || want == 1 && !strings.HasPrefix(mistakes[0].What, "The header WWW-Authenticate "+test.mistake) {
			t.Errorf("%q has the mistakes %v, want %q", test.headers, mistakes, test.mistake)
		}
	}
}

func FuzzParseChallenges(f *testing.F) {
	f.Add(`Basic realm="a", Bearer scope="b", error=c`)
	f.Add(`Negotiate YWJj==, Bearer resource_metadata='x'`)
	f.Fuzz(func(t *testing.T, value string) {
		found, _ := endpoint.ParseChallenges(http.Header{"Www-Authenticate": {value}})
		for _, c := range found {
			if c.Scheme == "" || c.Scheme != strings.ToLower(c.Scheme) {
				t.Errorf("%q has the scheme %q", value, c.Scheme)
			}
		}
	})
}
