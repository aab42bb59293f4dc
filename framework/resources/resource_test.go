package resources_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// HandbookResource says only what it must.
type HandbookResource struct{ resources.Resource }

func (*HandbookResource) URI() string { return "docs://handbook" }

func (*HandbookResource) Handle(context.Context, *resources.Request) (resources.Result, error) {
	return resources.Text("Read me."), nil
}

// UserPostsResource is a template with suggestions.
type UserPostsResource struct{ HandbookResource }

func (*UserPostsResource) URI() string { return "users://{userId}/posts{?page}" }

func (*UserPostsResource) Variables(variables *resources.Variables) {
	variables.Variable("userId").Complete(completion.Values("ada", "alan"))
	variables.Variable("page").Enum("1", "2")
}

// whole says everything that a resource can say of itself.
type whole struct {
	HandbookResource
	uri  string
	size int64
}

func (w *whole) URI() string          { return w.uri }
func (*whole) Name() string           { return "the handbook" }
func (*whole) Title() string          { return "Handbook" }
func (*whole) Description() string    { return " How we work.\n" }
func (*whole) MIMEType() string       { return "text/markdown" }
func (w *whole) Size() int64          { return w.size }
func (*whole) Icons() []content.Icon  { return []content.Icon{{Src: "https://example.com/i.png"}} }
func (*whole) Meta() map[string]any   { return map[string]any{"k": "v"} }
func (*whole) Timeout() time.Duration { return time.Second }
func (*whole) Annotations() *content.Annotations {
	return &content.Annotations{Audience: []content.Role{content.User}, Priority: new(0.0), LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func compile(t *testing.T, resource resources.Interface) *resources.Compiled {
	t.Helper()
	compiled, err := resources.Compile(resource)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestADefinitionIsMadeOfTheResourcesMethods(t *testing.T) {
	t.Parallel()
	const rest = `"icons":[{"src":"https://example.com/i.png"}],"annotations":{"audience":["user"],"priority":0,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{"k":"v"}}`
	for name, test := range map[string]struct {
		resource resources.Interface
		want     string
	}{
		"defaults": {&HandbookResource{}, `{"uri":"docs://handbook","name":"handbook-resource","title":"Handbook Resource"}`},
		"all": {&whole{uri: "docs://handbook", size: 7},
			`{"uri":"docs://handbook","name":"the handbook","title":"Handbook","description":"How we work.","mimeType":"text/markdown","size":7,` + rest},
		"a template": {&UserPostsResource{}, `{"uriTemplate":"users://{userId}/posts{?page}","name":"user-posts-resource","title":"User Posts Resource"}`},
		"all of a template": {&whole{uri: "docs://{page}"},
			`{"uriTemplate":"docs://{page}","name":"the handbook","title":"Handbook","description":"How we work.","mimeType":"text/markdown",` + rest},
		"at run time": {resources.New(resources.Definition{URI: "file:///project/src/main.rs", Name: "main.rs", MIMEType: "text/x-rust", Size: 3}, nil),
			`{"uri":"file:///project/src/main.rs","name":"main.rs","mimeType":"text/x-rust","size":3}`},
		"a template at run time": {resources.New(resources.Definition{URI: "https://api.example.com/users/{id}", Name: "user"}, nil),
			`{"uriTemplate":"https://api.example.com/users/{id}","name":"user"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(compile(t, test.resource).JSON); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestATimeoutIsTheRequestsOwn(t *testing.T) {
	t.Parallel()
	if got := compile(t, &whole{uri: "a:b"}).Timeout; got != time.Second {
		t.Errorf("got %v", got)
	}
}

func TestDefinitionsComeBackFromTheWire(t *testing.T) {
	t.Parallel()
	definition := resources.Definition{
		URI: "x:y", Name: "n", Title: "N", Description: "d", MIMEType: "a/b", Size: 7, Icons: []content.Icon{{Src: "data:,x"}},
		Annotations: &content.Annotations{Priority: new(1.0)}, Meta: map[string]any{"k": "v"},
	}
	const rest = `"name":"n","title":"N","description":"d","mimeType":"a/b",`
	const more = `"icons":[{"src":"data:,x"}],"annotations":{"priority":1},"_meta":{"k":"v"}}`
	roundTrip(t, definition, `{"uri":"x:y",`+rest+`"size":7,`+more)
	roundTrip(t, resources.Definition{URI: "x:y", Name: "n"}, `{"uri":"x:y","name":"n"}`)
	template := resources.TemplateDefinition{
		URITemplate: "x:{y}", Name: "n", Title: "N", Description: "d", MIMEType: "a/b", Icons: []content.Icon{{Src: "data:,x"}},
		Annotations: &content.Annotations{Priority: new(1.0)}, Meta: map[string]any{"k": "v"},
	}
	roundTrip(t, template, `{"uriTemplate":"x:{y}",`+rest+more)
	roundTrip(t, resources.TemplateDefinition{URITemplate: "x:{y}", Name: "n"}, `{"uriTemplate":"x:{y}","name":"n"}`)
	roundTrip(t, resources.ReadResult{
		Contents: []content.Resource{{URI: "x:y", MIMEType: "a/b", Text: "t", Name: "n", Title: "N", Meta: map[string]any{"k": "v"}}, {URI: "x:z", Blob: []byte{1}}},
		Meta:     map[string]any{"k": "v"},
	}, `{"contents":[{"uri":"x:y","mimeType":"a/b","text":"t","_meta":{"k":"v","name":"n","title":"N"}},{"uri":"x:z","blob":"AQ=="}],"_meta":{"k":"v"}}`)
	roundTrip(t, resources.ReadResult{Contents: []content.Resource{{URI: "x:y"}}}, `{"contents":[{"uri":"x:y","text":""}]}`)
}

func roundTrip[T any](t *testing.T, value T, wire string) {
	t.Helper()
	encoded, err := codec.Marshal(value)
	if err != nil || string(encoded) != wire {
		t.Fatalf("got\n%s, %v\nwant\n%s", encoded, err, wire)
	}
	var back T
	if err := codec.Unmarshal(encoded, &back); err != nil || !reflect.DeepEqual(back, value) {
		t.Errorf("%s came back as\n%+v, %v\nwant\n%+v", encoded, back, err, value)
	}
}

func TestAResourceMadeAtRunTimeCallsItsFunction(t *testing.T) {
	t.Parallel()
	failed := errors.New("called")
	resource := resources.New(resources.Definition{URI: "a:{b}", Name: "n"}, func(_ context.Context, request *resources.Request) (resources.Result, error) {
		return resources.Text(request.URI() + " " + request.Variable("b")), failed
	})
	request := resources.NewRequest(nil, compile(t, resource), "a:x", map[string]string{"b": "x"})
	result, err := resource.Handle(t.Context(), &request)
	if !errors.Is(err, failed) || result.(*resources.ReadResult).Contents[0].Text != "a:x x" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestAResourceKnowsItsURI(t *testing.T) {
	t.Parallel()
	handbook, posts := compile(t, &HandbookResource{}), compile(t, &UserPostsResource{})
	if _, ok := handbook.Match("docs://handbook"); !ok {
		t.Error("a resource does not match its own URI")
	}
	if _, ok := handbook.Match("docs://handbook/"); ok {
		t.Error("a resource matches another URI")
	}
	got, ok := posts.Match("users://ada/posts?page=2")
	if !ok || got["userId"] != "ada" || got["page"] != "2" {
		t.Errorf("got %v, %v", got, ok)
	}
	if _, ok := posts.Match("users://{userId}/posts{?page}"); ok {
		t.Error("a template matches itself")
	}
}

// saying overrides single methods.
type saying struct {
	HandbookResource
	uri         string
	annotations *content.Annotations
	declare     func(*resources.Variables)
}

func (s *saying) URI() string                       { return s.uri }
func (s *saying) Annotations() *content.Annotations { return s.annotations }
func (s *saying) Variables(variables *resources.Variables) {
	if s.declare != nil {
		s.declare(variables)
	}
}

func TestMistakesAreFoundAtRegistration(t *testing.T) {
	t.Parallel()
	at := func(uri string) resources.Interface {
		return resources.New(resources.Definition{URI: uri, Name: "n"}, nil)
	}
	with := func(uri string, declare func(*resources.Variables)) resources.Interface {
		return &saying{uri: uri, declare: declare}
	}
	for name, test := range map[string]struct {
		resource resources.Interface
		want     []string
	}{
		"no URI":             {at(""), []string{"it has no URI; give it one"}},
		"no scheme":          {at("handbook"), []string{`its URI "handbook" must begin with a scheme`}},
		"a path":             {at("/handbook"), []string{"must begin with a scheme"}},
		"a space":            {at("docs://hand book"), []string{"is not valid (RFC 3986)"}},
		"a bracket":          {at("docs://<page>"), []string{"is not valid (RFC 3986)"}},
		"a colon":            {at("docs://:page"), []string{"write variables in braces, as in users://{id}"}},
		"bad escape":         {at("docs:///%zz"), []string{"is not valid (RFC 3986)"}},
		"bad template":       {at("tasks/{id}"), []string{`the URI template "tasks/{id}": it must begin with a scheme`}},
		"a lone brace":       {at("docs://a}"), []string{"unacceptable character (hint: use %XX encoding): docs://a_: percent-encode what may not be in a URI"}},
		"no name":            {resources.New(resources.Definition{URI: "a:b"}, nil), []string{"it has no name"}},
		"bad size":           {resources.New(resources.Definition{URI: "a:b", Name: "n", Size: -1}, nil), []string{"its Size is -1"}},
		"size of a template": {&whole{uri: "a:{b}", size: 1}, []string{"template of many, which have no size in common"}},
		"bad timeout":        {resources.New(resources.Definition{URI: "a:b", Name: "n", Timeout: -1}, nil), []string{"its Timeout is -1ns"}},
		"bad meta":           {resources.New(resources.Definition{URI: "a:b", Name: "n", Meta: map[string]any{"f": func() {}}}, nil), []string{"func()"}},
		"bad priority":       {&saying{uri: "a:b", annotations: &content.Annotations{Priority: new(1.5)}}, []string{"is 1.5; it must be from 0 to 1"}},
		"bad audience":       {&saying{uri: "a:b", annotations: &content.Annotations{Audience: []content.Role{"system"}}}, []string{`has "system"`}},
		"no such variable": {with("a:{b}", func(v *resources.Variables) { v.Variable("c").Enum("1") }),
			[]string{`the variable "c": the URI a:{b} has none of that name; it has "b"`}},
		"variables of one": {with("a:b", func(v *resources.Variables) { v.Variable("b").Enum("1") }), []string{"its URI has no variables"}},
		"two sources": {with("a:{b}", func(v *resources.Variables) { v.Variable("b").Enum("1").Complete(completion.Values()) }),
			[]string{"it needs one source of suggestions"}},
		"declared twice": {with("a:{b}", func(v *resources.Variables) { v.Variable("b").Enum("1"); v.Variable("b").Enum("2") }),
			[]string{"it needs one source of suggestions"}},
		"no source":   {with("a:{b}", func(v *resources.Variables) { v.Variable("b") }), []string{"it needs one source of suggestions"}},
		"nil source":  {with("a:{b}", func(v *resources.Variables) { v.Variable("b").Complete(nil) }), []string{"its completion source is nil"}},
		"all at once": {resources.New(resources.Definition{URI: "x", Size: -1, Timeout: -1}, nil), []string{"no name", "Size", "Timeout", "scheme"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := resources.Compile(test.resource)
			if err == nil {
				t.Fatal("nothing was found")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got\n%v\nwant …%s…", err, want)
				}
			}
		})
	}
}

func TestVariablesSuggestValues(t *testing.T) {
	t.Parallel()
	compiled := compile(t, &UserPostsResource{})
	for variable, want := range map[string]string{
		"userId": `{"values":["ada","alan"],"total":2,"hasMore":false}`,
		"page":   `{"values":["1","2"],"total":2,"hasMore":false}`,
	} {
		request := completion.NewRequest(nil, "", nil)
		result, err := compiled.Sources[variable].Complete(t.Context(), &request)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := codec.Marshal(result); string(got) != want {
			t.Errorf("%s: got %s, want %s", variable, got, want)
		}
	}
	if got := compile(t, &HandbookResource{}).Sources; got != nil {
		t.Errorf("a resource without completion has the sources %v", got)
	}
}
