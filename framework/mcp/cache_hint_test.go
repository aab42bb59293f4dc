package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// private and public return the hint of an hour.
func private() *exchange.CacheHint { return &exchange.CacheHint{TTL: time.Hour} }
func public() *exchange.CacheHint  { return &exchange.CacheHint{TTL: time.Hour, Public: true} }

// cachedFor returns a public hint.
func cachedFor(ttl time.Duration) *exchange.CacheHint {
	return &exchange.CacheHint{TTL: ttl, Public: true}
}

// cacheHint returns the hint of a result, such as "3600000 public", "" if it has none.
func (r reply) cacheHint() string {
	r.t.Helper()
	var result struct {
		TTL   *int64 `json:"ttlMs"`
		Scope string `json:"cacheScope"`
	}
	if r.err != nil {
		r.t.Fatalf("the answer is %s", r.body)
	}
	r.decode(&result)
	if result.TTL == nil && result.Scope == "" {
		return ""
	}
	return fmt.Sprint(*result.TTL, " ", result.Scope)
}

// cacheHints sends each request whose result may be reused, and returns the hints.
func (p *probe) cacheHints() string {
	p.t.Helper()
	var hints []string
	for _, method := range []string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		if p.version == "2026-07-28" || method != "server/discover" {
			hints = append(hints, p.ask(method, nil).cacheHint())
		}
	}
	return strings.Join(append(hints, p.read("docs://rules").cacheHint(), p.read("docs://desks/ann").cacheHint()), ", ")
}

// all is the hint of each of these results.
func all(hint string) string { return strings.Join(slices.Repeat([]string{hint}, 7), ", ") }

// A cachedServer has an item of each kind.
func cachedServer(hint *exchange.CacheHint) servers.Interface {
	return servers.New(servers.Definition{
		Name: "cached", CacheHint: hint, Tools: []servers.Tool{saying("one", "")}, Prompts: []servers.Prompt{&letter{}},
		Resources: []servers.Resource{holding("docs://rules", "rules"), holding("docs://desks/{owner}", "desk")},
	})
}

func TestAServerHasACacheHint(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		hint *exchange.CacheHint
		want string
	}{
		{nil, all("0 private")},
		{&exchange.CacheHint{}, all("0 private")},
		{private(), all("3600000 private")},
		{public(), all("3600000 public")},
		{cachedFor(1999 * time.Microsecond), all("1 public")},
		{cachedFor(math.MaxInt64), all("9223372036854 public")}, // less than 2^53, which JavaScript can count to
	} {
		newest := probeServer(t, mcp.Config{}, cachedServer(test.hint))
		if got := newest.cacheHints(); got != test.want {
			t.Errorf("%+v: got %s, want %s", test.hint, got, test.want)
		}
		if got := newest.call("one", nil).cacheHint() + newest.ask("prompts/get", params{"name": "letter", "arguments": params{"to": "ann"}}).cacheHint(); got != "" {
			t.Errorf("%+v: a call or a prompt has the hint %s", test.hint, got)
		}
		for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
			older, _ := newest.as(version)
			if got := older.cacheHints(); strings.Trim(got, ", ") != "" {
				t.Errorf("%+v: a client of %s gets %s", test.hint, version, got)
			}
		}
	}
}

// Only what nobody had to show anything for may be given to everybody.
func TestAResultIsPublicOnlyForAnonymousClients(t *testing.T) {
	t.Parallel()
	served := cachedServer(public())
	signedIn := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if id := r.Header.Get("X-User"); id != "" {
				r = r.WithContext(exchange.WithPrincipal(r.Context(), exchange.Principal{ID: id}))
			}
			next.ServeHTTP(w, r)
		})
	}
	handler := guardedRoutes(t, mcp.Config{}, func(router *mcp.Router) {
		router.Web("/open", served)
		router.Web("/guarded", served).Guard(auth.Bearer(tokens(), "mcp:use"))
		router.Web("/own", served).Use(signedIn)
	})
	for _, test := range []struct {
		path   string
		header http.Header
		want   string
	}{
		{"/open", nil, "3600000 public"},
		{"/open", http.Header{"Authorization": {"Bearer whatever"}}, "3600000 private"},
		{"/open", http.Header{"Cookie": {"session=a"}}, "3600000 private"},
		{"/open", http.Header{"X-Api-Key": {"whatever"}}, "3600000 private"},
		{"/guarded", http.Header{"Authorization": {"Bearer ana-token"}}, "3600000 private"},
		{"/own", nil, "3600000 public"},
		{"/own", http.Header{"X-User": {"ana"}}, "3600000 private"},
		{"/open", nil, "3600000 public"}, // the answers to the others aren't given to it
	} {
		p := probeHandler(t, handler, test.path)
		if test.header != nil {
			p.header = test.header
		}
		if got := p.cacheHints(); got != all(test.want) {
			t.Errorf("%s with %v: got %s, want %s", test.path, test.header, got, test.want)
		}
	}
}

func TestAResultOnStdioIsPrivate(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	in := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	if err := mcp.ServeStdio(t.Context(), cachedServer(public()), strings.NewReader(in), &out); err != nil || !strings.Contains(out.String(), `"ttlMs":3600000,"cacheScope":"private"`) {
		t.Errorf("got %s, %v", &out, err)
	}
}

func TestTheItemsOfAListLimitItsCacheHint(t *testing.T) {
	t.Parallel()
	tool := func(name string, hint *exchange.CacheHint) servers.Tool {
		return tools.New(tools.Definition{Name: name, Description: "A tool.", CacheHint: hint}, func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text(""), nil })
	}
	prompt := func(name string, hint *exchange.CacheHint) servers.Prompt {
		return prompts.New(prompts.Definition{Name: name, CacheHint: hint}, func(context.Context, *prompts.Request) (prompts.Result, error) { return prompts.User(""), nil })
	}
	for _, test := range []struct {
		server *exchange.CacheHint
		items  []*exchange.CacheHint
		want   string
	}{
		{public(), nil, "3600000 public"},
		{public(), []*exchange.CacheHint{nil, cachedFor(time.Minute), nil}, "60000 public"},
		{public(), []*exchange.CacheHint{cachedFor(2 * time.Hour)}, "7200000 public"},
		{public(), []*exchange.CacheHint{nil, private()}, "3600000 private"},
		{public(), []*exchange.CacheHint{{}, nil}, "0 private"},
		{nil, []*exchange.CacheHint{public(), public()}, "3600000 public"},
		{nil, []*exchange.CacheHint{public(), nil}, "0 private"},
	} {
		definition := servers.Definition{Name: "cached", CacheHint: test.server}
		for i, hint := range test.items {
			definition.Tools = append(definition.Tools, tool(fmt.Sprint("tool-", i), hint))
			definition.Prompts = append(definition.Prompts, prompt(fmt.Sprint("prompt-", i), hint))
		}
		p := probeServer(t, mcp.Config{}, servers.New(definition))
		for _, method := range []string{"tools/list", "prompts/list"} {
			if got := p.ask(method, nil).cacheHint(); got != test.want {
				t.Errorf("%s: got %s, want %s", method, got, test.want)
			}
		}
		var next string
		for i := range test.items { // each page has the hint of the whole list
			given := params{"per_page": 1}
			if i > 0 {
				given["cursor"] = next
			}
			page := p.ask("tools/list", given)
			if got := page.cacheHint(); got != test.want {
				t.Errorf("page %d: got %s, want %s", i+1, got, test.want)
			}
			_, next = page.listed()
		}
	}
}

// daily is embedded next to the base, or in a tool that another one wraps.
type daily struct{}

func (daily) CacheHint() *exchange.CacheHint { return cachedFor(24 * time.Hour) }

type dailyTool struct {
	plain
	daily
}

func (*dailyTool) Name() string                        { return "daily" }
func (t *dailyTool) CacheHint() *exchange.CacheHint    { return t.daily.CacheHint() }
func (*gatedDaily) VisibleTo(ctx context.Context) bool { return ctx.Value(role{}) == "admin" }

type (
	markedTool struct {
		tools.Tool
		daily
	}
	gatedDaily struct{ markedTool }
)

func (*markedTool) Description() string { return "A tool." }
func (*markedTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}

func TestACacheHintMayComeFromAnEmbeddedType(t *testing.T) {
	t.Parallel()
	private := tools.New(tools.Definition{Name: "private", Description: "A tool.", CacheHint: private()}, (&markedTool{}).Handle)
	for tool, want := range map[servers.Tool]string{&dailyTool{}: "86400000 public", &markedTool{}: "86400000 public", &wrapped{private}: "3600000 private"} {
		if got := probeServer(t, mcp.Config{}, boxOf(tool)).ask("tools/list", nil).cacheHint(); got != want {
			t.Errorf("%T: got %s, want %s", tool, got, want)
		}
	}
}

// hintedResource is a resource with a hint, which its result may replace.
func hintedResource(uri string, own, result *exchange.CacheHint) servers.Resource {
	return resources.New(resources.Definition{URI: uri, Name: uri, CacheHint: own}, func(context.Context, *resources.Request) (resources.Result, error) {
		read := resources.Text("text")
		read.CacheHint = result
		return read, nil
	})
}

func TestAResourceAndItsResultHaveCacheHints(t *testing.T) {
	t.Parallel()
	cases := []struct {
		own, result *exchange.CacheHint
		want        string
	}{
		{nil, nil, "3600000 private"}, // the server's
		{cachedFor(time.Minute), nil, "60000 public"},
		{&exchange.CacheHint{}, nil, "0 private"},
		{public(), private(), "3600000 private"},
		{public(), &exchange.CacheHint{}, "0 private"},
		{nil, cachedFor(time.Second), "1000 public"},
		{nil, &exchange.CacheHint{TTL: -time.Hour}, "0 private"}, // what has expired
		{nil, &exchange.CacheHint{TTL: time.Microsecond}, "0 private"},
	}
	definition := servers.Definition{Name: "cached", CacheHint: private()}
	for i, test := range cases {
		definition.Resources = append(definition.Resources, hintedResource(fmt.Sprintf("docs://single/%d", i), test.own, test.result),
			hintedResource(fmt.Sprintf("docs://many/%d/{name}", i), test.own, test.result))
	}
	p := probeServer(t, mcp.Config{}, servers.New(definition))
	for i, test := range cases {
		for _, uri := range []string{fmt.Sprintf("docs://single/%d", i), fmt.Sprintf("docs://many/%d/x", i)} {
			if got := p.read(uri).cacheHint(); got != test.want {
				t.Errorf("%s: got %s, want %s", uri, got, test.want)
			}
			if got := p.by("ana").read(uri).cacheHint(); got != strings.Replace(test.want, "public", "private", 1) {
				t.Errorf("%s, read by a principal: got %s", uri, got)
			}
		}
	}
	for _, method := range []string{"resources/list", "resources/templates/list"} {
		if got := p.ask(method, nil).cacheHint(); got != "3600000 private" { // the server's
			t.Errorf("%s: got %s", method, got)
		}
	}
}

// adminResource is a resource that only admins see.
type adminResource struct {
	resources.Resource
	hint *exchange.CacheHint
}

func (*adminResource) URI() string                        { return "docs://hidden" }
func (r *adminResource) CacheHint() *exchange.CacheHint   { return r.hint }
func (*adminResource) VisibleTo(ctx context.Context) bool { return ctx.Value(role{}) == "admin" }
func (*adminResource) Handle(context.Context, *resources.Request) (resources.Result, error) {
	read := resources.Text("text")
	read.CacheHint = public()
	return read, nil
}

// What only some clients see is never public, whatever the author says, and neither is a list
// from which some items are hidden.
func TestWhatIsHiddenIsPrivate(t *testing.T) {
	t.Parallel()
	server := &toolbox{tools: []servers.Tool{&markedTool{}}}
	app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Router.Web("/mcp", server).Use(withRole)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	p := probeHandler(t, handler, "/mcp")
	if got := p.ask("tools/list", nil).cacheHint(); got != "86400000 public" {
		t.Errorf("before, the list has the hint %s", got)
	}
	wants(t, "a public hint", server.AddTool(&gatedDaily{}), "gated-daily (*mcp_test.gatedDaily): its CacheHint is public, but VisibleTo or a Permission may hide the tool gated-daily from some clients; take Public out")
	if err := server.AddTool(&adminTool{}); err != nil { // its hint is the server's, which isn't public
		t.Fatal(err)
	}
	if err := server.AddResource(&adminResource{}); err != nil {
		t.Fatal(err)
	}
	for _, as := range []string{"guest", "admin"} {
		p.header.Set("X-Role", as)
		var scopes []string
		for i, next := 0, ""; i == 0 || next != ""; i++ {
			given := params{"per_page": 1}
			if next != "" {
				given["cursor"] = next
			}
			page := p.ask("tools/list", given)
			scopes = append(scopes, strings.Fields(page.cacheHint())[1])
			_, next = page.listed()
		}
		if want := map[string]int{"guest": 1, "admin": 2}[as]; !slices.Equal(scopes, slices.Repeat([]string{"private"}, want)) {
			t.Errorf("the pages of a %s are %q", as, scopes)
		}
	}
	if got := p.read("docs://hidden").cacheHint(); got != "3600000 private" {
		t.Errorf("the result has the hint %s", got)
	}
}

// An answer that depends on what the user was asked may not be reused.
func TestWhatTheClientAnsweredIsNotReused(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, &longBooking{})
	p.header.Set("Mcp-Name", "booking://invoice")
	first := p.ask("resources/read", can(able(), params{"uri": "booking://invoice"}))
	if got := first.cacheHint(); got != "" {
		t.Errorf("a question has the hint %s", got)
	}
	second := p.ask("resources/read", can(able(), params{
		"uri": "booking://invoice", "requestState": first.round(t).RequestState, "inputResponses": params{"name": accept(params{"name": "Ann"})},
	}))
	if got := second.cacheHint(); got != "0 private" || !strings.Contains(second.result, "Invoice for Ann") {
		t.Errorf("got %s for %s", got, second.body)
	}
}

// longBooking has a public hint.
type longBooking struct{ booking }

func (*longBooking) CacheHint() *exchange.CacheHint { return public() }

func TestMistakesInCacheHintsAreFoundAtBoot(t *testing.T) {
	t.Parallel()
	served := func(hint *exchange.CacheHint, change func(*servers.Definition)) servers.Interface {
		definition := servers.Definition{Name: "cached", CacheHint: hint}
		if change != nil {
			change(&definition)
		}
		return servers.New(definition)
	}
	permission := guardrails.Permission(func(context.Context, string) bool { return true })
	const ttl = "; it must be a millisecond or more, such as time.Hour, or 0 so that nobody reuses a result"
	for _, test := range []struct {
		server servers.Interface
		want   string
	}{
		{served(&exchange.CacheHint{TTL: -time.Second}, nil), "the server cached: the TTL of its CacheHint is -1s" + ttl},
		{served(&exchange.CacheHint{TTL: 3600}, nil), "the TTL of its CacheHint is 3.6µs" + ttl},
		{served(&exchange.CacheHint{Public: true}, nil), "its CacheHint is public, but has no TTL, so nobody may reuse a result; set TTL, such as time.Hour"},
		{served(public(), func(d *servers.Definition) {
			d.Guardrails = []guardrails.Guardrail{permission}
			d.Tools = []servers.Tool{saying("one", "")}
		}),
			"its CacheHint is public, but its guardrails have a Permission, which may hide items from some clients; take Public out, or move Permission to the items that it hides"},
		{served(public(), func(d *servers.Definition) { d.Tools = []servers.Tool{&adminTool{}} }),
			"tool 1: admin (*mcp_test.adminTool): the server's CacheHint is public, but VisibleTo or a Permission may hide the tool admin from some clients; give it a CacheHint of its own that isn't public"},
		{served(nil, func(d *servers.Definition) { d.Tools = []servers.Tool{&gatedDaily{}} }),
			"its CacheHint is public, but VisibleTo or a Permission may hide the tool gated-daily from some clients; take Public out"},
		{served(nil, func(d *servers.Definition) { d.Resources = []servers.Resource{&adminResource{hint: public()}} }),
			"resource 1: *mcp_test.adminResource: its CacheHint is public, but VisibleTo or a Permission may hide the resource docs://hidden from some clients; take Public out"},
		{served(public(), func(d *servers.Definition) {
			d.Prompts = []servers.Prompt{&letter{own: []guardrails.Guardrail{permission}}}
		}),
			"prompt 1: *mcp_test.letter: the server's CacheHint is public, but VisibleTo or a Permission may hide the prompt letter from some clients; give it a CacheHint of its own that isn't public"},
		{served(nil, func(d *servers.Definition) {
			d.Resources = []servers.Resource{hintedResource("docs://a", &exchange.CacheHint{TTL: -1}, nil)}
		}),
			"the TTL of its CacheHint is -1ns" + ttl},
		{served(nil, func(d *servers.Definition) { d.Tools = []servers.Tool{&misspeltHintTool{}} }),
			"the method CacheHints is never called; did you mean CacheHint() *exchange.CacheHint?"},
	} {
		err := mcp.Validate(test.server)
		wants(t, test.want, err, test.want)
		if lines := strings.Count(err.Error(), "\n") + 1; lines != 1 {
			t.Errorf("there are %d mistakes:\n%v", lines, err)
		}
	}
	if err := mcp.Validate(served(public(), func(d *servers.Definition) { d.Resources = []servers.Resource{&adminResource{hint: private()}} })); err != nil {
		t.Errorf("a hidden resource with a private hint: %v", err)
	}
}

type misspeltHintTool struct{ plain }

func (*misspeltHintTool) CacheHints() *exchange.CacheHint { return private() }

func TestAServerBehindGuardsHasNoPublicCacheHint(t *testing.T) {
	t.Parallel()
	guard := auth.Bearer(tokens(), "mcp:use")
	routed := func(routes func(*mcp.Router)) error {
		app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
		routes(app.Router)
		_, err := app.Handler()
		return err
	}
	const (
		behind = " is public, but a guard protects the route /mcp/a and all others that serve it; take Public out, so that no cache gives the results to clients without access"
		ofTool = "the server toolbox: the CacheHint of the tool marked"
	)
	for what, test := range map[string]struct {
		routes func(*mcp.Router)
		want   string
	}{
		"its own": {func(r *mcp.Router) { r.Web("a", cachedServer(public())).Guard(guard).LegacySSE() }, "the server cached: its CacheHint" + behind},
		"at two guarded routes": {func(r *mcp.Router) {
			server := cachedServer(public())
			r.Web("a", server).Guard(guard)
			r.Web("b", server).Guard(guard)
			r.Local("c", server)
		}, behind},
		"a tool's":       {func(r *mcp.Router) { r.Guard(guard); r.Web("a", boxOf(&markedTool{})) }, ofTool + behind},
		"a private one":  {func(r *mcp.Router) { r.Guard(guard); r.Web("a", cachedServer(private())) }, ""},
		"an open route":  {func(r *mcp.Router) { r.Web("a", cachedServer(public())); r.Web("b", &vault{}).Guard(guard) }, ""},
		"only on stdio":  {func(r *mcp.Router) { r.Local("a", cachedServer(public())) }, ""},
		"a broken group": {func(r *mcp.Router) { r.Group("x").Web("a", cachedServer(public())).Guard(guard) }, `the prefix "x" of a group must begin with a slash`},
		"no server":      {func(r *mcp.Router) { r.Web("a", nil).Guard(guard) }, "there is no server"},
		"a guarded and an open one": {func(r *mcp.Router) {
			server := cachedServer(public())
			r.Web("a", server).Guard(guard)
			r.Web("b", server)
		}, ""},
	} {
		err := routed(test.routes)
		if test.want == "" && err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if test.want != "" {
			wants(t, what, err, test.want)
			if strings.Count(err.Error(), "\n") != 0 {
				t.Errorf("%s: there are several mistakes: %v", what, err)
			}
		}
	}
}
