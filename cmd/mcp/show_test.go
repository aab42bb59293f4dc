package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// describing returns a server of both eras with instructions and one tool.
func describing() fakeServer {
	s := listing(soundTool, muteTool)
	s["server/discover"] = always(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"Search first.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop-server","version":"1"}}}`)
	s["initialize"] = always(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"older-server","version":"1"}}`)
	return s
}

const shown = `# shop-server 1

SERVER, as a client of 2026-07-28 gets it.

## Instructions

Search first.

## Tools

### search

Searches the shop.

Parameters: none
Size: 129 bytes, about 23 tokens

### mute

Parameters: none
Size: 92 bytes, about 17 tokens

LIST         ENTRIES     BYTES   TOKENS
instructions       1        13       ~4
tools              2       221      ~40
prompts            0         0
resources          0         0
templates          0         0
total              3       234      ~44
The tokens are an estimate: a quarter of the bytes of the instructions, and of
the names, descriptions and schemas of arguments of the tools.
`

func TestShowPrintsWhatAModelSees(t *testing.T) {
	t.Parallel()
	url := serve(t, describing())
	stdout, stderr, code := run(t, mcpCommand(t, "show", url))
	if want := strings.Replace(shown, "SERVER", url, 1); stdout != want || stderr != "" || code != 0 {
		t.Errorf("exit code %d, stderr %s, stdout\n%s\nwant\n%s", code, stderr, stdout, want)
	}
	stdout, stderr, code = run(t, mcpCommand(t, "show", url, "mute"))
	if !strings.Contains(stdout, "\nInput schema:\n\n```json\n{\n  \"type\": \"object\",") || strings.Contains(stdout, "### search") || code != 0 {
		t.Errorf("exit code %d, stderr %s, stdout\n%s", code, stderr, stdout)
	}
}

func TestShowPrintsAnObjectForPrograms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "2 2 Search first.", "search": "1 1 "} {
		args := []string{"show", serve(t, describing()), "--json"}
		if name != "" {
			args = append(args, name)
		}
		stdout, stderr, code := run(t, mcpCommand(t, args...))
		var printed struct {
			Server, ProtocolVersion, Instructions string
			ServerInfo                            struct{ Name string }
			Tools                                 []struct {
				Bytes, EstimatedTokens int
				Definition             struct{ Name, Description string }
			}
			Sizes []struct{ List string }
		}
		if err := json.Unmarshal([]byte(stdout), &printed); err != nil || code != 0 || stderr != "" {
			t.Fatalf("%v: exit code %d, stderr %s, stdout\n%s", err, code, stderr, stdout)
		}
		got := fmt.Sprintln(printed.Server == args[1], printed.ProtocolVersion, printed.ServerInfo.Name, printed.Tools[0])
		if got != "true 2026-07-28 shop-server {129 23 {search Searches the shop.}}\n" || !strings.HasPrefix(fmt.Sprint(len(printed.Tools), " ", len(printed.Sizes)-3, " ", printed.Instructions), want) {
			t.Errorf("%q: it is %swant %s, and stdout is\n%s", name, got, want, stdout)
		}
	}
}

func TestMistakesInTheArgumentsOfShow(t *testing.T) {
	t.Parallel()
	url := serve(t, describing())
	for _, test := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"a", "b", "c"}, `show: unexpected argument "c"`, 2},
		{[]string{"demo", "-H", "A: b"}, "--header and --token-stdin are for the URL of a server; a server on stdio has no headers", 2},
		{[]string{"--token-stdin"}, "--header and --token-stdin are for the URL of a server; a server on stdio has no headers", 2},
		{[]string{"ftp://127.0.0.1/mcp"}, `"ftp://127.0.0.1/mcp" must begin with https://, or with http:// on this machine`, 2},
		{[]string{"127.0.0.1:80/mcp"}, `"127.0.0.1:80/mcp" is not a URL, which begins with https://`, 2},
		{[]string{url, "--protocol-version", "2026"}, `there is no protocol version "2026"; there are: "2026-07-28"`, 2},
		{[]string{url, "serch"}, `there is no tool, prompt or resource "serch"; did you mean "search"?`, 1},
		{[]string{url, "--protocol-version", "2024-11-05"}, "the server doesn't speak the protocol version 2024-11-05; it offers 2025-11-25", 1},
		{[]string{"http://127.0.0.1:1/mcp"}, "127.0.0.1:1 refuses the connection", 1},
		{[]string{serve(t, http.NotFoundHandler())}, "the server refuses the request: 404 Not Found", 1},
		{nil, "no app found in ", 1},
	} {
		if stdout, stderr, code := run(t, mcpCommand(t, append([]string{"show"}, test.args...)...)); code != test.code || stdout != "" || !strings.HasPrefix(stderr, "mcp: "+test.want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %s", test.args, code, stdout, stderr)
		}
	}
}
