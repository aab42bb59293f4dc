package mcp

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// Main reads the arguments of the process, so these tests run the app that it makes. The
// program in the README, which calls Main, is tested in docs.
func TestMainMapsAServerToItsName(t *testing.T) {
	t.Parallel()
	say := prompts.New(prompts.Definition{Name: "say"}, nil)
	for name, server := range map[string]servers.Interface{
		"talk": servers.New(servers.Definition{Name: "talk", Prompts: []servers.Prompt{say}}),
		"own":  &ownServer{},
	} {
		app := single(Config{}, server)
		route, local := app.Router.routes[0], app.Router.locals[0]
		if route.path != "/mcp/"+name || local.handle != name || len(app.Router.routes) != 1 || len(app.Router.locals) != 1 {
			t.Errorf("%s is at the path %s and the handle %s", name, route.path, local.handle)
		}
	}
}

type ownServer struct{ servers.Server }

func TestMainReportsAServerThatCannotServe(t *testing.T) {
	t.Parallel()
	for want, server := range map[string]servers.Interface{
		"there is no server; give a pointer to one, such as &servers.DemoServer{}":                nil,
		"the server servers.New: its name is empty; set the field Name of the servers.Definition": servers.New(servers.Definition{}),
	} {
		var stderr strings.Builder
		code := single(Config{}, server).Run(t.Context(), []string{"list"}, nil, io.Discard, &stderr)
		if code != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("exit code %d:\n%s\nwant … %s", code, stderr.String(), want)
		}
	}
}

func TestMainRefusesANameThatIsNoPathOrHandle(t *testing.T) {
	t.Parallel()
	say := prompts.New(prompts.Definition{Name: "say"}, func(context.Context, *prompts.Request) (prompts.Result, error) { return nil, nil })
	for name, want := range map[string]string{"My Server": `the path "/mcp/My Server" must be only a path`, "-talk": `a handle must be a name such as "demo", not "-talk"`} {
		var stderr strings.Builder
		code := single(Config{}, servers.New(servers.Definition{Name: name, Prompts: []servers.Prompt{say}})).Run(t.Context(), []string{"list"}, nil, io.Discard, &stderr)
		if code != 1 || !strings.HasPrefix(stderr.String(), "mcp: "+want) {
			t.Errorf("exit code %d:\n%s\nwant … %s", code, stderr.String(), want)
		}
	}
}
