package mcp_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// A club has items for its members. The tool "join" makes its caller one.
type club struct {
	servers.Server
	withPrompt, withResource bool

	lock    sync.Mutex
	members map[string]bool // by the ID of the principal
}

// membersOnly hides what embeds it from others.
type membersOnly struct{ club *club }

func (m membersOnly) VisibleTo(ctx context.Context) bool {
	m.club.lock.Lock()
	defer m.club.lock.Unlock()
	return m.club.members[exchange.PrincipalFrom(ctx).ID]
}

func (c *club) admit(id string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.members == nil {
		c.members = map[string]bool{}
	}
	c.members[id] = true
}

type (
	loungeTool struct {
		tools.Tool
		membersOnly
	}
	loungePrompt struct {
		prompts.Prompt
		membersOnly
	}
	loungeResource struct {
		resources.Resource
		membersOnly
	}
)

func (*loungeTool) Description() string { return "A tool." }
func (*loungeTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text("Welcome."), nil
}

func (*loungePrompt) Description() string { return "A prompt." }
func (*loungePrompt) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return prompts.User("Welcome."), nil
}

func (*loungeResource) URI() string { return "lounge://news" }
func (*loungeResource) Handle(context.Context, *resources.Request) (resources.Result, error) {
	return resources.Text("Welcome."), nil
}

func (c *club) Tools() []servers.Tool {
	return []servers.Tool{&loungeTool{membersOnly: membersOnly{c}}, doing("join", func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
		id := exchange.PrincipalFrom(ctx).ID
		c.admit(id)
		c.VisibilityChangedFor(id)
		return tools.Text("Welcome."), nil
	})}
}

func (c *club) Prompts() []servers.Prompt {
	if !c.withPrompt {
		return []servers.Prompt{wirePrompt("open", saysPrompt(""))}
	}
	return []servers.Prompt{&loungePrompt{membersOnly: membersOnly{c}}}
}

func (c *club) Resources() []servers.Resource {
	if !c.withResource {
		return nil
	}
	return []servers.Resource{&loungeResource{membersOnly: membersOnly{c}}}
}

// clubHandler serves a club. The header User names the principal.
func clubHandler(t *testing.T, c *club) http.Handler {
	t.Helper()
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", c).Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(exchange.WithPrincipal(r.Context(), exchange.Principal{ID: r.Header.Get("User")})))
		})
	})
	handler, err := app.Handler()
	must(t, err)
	return handler
}

// asUser returns a handler that gets the requests of a user.
func asUser(user string, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("User", user)
		handler.ServeHTTP(w, r)
	})
}

// A clubClient listens for changes of all lists.
type clubClient struct {
	name string
	got  func() []string // the lists whose changes it heard of since the last call
	call func(tool string)
}

// clubClients connects a client of each version for each user: "" is anonymous.
func clubClients(t *testing.T, handler http.Handler, users ...string) (clients []clubClient) {
	t.Helper()
	for _, user := range users {
		handler := asUser(user, handler)
		modern := listenTo(t, handler, `1`, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`)
		modern.news() // the acknowledgement
		t.Cleanup(modern.hangUp)
		clients = append(clients, clubClient{user + " 2026-07-28", modern.changedLists, func(tool string) {
			(&wireClient{handler: handler}).call(t.Context(), `2`, tool, `{}`)
		}})
		for _, version := range olderVersions() {
			older := (&wireClient{handler: handler}).open(t, version)
			stream := older.get(t, "")
			stream.news()
			t.Cleanup(stream.hangUp)
			clients = append(clients, clubClient{user + " " + version, stream.changedLists, func(tool string) { older.call(t.Context(), `2`, tool, `{}`) }})
		}
	}
	return clients
}

// changedLists returns the lists of whose changes the client has heard since the last call.
func (l *listening) changedLists() (lists []string) {
	for _, event := range l.news() {
		if list, ok := strings.CutSuffix(gist(event), "/list_changed"); ok {
			lists = append(lists, list)
		}
	}
	return lists
}

// hear checks which lists the clients of a user hear of. Others hear of none.
func hear(t *testing.T, what string, clients []clubClient, user string, want ...string) {
	t.Helper()
	for _, client := range clients {
		wanted := want
		if of, _, _ := strings.Cut(client.name, " "); user != "*" && of != user {
			wanted = nil
		}
		if got := client.got(); !slices.Equal(got, wanted) {
			t.Errorf("%s: %s hears of %q, want %q", what, client.name, got, wanted)
		}
	}
}

func TestAllClientsHearThatTheVisibilityHasChanged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		club *club
		want []string
	}{
		"tools":     {&club{}, []string{"tools"}}, // everybody sees the prompt
		"prompts":   {&club{withPrompt: true}, []string{"tools", "prompts"}},
		"resources": {&club{withPrompt: true, withResource: true}, []string{"tools", "prompts", "resources"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test.club.VisibilityChanged() // nobody serves it
				clients := clubClients(t, clubHandler(t, test.club), "ada", "bob", "")
				hear(t, "at first", clients, "*")
				test.club.VisibilityChanged()
				hear(t, "a change", clients, "*", test.want...)
				for range 1000 {
					go test.club.VisibilityChanged()
				}
				for _, client := range clients {
					if got := client.got(); len(got) < len(test.want) || len(got) > 1000*len(test.want) {
						t.Errorf("%s hears of %d changes", client.name, len(got))
					}
				}
			})
		})
	}
}

func TestOnePrincipalHearsThatItsVisibilityHasChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &club{withResource: true}
		clients := clubClients(t, clubHandler(t, c), "ada", "bob", "")
		for _, user := range []string{"ada", "", "bob", "eve"} {
			c.VisibilityChangedFor(user)
			hear(t, "a change for "+user, clients, user, "tools", "resources")
		}
		clients[1].call("join") // an older client of ada's
		hear(t, "a call of ada's", clients, "ada", "tools", "resources")
	})
}

// A server whose items everybody sees has nothing to announce.
func TestVisibilityThatDoesNotDependOnTheCallerIsNotAnnounced(t *testing.T) {
	inNewsroom(t, func(t *testing.T, _ *newsroom, _ http.Handler) {
		box := boxOf(saying("a", ""))
		l := listenTo(t, wireHandler(t, mcp.Config{}, box), `1`, `{"toolsListChanged":true}`)
		l.news()
		box.VisibilityChanged()
		box.VisibilityChangedFor("")
		l.hears(t, "no change")
		l.hangUp()
		synctest.Wait()
	})
}

// The lists are what a client then asks for, and aren't older than the announcement.
func TestAListIsNewAfterAChangeOfVisibility(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &club{}
		modern := probeHandler(t, asUser("ada", clubHandler(t, c)), "/mcp")
		older, _ := modern.as("2025-06-18")
		for range 2 { // the second answer may come from a cache
			for _, p := range []*probe{modern, older} {
				if names := p.ask("tools/list", nil).names(); names != "join" {
					t.Errorf("%s: before, ada sees %s", p.version, names)
				}
			}
		}
		c.admit("ada")
		c.VisibilityChangedFor("ada")
		for _, p := range []*probe{modern, older} {
			if names := p.ask("tools/list", nil).names(); names != "lounge join" {
				t.Errorf("%s: afterwards, ada sees %s", p.version, names)
			}
		}
	})
}

// A session doesn't miss what is announced before its first stream.
func TestAChangeOfVisibilityWaitsForTheStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &club{}
		handler := clubHandler(t, c)
		ada, bob := (&wireClient{handler: asUser("ada", handler)}).open(t, "2025-11-25"), (&wireClient{handler: asUser("bob", handler)}).open(t, "2025-11-25")
		c.VisibilityChangedFor("ada")
		for _, test := range []struct {
			client *wireClient
			want   []string
		}{{ada, []string{"tools"}}, {bob, nil}, {ada, nil}} {
			stream := test.client.get(t, "")
			if got := stream.changedLists(); !slices.Equal(got, test.want) {
				t.Errorf("the stream has changes of %q, want %q", got, test.want)
			}
			stream.hangUp()
			synctest.Wait()
		}
		c.VisibilityChangedFor("ada") // while no stream is open
		c.VisibilityChangedFor("bob")
		for _, client := range []*wireClient{bob, ada} {
			stream := client.get(t, "")
			if got := stream.changedLists(); !slices.Equal(got, []string{"tools"}) {
				t.Errorf("the next stream has changes of %q", got)
			}
			stream.hangUp()
			synctest.Wait()
		}
	})
}

func TestAChangeOfVisibilityReachesTheUserOnStdio(t *testing.T) {
	t.Parallel()
	t.Run("older", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := &club{}
			p := startPipelineAs(t, exchange.Principal{ID: "ada"}, c)
			p.greet(t, "2025-06-18")
			p.silent(t)
			c.VisibilityChangedFor("bob")
			p.silent(t)
			c.VisibilityChangedFor("ada")
			p.gets(t, told("tools/list_changed"))
			c.VisibilityChanged()
			p.gets(t, told("tools/list_changed"))
		})
	})
	t.Run("2026-07-28", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := &club{}
			p := startPipelineAs(t, exchange.Principal{ID: "ada"}, c)
			p.send(t, listenMessage(`1`, `{"toolsListChanged":true}`))
			p.gets(t, acknowledged(`1`, `{"toolsListChanged":true}`))
			c.VisibilityChangedFor("bob")
			p.silent(t)
			c.VisibilityChangedFor("ada")
			p.gets(t, listChanged(`1`, "tools"))
		})
	})
}

func TestAChangeOfVisibilityReachesAClientOfHTTPWithSSE(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &club{}
		client := connectSSE(t, sseHandler(t, mcp.Config{}, c)) // of ada
		client.post(initialize("2024-11-05"))
		client.events()
		c.VisibilityChangedFor("bob")
		client.says("a change for bob", nil)
		c.VisibilityChangedFor("ada")
		client.says("a change for ada", nil, "tools/list_changed")
		client.hangUp()
		synctest.Wait()
	})
}
