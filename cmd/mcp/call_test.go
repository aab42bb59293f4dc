package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// A fakeServer is an MCP server over HTTP. It answers a method with the result that a function
// returns for the params.
type fakeServer map[string]func(params string) (result string)

func always(result string) func(string) string { return func(string) string { return result } }

// withTool returns a server with the tool t, which a function answers.
func withTool(call func(params string) (result string)) fakeServer {
	return fakeServer{
		"server/discover": always(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`),
		"tools/list":      always(`{"tools":[{"name":"t","inputSchema":{}},{"name":"other","inputSchema":{}}]}`),
		"tools/call":      call,
	}
}

// text returns the result of a tool.
func text(text string) string {
	quoted, _ := json.Marshal(text) // it never fails
	return `{"content":[{"type":"text","text":` + string(quoted) + `}]}`
}

func (s fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || s[request.Method] == nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	answer := s[request.Method](string(request.Params))
	w.Header().Set("Content-Type", "application/json")
	member := "result"
	if strings.HasPrefix(answer, `{"code":`) {
		member = "error"
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%q:%s}`, request.ID, member, answer)
}

// serve returns the URL of a server.
func serve(t *testing.T, s http.Handler) string {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

// callCommand returns the command mcp call, outside of an app.
func callCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return mcpCommand(t, append([]string{"call"}, args...)...)
}

// mcpCommand returns a command of mcp, outside of an app.
func mcpCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), "mcp", args...)
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "GORACE=exitcode=0 "+os.Getenv("GORACE"), "TERM=dumb")
	return command
}

// runCall runs mcp call without a terminal.
func runCall(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return run(t, callCommand(t, args...))
}

// run runs a command without a terminal.
func run(t *testing.T, command *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	if err := command.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out.String(), log.String(), command.ProcessState.ExitCode()
}

func TestAServerThatIsNoneIsExplainedInOneLine(t *testing.T) {
	t.Parallel()
	silent := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the context ends with the connection
		<-r.Context().Done()
	})
	refuse := func(status int, kind, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	for name, test := range map[string]struct {
		server http.Handler
		want   string
		code   int
	}{
		"401":             {refuse(401, "application/json", "{}"), `the server refuses the request: 401 Unauthorized; give an access token with --header "Authorization: Bearer …" or --token-stdin; mcp token:create makes one for an app of yours`, 1},
		"404":             {refuse(404, "text/plain", "not here\x1b[31m"), `the server refuses the request: 404 Not Found: "not here\x1b[31m"; is the path right? mcp list shows the paths of an app`, 1},
		"HTML":            {refuse(200, "text/html", "<p>"), `the answer has the media type "text/html", which MCP doesn't use; is this the URL of an MCP endpoint?`, 1},
		"a moved one":     {http.RedirectHandler("http://127.0.0.1:1/new", http.StatusPermanentRedirect), "the server refuses the request: 308 Permanent Redirect; it has moved to http://127.0.0.1:1/new", 1},
		"a silent one":    {silent, "ADDRESS has no result after 200ms; --timeout sets another time", 1},
		"an error":        {withTool(always(`{"code":-32000,"message":"two\nlines\u001b[31m"}`)), `"two\nlines\x1b[31m" (-32000)`, 1},
		"without a tool":  {fakeServer{"server/discover": always(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)}, `there is no tool "t": there are none`, 1},
		"with sampling":   {withTool(always(`{"code":-32021,"message":"Sampling is needed.","data":{"requiredCapabilities":{"sampling":{}}}}`)), "Sampling is needed. (-32021); mcp call answers questions with forms and pages only", 1},
		"that samples":    {withTool(always(`{"resultType":"input_required","inputRequests":{"q":{"method":"sampling/createMessage","params":{}}}}`)), `the server asks for "sampling/createMessage", which this client doesn't offer`, 1},
		"with a question": {withTool(always(`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{}}}}`)), "the server asks a question, and nobody can answer it; run the command on a terminal, without --no-input and CI", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, test.server)
			timeout := "0"
			if name == "a silent one" {
				timeout = "200ms"
			}
			stdout, stderr, code := runCall(t, url, "t", "--timeout", timeout)
			if want := "mcp: " + strings.ReplaceAll(test.want, "ADDRESS", url) + "\n"; stderr != want || stdout != "" || code != test.code {
				t.Errorf("the exit code is %d, stdout %q, and stderr is\n%s\nwant\n%s", code, stdout, stderr, want)
			}
		})
	}
}

const pageToOpen = `{"mode":"url","message":"Connect\u001b[31m","url":"https://example.com/\u001b[2J"}`

// withPage returns servers of both eras with the tool t, which needs a page. It is called again once the page is opened.
func withPage() map[string]fakeServer {
	modern := withTool(func(params string) string {
		if strings.Contains(params, `"inputResponses":{"q":{"action":"accept"}}`) {
			return text("It is open.")
		}
		return `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":` + pageToOpen + `}}}`
	})
	var calls atomic.Int32
	older := withTool(func(string) string {
		if calls.Add(1) == 1 {
			return `{"code":-32042,"message":"More is needed.","data":{"elicitations":[` + pageToOpen + `]}}`
		}
		return text("It is open.")
	})
	older["server/discover"] = nil
	older["initialize"] = always(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)
	older["notifications/initialized"] = always("null")
	return map[string]fakeServer{"modern": modern, "older": older}
}

// toOpen is the line that says what to open.
const toOpen = `mcp: open "https://example.com/\x1b[2J" in a browser: "Connect\x1b[31m"`

func TestAPageToOpenIsShownWithoutATerminal(t *testing.T) {
	t.Parallel()
	for era, s := range withPage() {
		stdout, stderr, code := runCall(t, serve(t, s), "t")
		want := toOpen + "\nmcp: the call needs a page that you open first; run the command again when you have opened it\n"
		if stdout != "" || stderr != want || code != 1 {
			t.Errorf("%s: the exit code is %d, stdout %q, and stderr is\n%s\nwant\n%s", era, code, stdout, stderr, want)
		}
	}
	two := withTool(always(`{"code":-32042,"message":"More is needed.","data":{"elicitations":[` + pageToOpen + `,` + pageToOpen + `]}}`))
	_, stderr, code := runCall(t, serve(t, two), "t")
	if want := toOpen + "\n" + toOpen + "\nmcp: the call needs pages that you open first; run the command again when you have opened them\n"; stderr != want || code != 1 {
		t.Errorf("two pages: the exit code is %d, and stderr is\n%s\nwant\n%s", code, stderr, want)
	}
}

// withArguments returns a server with a tool and a prompt that require arguments. They repeat them.
func withArguments() fakeServer {
	const schema = `{"type":"object","required":["city","unit","wet"],"properties":{"city":{"type":"string","description":"Where.\\nIn Europe."},` +
		`"unit":{"type":"string","enum":["C","F"]},"wet":{"type":"boolean"},"days":{"type":"integer"}}}`
	s := withTool(func(params string) string { return text(argumentsIn(params)) })
	s["server/discover"] = always(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}}}`)
	s["tools/list"] = always(`{"tools":[{"name":"weather","description":"Tells the weather.\n\nAnd more.","inputSchema":` + schema + `}]}`)
	s["prompts/list"] = always(`{"prompts":[{"name":"review","arguments":[{"name":"code","required":true,"description":"What to review."},{"name":"level"}]}]}`)
	s["prompts/get"] = func(params string) string {
		return `{"messages":[{"role":"user","content":` + strings.TrimPrefix(strings.TrimSuffix(text(argumentsIn(params)), `]}`), `{"content":[`) + `}]}`
	}
	return s
}

// argumentsIn returns the arguments in the params of a request.
func argumentsIn(params string) string {
	var request struct{ Arguments json.RawMessage }
	_ = json.Unmarshal([]byte(params), &request) // then they are empty
	return string(request.Arguments)
}

func TestMissingWordsAreNamedWithoutATerminal(t *testing.T) {
	t.Parallel()
	url := serve(t, withArguments())
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no name":                {nil, `call needs the NAME of a tool ("weather"), or --resource URI, or --prompt NAME`},
		"no name of a prompt":    {[]string{"--prompt"}, `call needs the NAME of a prompt ("review")`},
		"no arguments":           {[]string{"weather"}, `weather: required arguments are missing: "city", "unit", "wet"`},
		"one argument":           {[]string{"weather", "city=Bern", "wet=true"}, `weather: required arguments are missing: "unit"`},
		"an argument is wrong":   {[]string{"weather", "wet=x"}, `weather: the argument "wet" must be true or false, not "x"`},
		"no argument, a prompt":  {[]string{"review", "--prompt", "level=3"}, `review: required arguments are missing: "code"`},
		"an empty URI":           {[]string{"--resource", ""}, "--resource needs the URI of a resource"},
		"JSON without arguments": {[]string{"weather", "{}"}, ""},
	} {
		stdout, stderr, code := runCall(t, append([]string{url}, test.args...)...)
		if test.want == "" {
			if stdout != "{}\n" || code != 0 {
				t.Errorf("%s: the exit code is %d, stdout %q, stderr %q", name, code, stdout, stderr)
			}
			continue
		}
		if want := "mcp: " + test.want + "\nRun \"mcp call --help\" for help.\n"; stderr != want || stdout != "" || code != 2 {
			t.Errorf("%s: the exit code is %d, stdout %q, and stderr is\n%s\nwant\n%s", name, code, stdout, stderr, want)
		}
	}
}

// The challenge says what the token lacks; see the specification, Scope Challenge Handling.
func TestARefusalTellsTheReasonInItsChallenge(t *testing.T) {
	t.Parallel()
	for challenge, want := range map[string]string{
		`Bearer error="insufficient_scope", error_description="It needs notes:write", scope="mcp:use notes:write"`: `403 Forbidden: "It needs notes:write"; give an access token with the scopes "mcp:use notes:write"`,
		`Bearer error_description="Ana \"the\" guest"`:                                                             `403 Forbidden: "Ana \"the\" guest"; the access token isn't valid here, or has too few scopes: mcp auth:check URL --token-stdin says more`,
		`Basic realm="x", Bearer error_description="` + strings.Repeat("x", 999):                                   `403 Forbidden: "` + strings.Repeat("x", 200) + `"…; the access token`,
		``: `403 Forbidden; the access token isn't valid here`,
	} {
		url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Www-Authenticate"] = []string{challenge}
			w.WriteHeader(http.StatusForbidden)
		}))
		_, stderr, code := runCall(t, url, "t", "--header", "Authorization: Bearer x")
		if want = "mcp: the server refuses the request: " + strings.ReplaceAll(want, "URL", url); code != 1 || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: the exit code is %d, and stderr is\n%s\nwant\n%s", challenge, code, stderr, want)
		}
	}
}

func TestAHostIsNotTakenForAHandleOutsideOfAnApp(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"localhost:8080", "mcp.example.com/mcp"} {
		_, stderr, code := runCall(t, word, "t")
		want := "mcp: \"" + word + "\" is not a URL, which begins with https://, or with http:// on this machine; and there is no app here that has a handle of this name\n"
		if !strings.HasPrefix(stderr, want) || code != 2 {
			t.Errorf("%s: the exit code is %d, stderr %q, want %q", word, code, stderr, want)
		}
	}
}

func TestATokenIsNotSentWithoutTLSToAnotherMachine(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := runCall(t, "http://192.0.2.1/mcp", "t", "--header", "Authorization: Bearer x")
	if line, _, _ := strings.Cut(stderr, "\n"); code != 2 || stdout != "" || !strings.HasPrefix(line, "mcp: ") || !strings.Contains(line, "https://") {
		t.Errorf("the exit code is %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	_, stderr, code = runCall(t, serve(t, withTool(always(text("x")))), "t", "--header", "Authorization: Bearer x", "--timeout", "-1s")
	if code != 2 || !strings.HasPrefix(stderr, "mcp: --timeout -1s is negative; 0 waits forever\n") {
		t.Errorf("the exit code is %d, stderr %q", code, stderr)
	}
	if stdout, stderr, code := runCall(t, serve(t, withTool(always(text("x")))), "t", "--header", "Authorization: Bearer x"); code != 0 || stdout != "x\n" {
		t.Errorf("on this machine the exit code is %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
