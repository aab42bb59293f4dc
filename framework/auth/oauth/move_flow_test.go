package oauth_test

import (
	"context"
	"net/http"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// diary is a server that keeps the visits of each principal. Its log has them too.
type diary struct {
	servers.Server
	visits map[string]int
}

func (*diary) Guardrails() []guardrails.Guardrail {
	return []guardrails.Guardrail{guardrails.Audit(nil)}
}

func (d *diary) Tools() []servers.Tool {
	definition := tools.Definition{Name: "whoami", Description: "Counts the visits.", InputSchema: []byte(`{"type":"object"}`)}
	return []servers.Tool{tools.New(definition, func(_ context.Context, r *tools.Request) (tools.Result, error) {
		d.visits[r.Principal().ID]++
		return tools.Text("visited"), nil
	})}
}

// Neither the data of users nor what is logged about them begins anew at another address.
func TestAUserIsTheSamePrincipalAfterAMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o, visits := newOperator(t), map[string]int{}
		personal := field(t, o.does(t, "token:create", "CI", "--user", "ana"), `\n\n  (\S+)\n\n`)
		a := &agent{}
		const visit = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami","arguments":{}}}`
		for n, address := range []string{"127.0.0.1:8080", "127.0.0.1:9090"} {
			p := o.serveInBubble(t, address, func(router *mcp.Router, server *oauth.Server) {
				router.Web("diary", &diary{visits: visits}).Guard(server.Guard("mcp:use"))
			})
			a.url, a.client = p.url, func() *http.Client { return p.client }
			if n == 0 { // the store keeps the client
				if err := a.register(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			access := map[string]tokens{}
			for _, user := range []string{"ana", "bob"} {
				if err := a.ask(t.Context(), "/mcp/diary", "", user, "mcp:use"); err != nil {
					t.Fatal(err)
				}
				got, err := a.redeem(t.Context())
				if err == nil {
					access[user], err = a.refresh(t.Context(), got.Refresh)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			// A session is the principal's, whatever token the principal has.
			session := p.initialize(t, "/mcp/diary", "Authorization", "Bearer "+personal)
			for token, status := range map[string]int{access["ana"].Access: http.StatusOK, personal: http.StatusOK, access["bob"].Access: http.StatusNotFound} {
				if w, text := p.older(t, "/mcp/diary", visit, "Authorization", "Bearer "+token, "Mcp-Session-Id", session); w.StatusCode != status {
					t.Errorf("%s: in the session, the call is answered with %d %s, want %d", address, w.StatusCode, text, status)
				}
			}
			lines := regexp.MustCompile(`msg=audit .*method=tools/call .*principal=("[^"]*"|\S+)`).FindAllStringSubmatch(p.log.String(), -1)
			if len(lines) != 2 || lines[0][1] != `"oauth: ana"` || lines[1][1] != `"oauth: ana"` {
				t.Errorf("%s: the log has the principals %v, want ana twice:\n%s", address, lines, p.log)
			}
		}
		if len(visits) != 1 || visits[oauth.PrincipalID("ana")] != 4 {
			t.Errorf("the visits are %v", visits)
		}
	})
}
