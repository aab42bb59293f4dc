package mcp_test

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// onStdio calls a tool of the vault on stdio, and returns the answer.
func onStdio(t *testing.T, tool string, principal *exchange.Principal) string {
	t.Helper()
	app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
	local := app.Router.Local("vault", &vault{})
	if principal != nil {
		local.As(*principal)
	}
	var out bytes.Buffer
	if code := app.Run(t.Context(), []string{"start", "vault"}, strings.NewReader(modernCall(`1`, tool, `{}`)+"\n"), &out, io.Discard); code != 0 {
		t.Fatalf("the exit code is %d", code)
	}
	return out.String()
}

func TestTheClientOnStdioIsTheUserOfTheProcess(t *testing.T) {
	for user, want := range map[[2]string]string{{"ana", ""}: "done by ana", {"", "Bo"}: "done by Bo", {"", ""}: "done by local", {"oauth: ana", ""}: "done by local"} {
		t.Setenv("USER", user[0])
		t.Setenv("USERNAME", user[1])
		for _, tool := range []string{"read", "write"} { // a local principal has every scope
			if got := onStdio(t, tool, nil); !strings.Contains(got, want) {
				t.Errorf("%v: %s answers %s, want %s", user, tool, got, want)
			}
		}
	}
}

func TestAHandleMayHaveAPrincipalOfItsOwn(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		principal   exchange.Principal
		read, write string
	}{
		"with a scope": {exchange.Principal{ID: "ci", Scopes: []string{"files:write"}}, "done by ci", "done by ci"},
		"without it":   {exchange.Principal{ID: "ci"}, "done by ci", "Insufficient scope: the operation needs files:write; the token has no scope"},
		"local":        {exchange.Principal{ID: "ci", Local: true}, "done by ci", "done by ci"},
		"anonymous":    {exchange.Principal{}, "done by ", "Unauthorized"},
	} {
		if got := onStdio(t, "read", &test.principal); !strings.Contains(got, test.read) {
			t.Errorf("%s: read answers %s, want %s", what, got, test.read)
		}
		if got := onStdio(t, "write", &test.principal); !strings.Contains(got, test.write) {
			t.Errorf("%s: write answers %s, want %s", what, got, test.write)
		}
	}
}

// The functions for one server take the principal of the context, and otherwise the same
// default as the command start. Another transport may lead anywhere, so its client is
// anonymous.
func TestTheClientOfServeStdioIsLocalUnlessTheContextSaysOtherwise(t *testing.T) {
	t.Setenv("USER", "ana")
	var out bytes.Buffer
	call := func() io.Reader { return strings.NewReader(modernCall(`1`, "write", `{}`) + "\n") }
	if err := mcp.ServeStdio(t.Context(), &vault{}, call(), &out); err != nil || !strings.Contains(out.String(), "done by ana") {
		t.Errorf("the client gets %v %s", err, out.String())
	}
	out.Reset()
	ctx := exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ci"})
	if err := mcp.ServeStdio(ctx, &vault{}, call(), &out); err != nil || !strings.Contains(out.String(), "Insufficient scope") {
		t.Errorf("the principal of the context gets %v %s", err, out.String())
	}
	over := newCarrier()
	c := carry(t, mcp.Config{}, &vault{}, over)
	if got := c.ask(t, modernCall(`1`, "write", `{}`)); !strings.Contains(got, "Unauthorized") {
		t.Errorf("the client of a custom transport gets %s", got)
	}
}
