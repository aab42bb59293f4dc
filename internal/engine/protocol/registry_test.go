package protocol_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/spec"
)

func TestTheFeedCarriesChangesOfListsOnceTheServerIsOpen(t *testing.T) {
	t.Parallel()
	core := newWorld(t)
	var heard []string
	stop := core.Feed().Listen(func(change changes.Change) { heard = append(heard, change.Topic.Filter) })
	check := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(heard, want) {
			t.Errorf("%s: the feed carries %v, want %v", what, heard, want)
		}
		heard = nil
	}
	_ = core.AddTool(tool("boot"))
	check("a tool is added while the server boots")
	core.Opened()
	_ = core.AddTool(tool("late"))
	check("a tool is added", "toolsListChanged")
	_ = core.AddTool(tool("late"))
	check("a tool is refused")
	core.RemoveTool("late")
	check("a tool is removed", "toolsListChanged")
	core.RemoveTool("late")
	check("nothing is removed")
	_ = core.AddPrompt(&protocol.Prompt{Item: item("ask", `{}`)})
	check("a prompt is added", "promptsListChanged")
	core.RemovePrompt("ask")
	check("a prompt is removed", "promptsListChanged")
	_ = core.AddResource(&protocol.Resource{Item: item("a://b", `{}`)})
	check("a resource is added", "resourcesListChanged")
	_ = core.AddTemplate(&protocol.Template{Item: item("a://{b}", `{}`), Match: nothing})
	check("a template is added", "resourcesListChanged")
	core.RemoveResource("a://{b}")
	check("a template is removed", "resourcesListChanged")
	core.Declare([]byte(`{}`), nil)
	_ = core.AddListener("a", func(context.Context, *call.Call) {})
	check("what is in no list is added")
	stop()
	core.RemoveTool("boot")
	check("nobody listens any more")
}

func TestAnUpdateIsPublishedIfTheResourceExists(t *testing.T) {
	t.Parallel()
	w := newWorld(t).add(t, &protocol.Resource{Item: item("a://b", `{}`)}, templateOf("users://"))
	var heard []string
	w.Feed().Listen(func(change changes.Change) { heard = append(heard, change.Key) })
	if !w.ResourceUpdated("a://b") || len(heard) != 0 {
		t.Errorf("before the server is open, %q is published", heard)
	}
	w.Opened()
	for uri, want := range map[string]bool{"a://b": true, "users://7": true, "a://c": false} {
		heard = nil
		if got := w.ResourceUpdated(uri); got != want || len(heard) == 1 != want {
			t.Errorf("%s: got %t, and %q is published", uri, got, heard)
		}
	}
}

// templateOf returns the template of all URIs with a prefix. The rest is the variable id.
func templateOf(prefix string) *protocol.Template {
	key := prefix + "{id}"
	return &protocol.Template{
		Item: item(key, `{"uriTemplate":"`+key+`"}`), Shape: prefix + "{}", Literals: len(prefix),
		Match: func(uri string) (map[string]string, bool) {
			id, ok := strings.CutPrefix(uri, prefix)
			return map[string]string{"id": id}, ok && id != ""
		},
	}
}

func TestANameIsRegisteredOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t).add(t, tool("a"), &protocol.Prompt{Item: item("p", `{}`)}, &protocol.Resource{Item: item("a://b", `{}`)}, templateOf("users://"))
	other := templateOf("users://")
	other.Key, other.Origin = "users://{other}", "another"
	for what, test := range map[string]struct {
		err   error
		other string
	}{
		"a tool":     {w.AddTool(tool("a")), "made of a"},
		"a prompt":   {w.AddPrompt(&protocol.Prompt{Item: item("p", `{}`)}), "made of p"},
		"a resource": {w.AddResource(&protocol.Resource{Item: item("a://b", `{}`)}), "made of a://b"},
		"a template": {w.AddTemplate(other), "made of users://{id}"},
	} {
		duplicate, ok := errors.AsType[*protocol.DuplicateError](test.err)
		if !ok || duplicate.Other.Origin != test.other || !errors.Is(test.err, protocol.ErrDuplicate) || test.err.Error() != "the name is taken" {
			t.Errorf("%s: got %v", what, test.err)
		}
	}
	tools, resources, templates, prompts := w.Keys()
	if got := fmt.Sprint(tools, resources, templates, prompts); got != "[a] [a://b] [users://{id}] [p]" {
		t.Errorf("the keys are %s", got)
	}
	if !w.RemoveTool("a") || w.RemoveTool("a") || !w.RemovePrompt("p") || w.RemovePrompt("p") || !w.RemoveResource("a://b") || w.RemoveResource("a://b") || !w.RemoveResource("users://{id}") {
		t.Error("something can't be removed, or can be removed twice")
	}
	w.add(t, tool("a"), other)
}

// A client has read the capabilities, so the method stays when the last item is removed.
func TestAListStaysDeclaredWithoutItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t).add(t, tool("a"))
	w.RemoveTool("a")
	assertIs(t, "the list", w.ask("tools/list", `{}`), `{"resultType":"complete","tools":[],`+cacheHint+`,`+serverInfo+`}`)
}

func TestAListIsWrittenInTheShapeOfTheVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t).add(t, tool("a"), templateOf("users://"), &protocol.Resource{Item: item("a://b", `{"uri":"a://b","title":"B"}`)},
		&protocol.Prompt{Item: item("p", `{"name":"p","icons":[]}`)})
	for _, test := range []struct{ method, modern, old string }{
		{
			"tools/list", `{"resultType":"complete","tools":[{"name":"a","title":"T","inputSchema":{"type":"object"}}],` + cacheHint + `,` + serverInfo + `}`,
			`{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`,
		},
		{"resources/list", `{"resultType":"complete","resources":[{"uri":"a://b","title":"B"}],` + cacheHint + `,` + serverInfo + `}`, `{"resources":[{"uri":"a://b"}]}`},
		{
			"resources/templates/list", `{"resultType":"complete","resourceTemplates":[{"uriTemplate":"users://{id}"}],` + cacheHint + `,` + serverInfo + `}`,
			`{"resourceTemplates":[{"uriTemplate":"users://{id}"}]}`,
		},
		{"prompts/list", `{"resultType":"complete","prompts":[{"name":"p","icons":[]}],` + cacheHint + `,` + serverInfo + `}`, `{"prompts":[{"name":"p"}]}`},
	} {
		assertIs(t, test.method, w.ask(test.method, `{}`), test.modern)
		assertIs(t, test.method+", again", w.ask(test.method, `{}`), test.modern)
		assertIs(t, test.method+" of an older version", w.askOld(spec.Version20241105, test.method, `{}`), test.old)
	}
}

// page returns the names of a page of tools, and the cursor of the next.
func (w *world) page(t *testing.T, params string) (names string, cursor string) {
	t.Helper()
	result := []byte(w.ask("tools/list", params))
	for _, definition := range spec.ParseArray(spec.Lookup(result, "tools")) {
		names += strings.Trim(string(spec.Lookup(definition, "name")), `"`)
	}
	if names == "" {
		names = string(result)
	}
	return names, strings.Trim(string(spec.Lookup(result, "nextCursor")), `"`)
}

func TestACursorLeadsThroughAList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		w.add(t, tool(name))
	}
	first, cursor := w.page(t, `{}`)
	second, next := w.page(t, `{"cursor":"`+cursor+`"}`)
	third, end := w.page(t, `{"cursor":"`+next+`"}`)
	if got := first + " " + second + " " + third; got != "ab cd e" || end != "" {
		t.Errorf("the pages are %s, and then %q", got, end)
	}
	w.RemoveTool("b")
	w.add(t, tool("f"))
	if again, _ := w.page(t, `{"cursor":"`+cursor+`"}`); again != "cd" {
		t.Errorf("after changes, the second page is %s", again)
	}
	for size, want := range map[string]string{"1": "a", "3": "acd", "100": "acd", "0": "ac", "-1": "ac", `"x"`: "ac", "1.5": "ac"} {
		if got, _ := w.page(t, `{"per_page":`+size+`}`); got != want {
			t.Errorf("per_page %s: got %s, want %s", size, got, want)
		}
	}
}

// Two processes of a program may register items at run time in different orders.
func TestACursorContinuesAfterItsItemInAnotherProcess(t *testing.T) {
	t.Parallel()
	one, two := newWorld(t), newWorld(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		one.add(t, tool(name))
	}
	for _, name := range []string{"x", "y", "a", "b", "c", "d"} {
		two.add(t, tool(name))
	}
	_, cursor := one.page(t, `{}`)
	if got, _ := two.page(t, `{"cursor":"`+cursor+`"}`); got != "cd" {
		t.Errorf("the second page of another process is %s", got)
	}
	_, second := one.page(t, `{"per_page":1}`)
	one.RemoveTool("a")
	if got, _ := one.page(t, `{"cursor":"`+second+`"}`); got != "bc" {
		t.Errorf("when the last item was removed, the next page is %s", got)
	}
}

func TestACursorOfAnotherListIsRefused(t *testing.T) {
	t.Parallel()
	start := func() *world {
		w := newWorld(t)
		for _, name := range []string{"a", "b", "c"} {
			w.add(t, tool(name), &protocol.Prompt{Item: item(name, `{}`)})
		}
		return w
	}
	w := start()
	_, cursor := w.page(t, `{}`)
	const refusal = `200 -32602 "Invalid params: the cursor doesn't belong to this list; start again without a cursor"`
	for _, params := range []string{`{"cursor":"x"}`, `{"cursor":7}`, `{"cursor":"` + cursor + `A"}`} {
		assertIs(t, params, w.ask("tools/list", params), refusal)
	}
	assertIs(t, "of the tools", w.ask("prompts/list", `{"cursor":"`+cursor+`"}`), refusal)
	stranger := newWorld(t).add(t, tool("a"))
	stranger.Server().Scope = "another"
	elsewhere := protocol.New(protocol.Config{Server: stranger.Server(), Versions: spec.Versions{spec.Newest}, PageSize: 2, MaxPageSize: 3})
	other := (&world{Core: elsewhere, ctx: t.Context()}).add(t, tool("a"))
	assertIs(t, "of another server", other.ask("tools/list", `{"cursor":"`+cursor+`"}`), refusal)
	if got, _ := start().page(t, `{"cursor":"`+cursor+`"}`); got != "c" {
		t.Errorf("another process of the server, with its key, answers %s", got)
	}
}

// rest returns the address of an encoded list.
func (w *world) rest(t *testing.T, params string) *byte {
	t.Helper()
	reply := &restReply{}
	a := arrive(message("tools/list", params))
	w.Serve(w.ctx, a, reply)
	if len(reply.rest) == 0 {
		t.Fatal("the list is not shared")
	}
	return &reply.rest[0]
}

func TestPagesAreCachedUpToALimit(t *testing.T) {
	t.Parallel()
	const most = 256
	w := newWorld(t)
	w.Core = protocol.New(protocol.Config{Server: w.Server(), Versions: spec.Versions{spec.Newest}, PageSize: 1, MaxPageSize: 10 * most})
	w.add(t, tool("a"), tool("b"))
	first, second := w.rest(t, `{}`), w.rest(t, `{"per_page":2}`)
	for range 10 {
		if w.rest(t, `{}`) != first || w.rest(t, `{"per_page":2}`) != second {
			t.Fatal("pages that are asked for in turn are encoded again")
		}
	}
	_, cursor := w.page(t, `{}`)
	for i := range most { // a client may ask for pages of every size
		w.rest(t, fmt.Sprintf(`{"per_page":%d}`, i+3))
	}
	if w.rest(t, `{}`) == first {
		t.Errorf("a page is kept after %d others", most)
	}
	if got, _ := w.page(t, `{"cursor":"`+cursor+`"}`); got != "b" {
		t.Errorf("its cursor leads to %s", got)
	}
}

func TestAListHasOnlyVisibleItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a", "B", "c", "D", "e"} {
		thing := tool(name)
		if strings.ToUpper(name) == name {
			thing.Visible = ann
		}
		w.add(t, thing)
	}
	pages := func() string {
		first, cursor := w.page(t, `{}`)
		second, _ := w.page(t, `{"cursor":"`+cursor+`"}`)
		return first + " " + second
	}
	if got := pages(); got != "ac e" {
		t.Errorf("others see %s", got)
	}
	w.ctx = exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ann"})
	if got := pages(); got != "aB cD" {
		t.Errorf("ann sees %s", got)
	}
}

func TestGuardrailsMayWrapLists(t *testing.T) {
	t.Parallel()
	w, kinds := newWorld(t), 0
	w.Core = protocol.New(protocol.Config{
		Server: w.Server(), Versions: w.Versions(), PageSize: 2, MaxPageSize: 3, List: func(do protocol.Do) *call.Operation {
			kinds++
			return doing("", func(ctx context.Context, k *call.Call) (call.Result, error) {
				if !ann(ctx) {
					return nil, &exchange.Error{Code: 7, Message: "Only ann lists."}
				}
				return do(ctx, k)
			})
		},
	})
	w.add(t, tool("a"))
	assertIs(t, "others", w.ask("tools/list", `{}`), `200 7 "Only ann lists."`)
	w.ctx = exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ann"})
	if got, _ := w.page(t, `{}`); got != "a" || kinds != 4 {
		t.Errorf("ann sees %s, through guardrails of %d lists", got, kinds)
	}
}
