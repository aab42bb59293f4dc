package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
)

// HandbookResource has only the required methods.
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

// whole overrides all methods of a resource's definition.
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

// unread is the handler of a resource that no test reads.
func unread(context.Context, *resources.Request) (resources.Result, error) {
	return nil, errors.New("nobody should read this")
}

// offering returns a client of a server with the resources.
func offering(list ...resources.Interface) *servertest.Client {
	return servertest.Of(&servertest.Server{ResourceList: list})
}

func TestADefinitionIsMadeOfTheResourcesMethods(t *testing.T) {
	t.Parallel()
	const rest = `"icons":[{"src":"https://example.com/i.png"}],"annotations":{"audience":["user"],"priority":0,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{"k":"v"}}`
	for name, test := range map[string]struct {
		resource resources.Interface
		want     string
	}{
		"defaults": {&HandbookResource{}, `{"uri":"docs://handbook","name":"handbook","title":"Handbook"}`},
		"all": {&whole{uri: "docs://handbook", size: 7},
			`{"uri":"docs://handbook","name":"the handbook","title":"Handbook","description":"How we work.","mimeType":"text/markdown","size":7,` + rest},
		"a template": {&UserPostsResource{}, `{"uriTemplate":"users://{userId}/posts{?page}","name":"user-posts","title":"User Posts"}`},
		"all of a template": {&whole{uri: "docs://{page}"},
			`{"uriTemplate":"docs://{page}","name":"the handbook","title":"Handbook","description":"How we work.","mimeType":"text/markdown",` + rest},
		"at run time": {resources.New(resources.Definition{URI: "file:///project/src/main.rs", Name: "main.rs", MIMEType: "text/x-rust", Size: 3}, unread),
			`{"uri":"file:///project/src/main.rs","name":"main.rs","mimeType":"text/x-rust","size":3}`},
		"a template at run time": {resources.New(resources.Definition{URI: "https://api.example.com/users/{id}", Name: "user"}, unread),
			`{"uriTemplate":"https://api.example.com/users/{id}","name":"user"}`},
	} {
		t.Run(name, func(t *testing.T) {
			client := offering(test.resource)
			if got := client.List("resources") + client.List("resources/templates"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestAResourceMayHaveItsOwnTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := resources.New(resources.Definition{URI: "a:b", Name: "n", Timeout: time.Second}, func(ctx context.Context, _ *resources.Request) (resources.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if got := offering(slow).Read("a:b"); got != "error -32603: The request timed out after 1s (request ID)" {
			t.Errorf("got %s", got)
		}
		time.Sleep(time.Second) // for the watchdog
	})
}

func TestAResourceIsReadByItsURI(t *testing.T) {
	t.Parallel()
	client := offering(&HandbookResource{}, &UserPostsResource{})
	const read = `{"contents":[{"uri":%q,"mimeType":"text/plain","text":"Read me."}]}`
	for uri, found := range map[string]bool{
		"docs://handbook": true, "docs://handbook/": false, "users://ada/posts?page=2": true, "users://{userId}/posts{?page}": false, "users://ada": false,
	} {
		want := fmt.Sprintf("error -32602: Resource not found: %s", uri)
		if found {
			want = fmt.Sprintf(read, uri)
		}
		if got := client.Read(uri); got != want {
			t.Errorf("%s: got %s, want %s", uri, got, want)
		}
	}
}

func TestHandlersAndListsHaveOneSpellingOfAURI(t *testing.T) {
	t.Parallel()
	echo := func(_ context.Context, request *resources.Request) (resources.Result, error) {
		return resources.Text(request.URI() + " " + request.Variable("name")), nil
	}
	server := &servertest.Server{ResourceList: []resources.Interface{
		resources.New(resources.Definition{URI: "Docs://handbook/%7Eme/é", Name: "a"}, echo), resources.New(resources.Definition{URI: "notes://{name}", Name: "b"}, echo),
	}}
	client := servertest.Of(server)
	if got, want := client.List("resources"), `{"uri":"docs://handbook/~me/%C3%A9","name":"a"}`; got != want {
		t.Errorf("listed as %s, want %s", got, want)
	}
	for uri, want := range map[string]string{
		"docs://handbook/%7eme/%c3%a9": "docs://handbook/~me/%C3%A9 ", "docs://handbook/~me/é": "docs://handbook/~me/%C3%A9 ", "notes://%61": "notes://a a", "NOTES://é": "notes://%C3%A9 é",
	} {
		uriOf, _, _ := strings.Cut(want, " ")
		if got, want := client.Read(uri), fmt.Sprintf(`{"contents":[{"uri":%q,"mimeType":"text/plain","text":%q}]}`, uriOf, want); got != want {
			t.Errorf("%s: got %s, want %s", uri, got, want)
		}
	}
	if !server.RemoveResource("docs://h%61ndbook/~me/%c3%a9") {
		t.Error("another spelling doesn't remove it")
	}
}

func TestMistakesOfResourcesAreFoundAtRegistration(t *testing.T) {
	t.Parallel()
	at := func(uri string) resources.Interface {
		return resources.New(resources.Definition{URI: uri, Name: "n"}, unread)
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
		"no name":            {resources.New(resources.Definition{URI: "a:b"}, unread), []string{"it has no name"}},
		"bad size":           {resources.New(resources.Definition{URI: "a:b", Name: "n", Size: -1}, unread), []string{"its Size is -1"}},
		"size of a template": {&whole{uri: "a:{b}", size: 1}, []string{"template, whose resources have no common size"}},
		"bad timeout":        {resources.New(resources.Definition{URI: "a:b", Name: "n", Timeout: -1}, unread), []string{"its Timeout is -1ns"}},
		"bad meta":           {resources.New(resources.Definition{URI: "a:b", Name: "n", Meta: map[string]any{"f": func() {}}}, unread), []string{"func()"}},
		"bad priority":       {&saying{uri: "a:b", annotations: &content.Annotations{Priority: new(1.5)}}, []string{"is 1.5; it must be from 0 to 1"}},
		"bad audience":       {&saying{uri: "a:b", annotations: &content.Annotations{Audience: []content.Role{"system"}}}, []string{`has "system"`}},
		"no such variable": {with("a:{b}", func(v *resources.Variables) { v.Variable("c").Enum("1") }),
			[]string{`the variable "c": the URI a:{b} has no such variable; it has "b"`}},
		"variables of one": {with("a:b", func(v *resources.Variables) { v.Variable("b").Enum("1") }), []string{"its URI has no variables"}},
		"two sources": {with("a:{b}", func(v *resources.Variables) { v.Variable("b").Enum("1").Complete(completion.Values()) }),
			[]string{"it needs one source of suggestions"}},
		"declared twice": {with("a:{b}", func(v *resources.Variables) { v.Variable("b").Enum("1"); v.Variable("b").Enum("2") }),
			[]string{"it needs one source of suggestions"}},
		"no source":  {with("a:{b}", func(v *resources.Variables) { v.Variable("b") }), []string{"it needs one source of suggestions"}},
		"nil source": {with("a:{b}", func(v *resources.Variables) { v.Variable("b").Complete(nil) }), []string{"its completion source is nil"}},
		"an enum that has no text": {with("a:{b}", func(v *resources.Variables) { v.Variable("b").Complete(completion.Enum(1)) }),
			[]string{"completion.Enum can't convert the type int to text"}},
		"no function": {resources.New(resources.Definition{URI: "a:b", Name: "n"}, nil), []string{"it has no function to call; give resources.New one"}},
		"nothing":     {nil, []string{"it is nil; give a pointer to a resource"}},
		"nil pointer": {(*HandbookResource)(nil), []string{"it is nil; give a pointer to a resource"}},
		"an icon":     {resources.New(resources.Definition{URI: "a:b", Name: "n", Icons: []content.Icon{{Src: "icon.png"}}}, unread), []string{`the icon "icon.png" must be an https: or data: URI`}},
		"all at once": {resources.New(resources.Definition{URI: "x", Size: -1, Timeout: -1}, unread), []string{"no name", "Size", "Timeout", "scheme"}},
	} {
		t.Run(name, func(t *testing.T) {
			assertMistake(t, &servertest.Server{ResourceList: []resources.Interface{test.resource}}, test.want...)
		})
	}
}

func TestVariablesSuggestValues(t *testing.T) {
	t.Parallel()
	client := offering(&UserPostsResource{}, &HandbookResource{})
	const posts, handbook = `{"type":"ref/resource","uri":"users://{userId}/posts{?page}"}`, `{"type":"ref/resource","uri":"docs://handbook"}`
	assertSuggests(t, client, posts, "userId", `{"completion":{"values":["ada","alan"],"total":2,"hasMore":false}}`)
	assertSuggests(t, client, posts, "page", `{"completion":{"values":["1","2"],"total":2,"hasMore":false}}`)
	assertSuggests(t, client, posts, "other", `{"completion":{"values":[],"total":0,"hasMore":false}}`)
	assertSuggests(t, client, handbook, "page", `{"completion":{"values":[]}}`)
	without := offering(&HandbookResource{})
	assertSuggests(t, without, handbook, "a", "error -32601: Method not found: completion/complete")
}
