package mcp_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

const listed = `{
  "name": "Shop",
  "address": ":8080",
  "loopback": false,
  "web": [
    {
      "path": "/mcp/gate",
      "url": "https://shop.example.com/base/mcp/gate",
      "sseURL": "https://shop.example.com/base/mcp/gate/sse",
      "parameters": [],
      "guarded": false,
      "access": "open",
      "guards": [],
      "server": "gateServer",
      "tools": [
        "echo"
      ],
      "resources": [
        "docs://one"
      ],
      "templates": [
        "docs://{id}/many"
      ],
      "prompts": [
        "ask"
      ],
      "refusals": []
    },
    {
      "path": "/teams/{team:[a-z]+}/files/*",
      "url": "https://shop.example.com/base/teams/{team:[a-z]+}/files/*",
      "parameters": [
        "team",
        "*"
      ],
      "guarded": true,
      "access": "guarded",
      "guards": [
        "auth.BearerGuard"
      ],
      "server": "gateServer",
      "tools": [
        "echo"
      ],
      "resources": [
        "docs://one"
      ],
      "templates": [
        "docs://{id}/many"
      ],
      "prompts": [
        "ask"
      ],
      "refusals": []
    }
  ],
  "local": [
    {
      "handle": "gate",
      "server": "gateServer",
      "tools": [
        "echo"
      ],
      "resources": [
        "docs://one"
      ],
      "templates": [
        "docs://{id}/many"
      ],
      "prompts": [
        "ask"
      ],
      "refusals": []
    }
  ]
}
`

func TestListPrintsTheRoutesAsJSON(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{Name: "Shop", Addr: ":8080", URL: "https://shop.example.com/base/"})
	server := &gateServer{}
	app.Router.Web("gate", server).LegacySSE()
	app.Router.Group("/teams/{team:[a-z]+}").Web("/files/*", server).Guard(auth.Bearer(auth.Static("bo " + strings.Repeat("0", 64))))
	app.Router.Local("gate", server)
	code, stdout, stderr := run(t, app, "", "list", "--json", "app/a.go:tool:tools.A")
	if code != 0 || stdout != listed {
		t.Errorf("exit code %d, stdout\n%s", code, stdout)
	}
	if want := "mcp: app/a.go: the tool tools.A is in no server; add &tools.A{} to the Tools of one\n"; stderr != want {
		t.Errorf("stderr is %q, want %q", stderr, want)
	}
}

func TestTheListOfAnAppWithoutRoutesHasEmptyLists(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	code := mcp.New(mcp.Config{Name: "x"}).Run(t.Context(), []string{"list", "--json"}, strings.NewReader(""), &stdout, &stderr)
	if want := "{\n  \"name\": \"x\",\n  \"address\": \"127.0.0.1:8080\",\n  \"loopback\": true,\n  \"web\": [],\n  \"local\": []\n}\n"; code != 0 || stdout.String() != want || stderr.Len() > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
}

func TestWithoutAURLTheListHasTheAddress(t *testing.T) {
	t.Parallel()
	for addr, url := range map[string]string{"127.0.0.1:9": "http://127.0.0.1:9/mcp/gate", ":9": "http://localhost:9/mcp/gate", "0.0.0.0:9": "http://localhost:9/mcp/gate", "10.0.0.7:9": "http://10.0.0.7:9/mcp/gate"} {
		app := mcp.New(mcp.Config{Addr: addr, AllowedHosts: []string{"localhost"}})
		app.Router.Web("gate", &gateServer{})
		if code, stdout, stderr := run(t, app, "", "list", "--json"); code != 0 || !strings.Contains(stdout, `"url": "`+url+`"`) {
			t.Errorf("%s: exit code %d, stderr %q, stdout\n%s", addr, code, stderr, stdout)
		}
	}
}

func TestAnArgumentAfterTheFlagOfTheListIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"list", "--json", "x"}, {"list", "a:b:c", "--json"}} {
		app := mcp.New(mcp.Config{})
		if code, _, stderr := run(t, app, "", args...); code != 2 || !strings.HasPrefix(stderr, "mcp: list: unexpected argument ") {
			t.Errorf("%q: exit code %d, stderr %q", args, code, stderr)
		}
	}
}

// Behind a proxy, and with mcp dev in front of it, a program listens elsewhere than its clients
// connect.
func TestTheLogHasTheURLsThatClientsUse(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                          `(?m)msg=serving url=http://127\.0\.0\.1:\d+/mcp$`,
		"https://example.com/base/": `(?m)msg=serving url=https://example\.com/base/mcp address=127\.0\.0\.1:\d+$`,
	} {
		var log logbook
		app := mcp.New(mcp.Config{Addr: "127.0.0.1:0", URL: url, Logger: log.logger()})
		app.Router.Web("/mcp", boxOf())
		served(t, app, func(*probe) {})
		if !regexp.MustCompile(want).MatchString(log.String()) {
			t.Errorf("with the URL %q the log lacks %s:\n%s", url, want, log.String())
		}
	}
}
