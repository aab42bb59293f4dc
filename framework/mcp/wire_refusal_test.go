package mcp_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// Without such a line, the log wouldn't show why a client gets no answer.
func TestEachRefusedRequestIsOneLineOfTheLog(t *testing.T) {
	t.Parallel()
	modern := http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"ping"}}
	for name, test := range map[string]struct {
		method, path, body string
		header             http.Header
		status             int
		want               []string
	}{
		"a path without a server": {"POST", "/mcp/dmo?key=secret", `{}`, modern, 404, []string{`level=WARN`, `status=404 http=POST path=/mcp/dmo `, `reason="There is no MCP server`}},
		"an encoded slash":        {"POST", "/mcp%2fdemo", `{}`, modern, 404, []string{`status=404`}},
		"another host":            {"POST", "http://evil.example/mcp/demo", `{}`, modern, 403, []string{`status=403`, `evil.example`}},
		"no JSON":                 {"POST", "/mcp/demo", `x`, http.Header{}, 415, []string{`status=415`, `reason="Content-Type must be`}},
		"a body that isn't JSON":  {"POST", "/mcp/demo", `{"a"`, modern, 400, []string{`status=400`, `reason="Parse error`}},
		"no session": {"POST", "/mcp/demo", legacyCall(`1`, "echo", `{}`), http.Header{"Content-Type": {"application/json"}}, 400, []string{
			`status=400`, `reason="Invalid request: there is no Mcp-Session-Id`,
		}},
		"an unknown session":                   {"GET", "/mcp/demo", ``, http.Header{"Accept": {"text/event-stream"}, "Mcp-Session-Id": {"gone"}}, 404, []string{`status=404 http=GET`, `reason="The session is not known`}},
		"a method that only some servers have": {"PUT", "/mcp/demo", ``, http.Header{}, 405, []string{`level=DEBUG`, `status=405 http=PUT`}},
		"an unknown method": {"POST", "/mcp/demo", `{"jsonrpc":"2.0","id":1,"method":"none","params":{` + modernMeta + `}}`,
			http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"none"}}, 404, []string{`method=none`, `reason="Method not found: none"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &logBuffer{}
			app := mcp.New(mcp.Config{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			app.Router.Web("demo", newWireServer())
			handler, err := app.Handler()
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, strings.NewReader(test.body))
			if r.Host == "example.com" {
				r.Host = "127.0.0.1"
			}
			r.Header = test.header.Clone()
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("the status is %d, want %d: %s", w.Code, test.status, w.Body)
			}
			if lines := strings.Count(log.String(), "\n"); lines != 1 || log.count(test.want...) != 1 || strings.Contains(log.String(), "secret") {
				t.Errorf("the log has\n%swant one line with %q", log.String(), test.want)
			}
		})
	}
}

func TestARefusedLineIsOneLineOfTheLog(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, newWireServer())
	p.ask(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call"`)
	if p.log.count(`level=WARN msg="a request was refused"`, `reason="Parse error`) != 1 {
		t.Errorf("the log has\n%s", p.log)
	}
}

func TestDebugLogsReadsAndGets(t *testing.T) {
	t.Parallel()
	log := &logBuffer{}
	app := mcp.New(mcp.Config{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), MaxCalls: 1})
	app.Router.Local("gate", &gateServer{})
	messages := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"docs://7/many",` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"ask",` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"docs://none\u001b[2J",` + modernMeta + `}}`,
	}, "\n")
	app.Run(t.Context(), []string{"start", "gate"}, strings.NewReader(messages), io.Discard, io.Discard)
	for _, want := range []string{
		`level=DEBUG msg=call server=gate method=resources/read of=docs://{id}/many outcome=ok`,
		`level=DEBUG msg=call server=gate method=prompts/get of=ask outcome=ok`,
		`level=DEBUG msg=call server=gate method=tools/list outcome=ok`,
		`level=INFO msg=call server=gate method=resources/read outcome=refused`,
		`reason="Resource not found: docs://none` + "\uFFFD" + `[2J" request=`,
	} {
		if log.count(want) != 1 {
			t.Errorf("the log has\n%swant\n%s", log, want)
		}
	}
}

// A client on the same machine learns the paths; other clients don't.
func TestA404ListsTheRoutesOnTheSameMachine(t *testing.T) {
	t.Parallel()
	serve := func(config mcp.Config) string {
		config.Logger = slog.New(slog.DiscardHandler)
		app := mcp.New(config)
		app.Router.Web("demo", newWireServer())
		app.Router.Group("/v1").Web("/two", newWireServer())
		handler, err := app.Handler()
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return server.URL
	}
	get := func(url string, header http.Header) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp/dmo", nil)
		if err != nil {
			t.Fatal(err)
		}
		if host := header.Get("Host"); host != "" {
			r.Host = host
		}
		r.Header = header
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = w.Body.Close() }()
		text, _ := io.ReadAll(w.Body)
		if w.StatusCode != http.StatusNotFound {
			t.Errorf("the status is %d", w.StatusCode)
		}
		return string(text)
	}
	const alone = `There is no MCP server at the path "/mcp/dmo".`
	const all = alone + " The routes are: POST /mcp/demo, POST /v1/two.\n"
	public := mcp.Config{Addr: net.JoinHostPort("0.0.0.0", "8080"), URL: "https://127.0.0.1"}
	debug := public
	debug.Debug = true
	local := serve(mcp.Config{AllowedHosts: []string{"mcp.example.com"}})
	for name, test := range map[string]struct{ got, want string }{
		"on this machine":         {get(local, http.Header{}), all},
		"through a proxy":         {get(local, http.Header{"X-Forwarded-For": {"192.0.2.1"}}), alone + "\n"},
		"by another name":         {get(local, http.Header{"Host": {"mcp.example.com"}}), alone + "\n"},
		"at a public address":     {get(serve(public), http.Header{}), alone + "\n"},
		"in Debug at any address": {get(serve(debug), http.Header{}), all},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", name, test.got, test.want)
		}
	}
}
