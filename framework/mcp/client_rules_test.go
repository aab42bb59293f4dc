package mcp_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// taking returns a tool with a schema of its arguments.
func taking(name, schema string) servers.Tool {
	return tools.New(tools.Definition{Name: name, Description: "A tool.", InputSchema: []byte(schema)},
		func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text(""), nil })
}

const listOfAnything = `{"type":"object","properties":{"ids":{"type":"array"}}}`

// patient is a server that ignores rules.
type patient struct {
	toolbox
	ignored []string
}

func (p *patient) IgnoredRules() []string { return p.ignored }

// warnings returns the warnings about clients in a log: the rules, with the tools.
func warnings(log string) string {
	var all []string
	for _, match := range regexp.MustCompile(`msg="AI clients refuse tools: .* rule=(\S+) refused_by="[^"]+"(?: tools=("[^"]+"|\S+) at=\S+)?\n`).FindAllStringSubmatch(log, -1) {
		all = append(all, match[1]+"="+strings.Trim(match[2], `"`))
	}
	return strings.Join(all, "; ")
}

func TestAServerThatOpensWarnsOnceForEachRuleOfClients(t *testing.T) {
	t.Parallel()
	many := make([]servers.Tool, 12)
	for i := range many {
		many[i] = taking(fmt.Sprintf("t%d", i), listOfAnything)
	}
	for _, test := range []struct {
		tools   []servers.Tool
		ignored []string
		want    string
	}{
		{[]servers.Tool{taking("a", `{"type":"object","properties":{"ids":{"type":"array","items":{}}}}`)}, nil, ""},
		{[]servers.Tool{taking("a", listOfAnything), taking("b.c", listOfAnything)}, nil, "array-without-items=a, b.c; tool-name-characters=b.c"},
		{[]servers.Tool{taking("a", listOfAnything), taking("b.c", listOfAnything)}, []string{"array-without-items"}, "tool-name-characters=b.c"},
		{many, nil, "array-without-items=t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 others"},
		{[]servers.Tool{taking("advice", `{"type":"object","properties":{"a":{"type":["string","null"],"format":"email"}}}`)}, nil, ""},
	} {
		var log logbook
		app := mcp.New(mcp.Config{Logger: log.logger()})
		server := &patient{toolbox: *boxOf(test.tools...), ignored: test.ignored}
		app.Router.Web("/a", server)
		app.Router.Web("/b", server)
		app.Router.Local("demo", server)
		if err := app.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := warnings(log.String()); got != test.want {
			t.Errorf("the warnings are %s, want %s:\n%s", got, test.want, log.String())
		}
		if code, stdout, _ := run(t, app, "", "list", "--json"); code != 0 || strings.Contains(stdout, `"rule": "array-without-items"`) != strings.Contains(test.want, "array-without-items") {
			t.Errorf("the list is\n%s", stdout)
		}
	}
}

func TestTheListOfAnAppHasWhatClientsRefuse(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Local("demo", boxOf(taking("a.b", `{"type":"object","properties":{}}`)))
	_, stdout, _ := run(t, app, "", "list", "--json")
	const want = `
      "refusals": [
        {
          "rule": "tool-name-characters",
          "tool": "a.b",
          "at": "/name",
          "problem": "the name has a character other than letters, digits, _ and -",
          "fix": "use only letters, digits, _ and - in it",
          "refusedBy": [
            {
              "client": "Claude Desktop",
              "loses": "list"
            },`
	if !strings.Contains(stdout, want) {
		t.Errorf("the list is\n%s", stdout)
	}
}

// Claude Code and Cursor put the name of the entry, which is the handle, in front of names.
func TestTheNamesOfToolsAreCheckedWithTheHandle(t *testing.T) {
	t.Parallel()
	for handle, want := range map[string]string{
		"demo":                  "",
		"demo-of-long-names":    "tool-name-with-prefix-over-64=" + strings.Repeat("a", 40),
		"demo-of-longer-names-": "tool-name-with-prefix-over-64=" + strings.Repeat("a", 40) + "; tool-name-with-server-over-59=" + strings.Repeat("a", 40),
	} {
		var log logbook
		app := mcp.New(mcp.Config{Logger: log.logger()})
		server := boxOf(taking(strings.Repeat("a", 40), `{"type":"object","properties":{}}`))
		app.Router.Local("x", server)
		app.Router.Local(handle, server)
		if err := app.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := warnings(log.String()); got != want {
			t.Errorf("with the handle %s the warnings are %s, want %s", handle, got, want)
		}
	}
}

// OrderServer has no handle, so its entry is called order.
type OrderServer struct{ toolbox }

func TestTheNamesOfToolsAreCheckedWithTheNameOfAServerWithoutAHandle(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]string{50: "", 53: "tool-name-with-prefix-over-64=" + strings.Repeat("a", 53)} {
		var log logbook
		app := mcp.New(mcp.Config{Logger: log.logger()})
		app.Router.Web("/mcp", &OrderServer{*boxOf(taking(strings.Repeat("a", length), `{"type":"object","properties":{}}`))})
		if err := app.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := warnings(log.String()); got != want {
			t.Errorf("with %d characters the warnings are %s, want %s", length, got, want)
		}
	}
}

func TestAToolThatIsAddedLaterIsChecked(t *testing.T) {
	t.Parallel()
	var log logbook
	server := boxOf(taking("a", listOfAnything))
	server.boot = func(context.Context) error { return server.AddTool(taking("b", listOfAnything)) }
	probeServer(t, mcp.Config{Logger: log.logger()}, server)
	if err := server.AddTool(taking("c", listOfAnything)); err != nil {
		t.Fatal(err)
	}
	if got, want := warnings(log.String()), "array-without-items=a, b; array-without-items=c"; got != want {
		t.Errorf("the warnings are %s, want %s", got, want)
	}
}

func TestARuleThatDoesNotExistCannotBeIgnored(t *testing.T) {
	t.Parallel()
	err := mcp.Validate(&patient{ignored: []string{"array-without-item", "x", "tools-over-80"}})
	want := "the server patient: IgnoredRules: there is no rule \"array-without-item\"; did you mean \"array-without-items\"?\n" +
		"the server patient: IgnoredRules: there is no rule \"x\"; the guide lists the rules (docs/guide/clients.md)"
	if err == nil || err.Error() != want {
		t.Errorf("the error is\n%v\nwant\n%s", err, want)
	}
}
