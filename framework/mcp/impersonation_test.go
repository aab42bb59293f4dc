package mcp_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// startAs runs start with arguments behind the handle of the vault, and calls a tool that needs a
// scope.
func startAs(t *testing.T, guard mcp.Guard, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, log bytes.Buffer
	app := mcp.New(mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	server := &vault{}
	app.Router.Local("vault", server).As(exchange.Principal{ID: "ci"})
	if guard != nil {
		app.Router.Group("/teams").Web("vault", server).Guard(guard)
	}
	code = app.Run(t.Context(), append([]string{"start", "vault"}, args...), strings.NewReader(modernCall(`1`, "write", `{}`)+"\n"), &out, &log)
	return out.String(), log.String(), code
}

func TestStartServesThePrincipalThatAGuardKnowsByName(t *testing.T) {
	t.Parallel()
	static := auth.Static(staticToken("ana", "mcp:use"), staticToken("bo", "mcp:use files:write"))
	for name, want := range map[string]string{
		"ana": "Insufficient scope: the operation needs files:write; the token has mcp:use",
		"bo":  "done by bo",
	} {
		stdout, stderr, code := startAs(t, auth.Bearer(static), "--as", name)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: the exit code is %d, and the answer %s, want %s", name, code, stdout, want)
		}
		if want := `level=WARN msg="the client on stdio acts as a principal who has not logged in" principal=` + name + " as=" + name; !strings.Contains(stderr, want) {
			t.Errorf("the log lacks %s:\n%s", want, stderr)
		}
	}
}

func TestAPrincipalThatNoGuardKnowsIsAnError(t *testing.T) {
	t.Parallel()
	static := auth.Static(staticToken("ana", "mcp:use"))
	issuer := auth.JWT(auth.Issuer{URL: "https://login.example.com"})
	const known = "the principals of an issuer are known by their access tokens only: use one at the URL of the route"
	for _, test := range []struct {
		guard mcp.Guard
		args  []string
		want  string
		code  int
	}{
		{auth.Bearer(static), []string{"--as", "anna"}, `the principal "anna" is unknown: there is no static token of "anna"; did you mean "ana"?`, 1},
		{auth.Bearer(issuer), []string{"--as", "ana"}, `the principal "ana" is unknown: ` + known, 1},
		{auth.Bearer(auth.Any(issuer, static)), []string{"--as", "bo"}, `the principal "bo" is unknown: ` + known + `; there is no static token of "bo"; there are: "ana"`, 1},
		{nil, []string{"--as", "ana"}, `the principal "ana" is unknown: no route has a guard that knows principals by name`, 1},
		{nil, []string{"--as"}, "start: --as needs the name of a principal", 2},
		{nil, []string{"--as", ""}, "start: --as needs the name of a principal", 2},
		{nil, []string{"--as", "ana", "bo"}, `start: unexpected argument "--as"`, 2},
	} {
		stdout, stderr, code := startAs(t, test.guard, test.args...)
		if code != test.code || stdout != "" || !strings.Contains(stderr, "mcp: "+test.want) {
			t.Errorf("%q: the exit code is %d, stdout %q, stderr\n%s\nwant %s", test.args, code, stdout, stderr, test.want)
		}
	}
}

// Over HTTP, these principals get no further than the guard.
func TestStartRefusesAPrincipalThatTheRoutesOfTheServerRefuse(t *testing.T) {
	t.Parallel()
	root := auth.Static(staticToken("root", "mcp:use"))
	public := auth.Static(staticToken("bob", "files:write"), staticToken("cara", "mcp:use files:write"))
	starts := func(handle, name string) (stderr string, code int) {
		t.Helper()
		var out, log bytes.Buffer
		app := mcp.New(mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		for handle, serve := range map[string]func(*vault){
			"admin":  func(v *vault) { app.Router.Web("admin", v).Guard(auth.Bearer(root, "mcp:use")) },
			"public": func(v *vault) { app.Router.Web("public", v).Guard(auth.Bearer(public)) },
			"layers": func(v *vault) {
				group := app.Router.Group("/layers")
				group.Guard(auth.Bearer(public, "mcp:use"))
				group.Web("layers", v).Guard(auth.Bearer(public))
			},
			"either": func(v *vault) {
				app.Router.Web("either/root", v).Guard(auth.Bearer(root))
				app.Router.Web("either/public", v).Guard(auth.Bearer(public))
			},
			"open":  func(v *vault) { app.Router.Web("open", v) },
			"stdio": func(*vault) {},
		} {
			server := &vault{}
			serve(server)
			app.Router.Local(handle, server)
		}
		code = app.Run(t.Context(), []string{"start", handle, "--as", name}, strings.NewReader(""), &out, &log)
		return log.String(), code
	}
	const guarded, warning = "no route of the server has a guard that knows principals by name", "acts as a principal who has not logged in"
	for _, test := range []struct {
		handle, name, want string
		code               int
	}{
		{"admin", "root", warning, 0},
		{"admin", "cara", `the principal "cara" is unknown: there is no static token of "cara"; there are: "root"`, 1},
		{"public", "bob", warning, 0},
		{"layers", "bob", `the principal "bob" is refused: a guard of /layers/mcp/layers needs mcp:use, and the principal has files:write`, 1},
		{"layers", "cara", warning, 0},
		{"either", "root", warning, 0},
		{"either", "bob", warning, 0},
		{"open", "bob", `the principal "bob" is unknown: ` + guarded, 1},
		{"stdio", "bob", warning, 0}, // the guards of all routes, since it has none
	} {
		if stderr, code := starts(test.handle, test.name); code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s as %s: the exit code is %d, and stderr\n%s\nwant %s", test.handle, test.name, code, stderr, test.want)
		}
	}
}
