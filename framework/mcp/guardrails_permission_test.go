package mcp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// admins is a permission for admins only.
func admins(ctx context.Context, _ string) bool { return exchange.PrincipalFrom(ctx).ID == "admin" }

// keys returns the names or URIs of a list.
func (r reply) keys() string {
	r.t.Helper()
	var result map[string]any
	r.decode(&result)
	var keys []string
	for _, member := range []string{"tools", "prompts", "resources", "resourceTemplates"} {
		items, _ := result[member].([]any)
		for _, item := range items {
			item := item.(map[string]any)
			for _, key := range []string{"uri", "uriTemplate", "name"} {
				if text, ok := item[key].(string); ok {
					keys = append(keys, text)
					break
				}
			}
		}
	}
	return strings.Join(keys, " ")
}

func TestItemsWithoutPermissionDoNotExistForTheCaller(t *testing.T) {
	t.Parallel()
	for _, p := range bothEras(t, mcp.Config{}, guardedBy(guardrails.Permission(admins))) {
		admin, _ := p.by("admin").as(p.version)
		guest, _ := p.by("guest").as(p.version)
		for range 2 { // so that the lists of the two aren't confused
			for what, r := range admin.everything() {
				if r.err != nil || strings.HasPrefix(what, "list") && r.keys() == "" {
					t.Errorf("%s, %s: an admin gets %s", p.version, what, r.body)
				}
			}
			for _, client := range []*probe{guest, p} {
				for what, r := range client.everything() {
					if r.err == nil && (!strings.HasPrefix(what, "list") || r.keys() != "") {
						t.Errorf("%s, %s: a guest gets %s", p.version, what, r.body)
					}
				}
				if r := client.call("work", nil); r.err == nil || r.err.Code != -32602 || r.err.Message != `Unknown tool "work"` {
					t.Errorf("%s: a guest's call returns %s", p.version, r.body)
				}
				if r := client.call("worc", nil); strings.Contains(r.body, `work`) {
					t.Errorf("%s: the tool is suggested: %s", p.version, r.body)
				}
				if r, none := client.read("docs://rules"), client.read("docs://none"); r.err == nil || r.err.Code != none.err.Code || r.err.Message != "Resource not found: docs://rules" {
					t.Errorf("%s: a guest's read returns %s", p.version, r.body)
				}
			}
		}
	}
}

// overlapping has resources whose URIs a wider template matches too.
type overlapping struct{ servers.Server }

func (*overlapping) Resources() []servers.Resource {
	text := func(context.Context, *resources.Request) (resources.Result, error) {
		return resources.Text("secret"), nil
	}
	only := []guardrails.Guardrail{guardrails.Permission(admins)}
	return []servers.Resource{
		resources.New(resources.Definition{URI: "docs://{+path}", Name: "any"}, text),
		resources.New(resources.Definition{URI: "docs://{id}", Name: "one"}, text),
		resources.New(resources.Definition{URI: "docs://admin/{id}", Name: "admin", Guardrails: only}, text),
		resources.New(resources.Definition{URI: "docs://salaries", Name: "salaries", Guardrails: only}, text),
		&desk{}, // which completes
	}
}

func TestAHiddenResourceIsNotReadThroughAWiderTemplate(t *testing.T) {
	t.Parallel()
	for _, p := range bothEras(t, mcp.Config{}, &overlapping{}) {
		admin, _ := p.by("admin").as(p.version)
		for _, uri := range []string{"docs://admin/1", "docs://salaries"} {
			if r := admin.read(uri); r.err != nil {
				t.Errorf("%s: an admin's read of %s returns %s", p.version, uri, r.body)
			}
			complete := p.ask("completion/complete", params{"ref": params{"type": "ref/resource", "uri": uri}, "argument": params{"name": "id", "value": ""}})
			for what, r := range map[string]reply{"read": p.read(uri), "completion": complete} {
				if r.err == nil || r.err.Message != "Resource not found: "+uri {
					t.Errorf("%s: a %s of %s returns %s", p.version, what, uri, r.body)
				}
			}
		}
		if r := p.read("docs://open/1"); r.err != nil {
			t.Errorf("%s: what is open returns %s", p.version, r.body)
		}
	}
}

func TestAPermissionGetsTheName(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	p := probeServer(t, mcp.Config{}, guardedBy(guardrails.Permission(func(_ context.Context, name string) bool {
		seen[name] = true
		return name != "docs://desks/{owner}"
	})))
	for what, r := range p.everything() {
		blocked := r.err != nil || what == "list templates" && r.keys() == ""
		if want := strings.HasSuffix(what, "template") || what == "list templates"; blocked != want {
			t.Errorf("%s: got %s", what, r.body)
		}
	}
	for _, name := range []string{"work", "docs://rules", "docs://desks/{owner}", "letter"} {
		if !seen[name] {
			t.Errorf("unexpected: %s", name)
		}
	}
	if len(seen) != 4 {
		t.Errorf("it was asked for %v", seen)
	}
}

func TestAPermissionIsForItsKindsOnly(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, guardedBy(guardrails.Permission(admins).On(guardrails.Get)))
	for what, r := range p.everything() {
		blocked := r.err != nil || strings.HasPrefix(what, "list") && r.keys() == ""
		if want := what == "get" || what == "complete prompt" || what == "list prompts"; blocked != want {
			t.Errorf("%s: got %s", what, r.body)
		}
	}
}

type adminsOnly struct{ adminTool }

func (*adminsOnly) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.Permission(admins)}
}

// VisibleTo, the server's permissions and the tool's own permissions must all allow the
// call.
func TestPermissionsAddUp(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("/mcp", &permitting{boxOf(&adminsOnly{})}).Use(withRole)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	p := probeHandler(t, handler, "/mcp")
	for _, test := range []struct {
		role, principal, plan string
		want                  string
	}{
		{"admin", "admin", "gold", "admins-only"},
		{"guest", "admin", "gold", ""},
		{"admin", "guest", "gold", ""},
		{"admin", "admin", "free", ""},
	} {
		client := p.by(test.principal)
		client.ctx = context.WithValue(client.ctx, colour{}, test.plan)
		client.header = client.header.Clone()
		client.header.Set("X-Role", test.role)
		if got := client.ask("tools/list", nil).names(); got != test.want {
			t.Errorf("%+v sees %q", test, got)
		}
	}
}

type permitting struct{ *toolbox }

func (*permitting) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.Permission(func(ctx context.Context, _ string) bool { return ctx.Value(colour{}) == "gold" })}
}

func TestAPermissionThatPanicsHides(t *testing.T) {
	t.Parallel()
	var log logbook
	p := probeServer(t, mcp.Config{Logger: log.logger()}, guardedBy(guardrails.Permission(func(context.Context, string) bool { panic("no database") })))
	for what, r := range p.everything() {
		if r.err == nil && (!strings.HasPrefix(what, "list") || r.keys() != "") {
			t.Errorf("%s: got %s", what, r.body)
		}
	}
	if !strings.Contains(log.String(), "no database") {
		t.Errorf("the log is\n%s", log.String())
	}
}

// A shared cache must not give a list that depends on the caller to others.
func TestAListThatDependsOnTheCallerIsPrivate(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, guardedBy(guardrails.Permission(admins)))
	for _, client := range []*probe{p.by("admin"), p.by("guest")} {
		for what, r := range client.everything() {
			if strings.HasPrefix(what, "list") && !strings.Contains(r.result, `"cacheScope":"private"`) {
				t.Errorf("%s: got %s", what, r.result)
			}
		}
	}
}

// Earlier requests, of the same client or another, don't change a list.
func TestAListDoesNotDependOnEarlierRequests(t *testing.T) {
	t.Parallel()
	for _, client := range bothEras(t, mcp.Config{}, guardedBy(guardrails.Permission(admins))) {
		guest, _ := client.by("guest").as(client.version)
		admin, _ := client.by("admin").as(client.version)
		before := guest.ask("tools/list", nil).keys()
		admin.everything()
		guest.everything()
		if after := guest.ask("tools/list", nil).keys(); before != "" || after != "" {
			t.Errorf("%s: a guest sees %q, then %q", client.version, before, after)
		}
		if got := admin.ask("tools/list", nil).keys(); got != "work" {
			t.Errorf("%s: an admin sees %q", client.version, got)
		}
	}
}

func TestCallersWithoutPermissionAreNotNotified(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := guardedBy(guardrails.Permission(admins))
		handler := wireHandler(t, mcp.Config{}, server)
		listen := func(principal string) *listening {
			ctx := exchange.WithPrincipal(t.Context(), exchange.Principal{ID: principal})
			return startListening(ctx, handler, listenMessage(`1`, `{"resourceSubscriptions":["docs://rules"]}`), "text/event-stream")
		}
		admin, guest := listen("admin"), listen("guest")
		admin.hears(t, "at first", acknowledged(`1`, `{"resourceSubscriptions":["docs://rules"]}`))
		guest.hears(t, "at first", acknowledged(`1`, `{}`))
		server.ResourceUpdated("docs://rules")
		admin.hears(t, "it changes", updated(`1`, "docs://rules"))
		guest.hears(t, "it changes")
		admin.hangUp()
		guest.hangUp()
		<-admin.ended
		<-guest.ended
	})
}
