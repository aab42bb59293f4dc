package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// library is a server with given resources.
type library struct {
	toolbox
	resources []servers.Resource
}

func (s *library) Resources() []servers.Resource { return s.resources }

func libraryOf(list ...servers.Resource) *library { return &library{resources: list} }

// reading returns a resource or a template that calls a function.
func reading(uri string, read func(*resources.Request) (resources.Result, error)) servers.Resource {
	return resources.New(resources.Definition{URI: uri, Name: "thing"}, func(_ context.Context, request *resources.Request) (resources.Result, error) {
		return read(request)
	})
}

// holding returns a resource or a template that contains a text.
func holding(uri, text string) servers.Resource {
	return reading(uri, func(*resources.Request) (resources.Result, error) { return resources.Text(text), nil })
}

// read reads a resource.
func (p *probe) read(uri string) reply {
	p.t.Helper()
	named := *p
	named.header = p.header.Clone()
	named.header.Set("Mcp-Name", uri)
	return named.ask("resources/read", params{"uri": uri})
}

func TestFailuresOfAResourceReachTheClient(t *testing.T) {
	t.Parallel()
	failing := func(uri string, err error) servers.Resource {
		return reading(uri, func(*resources.Request) (resources.Result, error) { return nil, err })
	}
	var log logbook
	modern := probeServer(t, mcp.Config{Logger: log.logger()}, libraryOf(
		holding("docs://handbook", "Read me."),
		failing("docs://pages/{id}", exchange.ErrResourceNotFound),
		failing("docs://locked", resources.Errorf("Ada has locked it.")),
		failing("docs://broken", errors.New("password is hunter2")),
		reading("docs://panic", func(*resources.Request) (resources.Result, error) { panic("hunter2") }),
	))
	legacy, _ := modern.as("2025-11-25")
	for _, test := range []struct {
		uri            string
		modern, legacy int
		message, data  string
	}{
		{"docs://none", -32602, -32002, "Resource not found: docs://none", `,"data":{"uri":"docs://none"}`},
		{"docs://pages/7", -32602, -32002, "Resource not found: docs://pages/7", `,"data":{"uri":"docs://pages/7"}`},
		{"docs://pages/..%2f7", -32602, -32002, "Resource not found: docs://pages/..%2f7", `,"data":{"uri":"docs://pages/..%2f7"}`},
		{"docs://locked", -32603, -32603, "Ada has locked it.", ""},
		{"docs://broken", -32603, -32603, "Internal error", ""},
		{"docs://panic", -32603, -32603, "Internal error", ""},
	} {
		for p, code := range map[*probe]int{modern: test.modern, legacy: test.legacy} {
			r := p.read(test.uri)
			if r.status != 200 || r.err == nil || r.err.Code != code || r.err.Message != test.message || !strings.Contains(r.body, test.message+`"`+test.data+"}") {
				t.Errorf("%s, %s: got %d %s, want the code %d and %q%s", test.uri, p.version, r.status, r.body, code, test.message, test.data)
			}
			if strings.Contains(r.body, "hunter2") {
				t.Errorf("%s, %s: the reply reveals too much: %s", test.uri, p.version, r.body)
			}
		}
	}
	for _, p := range []*probe{modern, legacy} {
		if r := p.read("docs://handbook"); r.err != nil || !strings.Contains(r.result, `"contents":[{"uri":"docs://handbook","mimeType":"text/plain","text":"Read me."}]`) {
			t.Errorf("%s: afterwards got %s", p.version, r.body)
		}
	}
	if text := log.String(); strings.Count(text, "password is hunter2") == 0 || strings.Count(text, "resource_faults_test.go") == 0 {
		t.Errorf("the log is\n%s", text)
	}
}

func TestAnExactURIWinsOverTemplatesAndTheMostLiteralTemplateOverOthers(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, libraryOf(
		holding("docs://{+all}", "anything"), holding("docs://{folder}/{page}", "a page"), holding("docs://pages/{page}", "a page of pages"), holding("docs://pages/one", "one"),
	))
	for uri, want := range map[string]string{"docs://pages/one": "one", "docs://pages/two": "a page of pages", "docs://notes/one": "a page", "docs://a/b/c": "anything"} {
		if r := p.read(uri); !strings.Contains(r.result, `"text":"`+want+`"`) {
			t.Errorf("%s: got %s, want %q", uri, r.body, want)
		}
	}
}

func TestTwoResourcesWithOneURIAreRefused(t *testing.T) {
	t.Parallel()
	const want = "the server has a resource of that URI already (resources.New); drop one of them, or give one of them another URI"
	for _, uri := range []string{"docs://handbook", "docs://{page}"} {
		wants(t, "Validate", mcp.Validate(libraryOf(holding(uri, "a"), holding(uri, "b"))), uri, want)
		serving := libraryOf(holding(uri, "a"))
		probeServer(t, mcp.Config{}, serving)
		wants(t, "AddResource", serving.AddResource(holding(uri, "b")), uri, want)
	}
}

// The second would never be read: the first matches all URIs of both.
func TestTwoTemplatesForTheSameURIsAreRefused(t *testing.T) {
	t.Parallel()
	const want = "the resource docs://{name} (resources.New): its URIs are the same as those of docs://{page} (resources.New), which would serve all of them; drop one of the two, or change its URI"
	wants(t, "Validate", mcp.Validate(libraryOf(holding("docs://{page}", "a"), holding("docs://{name}", "b"))), want)
	serving := libraryOf(holding("docs://{page}", "a"))
	probeServer(t, mcp.Config{}, serving)
	wants(t, "AddResource", serving.AddResource(holding("docs://{name}", "b")), want)
	if !serving.RemoveResource("docs://{page}") {
		t.Fatal("the first was not there")
	}
	if err := serving.AddResource(holding("docs://{name}", "b")); err != nil {
		t.Errorf("without the first, got %v", err)
	}
	if err := serving.AddResource(holding("docs://{+path}", "c")); err != nil {
		t.Errorf("one that matches more returns %v", err)
	}
}

// Clients show the name, so people can't distinguish two with the same name. Both work.
func TestTwoResourcesWithOneNameAreAWarning(t *testing.T) {
	t.Parallel()
	var log logbook
	const warning = "two resources have the same name"
	server := libraryOf(holding("docs://a", "A."), holding("docs://b", "B."))
	p := probeServer(t, mcp.Config{Logger: log.logger()}, server)
	if text := log.String(); strings.Count(text, warning) != 1 || !strings.Contains(text, "name=thing uri=docs://b other=docs://a") {
		t.Errorf("the log is\n%s", text)
	}
	for uri, want := range map[string]string{"docs://a": "A.", "docs://b": "B."} {
		if r := p.read(uri); !strings.Contains(r.result, want) {
			t.Errorf("%s: got %s", uri, r.body)
		}
	}
	server.RemoveResource("docs://a")
	server.RemoveResource("docs://b")
	if err := server.AddResource(holding("docs://c", "C.")); err != nil || strings.Count(log.String(), warning) != 1 {
		t.Errorf("a name that is free again returns %v, and the log\n%s", err, &log)
	}
}

func TestResourcesAndTemplatesAreListedSeparatelyInOrder(t *testing.T) {
	t.Parallel()
	modern := probeServer(t, mcp.Config{}, libraryOf(holding("docs://z", ""), holding("docs://z/{id}", ""), holding("docs://a", "")))
	legacy, _ := modern.as("2025-06-18")
	const (
		info = `,"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"library","title":"Library","version":"0.0.0"}}}`
		one  = `"resources":[{"uri":"docs://z","name":"thing"},{"uri":"docs://a","name":"thing"}]`
		many = `"resourceTemplates":[{"uriTemplate":"docs://z/{id}","name":"thing"}]`
	)
	for method, want := range map[string]string{"resources/list": one, "resources/templates/list": many} {
		if r := modern.ask(method, nil); r.result != `{"resultType":"complete",`+want+info {
			t.Errorf("modern %s: got %s", method, r.body)
		}
		if r := legacy.ask(method, nil); r.result != "{"+want+"}" {
			t.Errorf("legacy %s: got %s", method, r.body)
		}
	}
}

// An unseenResource is visible to nobody.
type unseenResource struct{ servers.Resource }

func (unseenResource) VisibleTo(context.Context) bool { return false }

func hide(resource servers.Resource) servers.Resource { return unseenResource{resource} }

// If a template finds the variables that it would find in the URI of a hidden resource, the
// client gets the answer for the hidden resource.
func TestNoSpellingOfAHiddenResourceIsReadThroughATemplate(t *testing.T) {
	t.Parallel()
	variables := func(r *resources.Request) (resources.Result, error) { return resources.Text("read " + r.URI()), nil }
	p := probeServer(t, mcp.Config{}, libraryOf(
		hide(holding("file:///a/secret.txt", "")), hide(holding("file:///docs/", "")), hide(holding("file:///at@home", "")), hide(holding("file:///b%2Fencoded", "")),
		hide(holding("file:///private/{name}", "")), reading("file:///{+path}", variables),
		hide(holding("users://ada@example.com", "")), reading("users://{id}", variables),
		hide(holding("search:all?path=a/secret&page=2", "")), reading("search:all{?path,page}", variables),
		hide(holding("search:one?q=a&b=c", "")), reading("search:one{?q,b}", variables),
	))
	legacy, _ := p.as("2025-11-25")
	for _, uri := range []string{
		"file:///a/secret.txt", "file:///a%2Fsecret.txt", "file:///a%2fsecret.txt", "file:///a%252Fsecret.txt", "file:///a//secret.txt", "file:///./a/secret.txt",
		"file:///a/./secret.txt", "file:///a/secret.txt/", "file:///a/secret.txt/.", "file:///a%2F%2e%2F/secret.txt%2f", "file:///docs", "file:///docs//",
		"file:///at%40home", "file:///b/encoded", "file:///private%2Fx", "file:///private//x", "file:///./private/x", "file:///private/x/",
		"users://ada%40example.com", "search:all?path=a%2Fsecret&page=2", "search:all?page=2&path=./a/secret", "search:all?path=a//secret/&page=2",
	} {
		for _, p := range []*probe{p, legacy} {
			if r := p.read(uri); r.err == nil || r.err.Message != "Resource not found: "+uri {
				t.Errorf("%s: %s reads %s", p.version, uri, r.body)
			}
		}
	}
	for _, uri := range []string{
		"file:///a/secret.txt.bak", "file:///a", "file:///b//c/", "file:///privately/x", "users://ada", "search:all?path=a/secret", "search:one?q=a%26b%3Dc", "file:///.",
	} {
		if r := p.read(uri); !strings.Contains(r.body, "read "+uri) {
			t.Errorf("%s isn't read through its template: %s", uri, r.body)
		}
	}
}
