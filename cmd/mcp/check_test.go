package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// listing returns a server with lists, on two pages of tools.
func listing(tools ...string) fakeServer {
	pages := 0
	return fakeServer{
		"server/discover": always(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"1"}}}`),
		"tools/list": func(string) string {
			if pages++; pages%2 == 1 {
				return `{"tools":[` + tools[0] + `],"nextCursor":"2"}`
			}
			return `{"tools":[` + strings.Join(tools[1:], ",") + `]}`
		},
		"resources/list":           always(`{"resources":[{"uri":"a://b","name":"b"}]}`),
		"resources/templates/list": always(`{"code":-32601,"message":"no templates"}`),
	}
}

const (
	soundTool  = `{"name":"search","description":"Searches the shop.","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}`
	muteTool   = `{"name":"mute","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}`
	oldTool    = `{"name":"old","description":"Is old.","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"outputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}}`
	brokenTool = `{"name":"a.list","description":"Searches the shop","inputSchema":{"type":"object","properties":{"ids":{"type":"array"}},"required":["ids"],"additionalProperties":false}}`
)

const checked = `SERVER

LIST       ENTRIES     BYTES   TOKENS
tools            3       390      ~72
resources        1        26
templates        0         0
prompts          0         0
The tokens are an estimate: a quarter of the bytes of names, descriptions and schemas of arguments.

CLIENT                 REFUSES          BECAUSE OF
Claude API             nothing
Claude Desktop         the whole list   tool-name-characters in a.list
Claude Code            nothing
OpenAI API             nothing
Codex                  the whole list   tool-name-characters in a.list
Gemini API             the whole list   array-without-items in a.list
VS Code                1 tool           array-without-items in a.list
Copilot CLI            the whole list   tool-name-characters in a.list
Copilot in JetBrains   nothing
Cursor                 1 tool           tool-name-characters in a.list
Windsurf               nothing
OpenCode               nothing
OpenHands              nothing
Kiro                   nothing
Zed                    nothing
TypeScript SDK 1       nothing

✗ tool-name-characters: the name has a character other than letters, digits, _ and -
  a.list /name
  use only letters, digits, _ and - in it

✗ array-without-items: an array has no items
  a.list /inputSchema/properties/ids
  say what the items are, such as schema.Strings

! without a description: mute

! nearly the same description (100 % of the words): search, a.list
`

func TestCheckPrintsWhatEachClientRefuses(t *testing.T) {
	t.Parallel()
	url := serve(t, listing(soundTool, muteTool, brokenTool))
	stdout, stderr, code := run(t, mcpCommand(t, "check", url))
	if want := strings.Replace(checked, "SERVER", url, 1); code != 1 || stdout != want || stderr != "" {
		t.Errorf("exit code %d, stderr %s, stdout\n%s\nwant\n%s", code, stderr, stdout, want)
	}
}

func TestCheckPrintsTenPairsOfLikeTools(t *testing.T) {
	t.Parallel()
	var tools []string
	for n := range 6 { // which are 15 pairs
		tools = append(tools, strings.Replace(soundTool, "search", fmt.Sprintf("search_%d", n), 1))
	}
	stdout, stderr, code := run(t, mcpCommand(t, "check", serve(t, listing(tools...))))
	if got := strings.Count(stdout, "nearly the same description"); code != 0 || got != 10 || !strings.HasSuffix(stdout, "\n  and 5 other pairs\n") {
		t.Errorf("exit code %d, stderr %s, stdout\n%s", code, stderr, stdout)
	}
}

func TestCheckFailsOnlyForRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args  []string
		tools []string
		code  int
	}{
		{nil, []string{soundTool}, 0},
		{nil, []string{soundTool, muteTool}, 0},
		{nil, []string{soundTool, brokenTool}, 1},
		{nil, []string{soundTool, oldTool}, 1}, // which loses only the tool
		{[]string{"--ignore", "array-without-items"}, []string{soundTool, brokenTool}, 1},
		{[]string{"--ignore", "array-without-items", "--ignore", "tool-name-characters"}, []string{soundTool, brokenTool}, 0},
	} {
		stdout, stderr, code := run(t, mcpCommand(t, append([]string{"check", serve(t, listing(test.tools...)), "--json"}, test.args...)...))
		var printed struct {
			Servers []struct {
				Entry    string
				Findings []struct{ Rule, Tool, At, Fix string }
			}
		}
		if err := json.Unmarshal([]byte(stdout), &printed); err != nil || len(printed.Servers) != 1 || printed.Servers[0].Entry != "shop" {
			t.Errorf("%v, stdout\n%s", err, stdout)
		}
		if code != test.code || stderr != "" {
			t.Errorf("%q: exit code %d, stderr %s, stdout\n%s", test.args, code, stderr, stdout)
		}
	}
}

func TestMistakesInTheArgumentsOfCheck(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		`mcp: there is no rule "array-without-item"; did you mean "array-without-items"?`:                           {"http://127.0.0.1:1/mcp", "--ignore", "array-without-item"},
		`mcp: check: unexpected argument "b"`:                                                                       {"a", "b"},
		`mcp: --header and --token-stdin are for the URL of a server; a server on stdio has no headers`:             {"demo", "-H", "A: b"},
		`mcp: "ftp://127.0.0.1/mcp" must begin with https://, or with http:// on this machine`:                      {"ftp://127.0.0.1/mcp"},
		`mcp: "127.0.0.1:80/mcp" is not a URL, which begins with https://, or with http:// on this machine; and th`: {"127.0.0.1:80/mcp"},
	} {
		if _, stderr, code := run(t, mcpCommand(t, append([]string{"check"}, args...)...)); code != 2 || !strings.HasPrefix(stderr, want) {
			t.Errorf("%q: exit code %d, stderr %s", args, code, stderr)
		}
	}
	for want, args := range map[string][]string{
		"mcp: no app found in ":                   nil,
		"mcp: 127.0.0.1:1 refuses the connection": {"http://127.0.0.1:1/mcp"},
	} {
		if _, stderr, code := run(t, mcpCommand(t, append([]string{"check"}, args...)...)); code != 1 || !strings.HasPrefix(stderr, want) {
			t.Errorf("%q: exit code %d, stderr %s", args, code, stderr)
		}
	}
}

// A stranger's lists can't fill the memory, nor the terminal.
func TestTheListsOfAStrangerAreBounded(t *testing.T) {
	t.Parallel()
	endless := listing(soundTool)
	endless["tools/list"] = always(`{"tools":[` + strings.Repeat(`{},`, 999) + `{}],"nextCursor":"again"}`)
	if _, stderr, code := run(t, mcpCommand(t, "check", serve(t, endless))); code != 1 || !strings.HasPrefix(stderr, "mcp: the list of tools is too long") {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	name := strings.Repeat("x", 5000)
	long := listing(fmt.Sprintf(`{"name":"\u001b[31m%s","inputSchema":{"type":"object"}}`, name))
	stdout, _, _ := run(t, mcpCommand(t, "check", serve(t, long)))
	if strings.Contains(stdout, "\x1b") || strings.Contains(stdout, strings.Repeat("x", 300)) {
		t.Errorf("stdout\n%.3000s", stdout)
	}
	if _, stderr, _ := run(t, mcpCommand(t, "check", serve(t, http.NotFoundHandler()))); !strings.Contains(stderr, "is the path right? mcp list shows the paths of an app") {
		t.Errorf("stderr %s", stderr)
	}
}
