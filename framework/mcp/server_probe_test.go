package mcp_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// A probe is a client of one protocol version that inspects complete answers.
type probe struct {
	t       testing.TB
	handler http.Handler
	path    string
	version string
	header  http.Header // in addition to those that the version requires
	ctx     context.Context
	ids     *atomic.Int64
}

// A reply is the answer to a request.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   string
	notes  []string // notifications, raw
	result string   // raw, "" if there is none
	err    *exchange.Error
}

// probeServer returns a probe of the newest version, of an app with one server.
func probeServer(t testing.TB, config mcp.Config, server servers.Interface) *probe {
	t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	app := mcp.New(config)
	app.Router.Web("/mcp", server)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return probeHandler(t, handler, "/mcp")
}

func probeHandler(t testing.TB, handler http.Handler, path string) *probe {
	return &probe{t: t, handler: handler, path: path, version: "2026-07-28", header: http.Header{}, ctx: t.Context(), ids: &atomic.Int64{}}
}

// as returns a probe of another version. If the version has a handshake, as performs it
// and returns its reply too.
func (p *probe) as(version string) (*probe, reply) {
	p.t.Helper()
	changed := *p
	changed.version, changed.header = version, p.header.Clone()
	if version == "2026-07-28" {
		return &changed, reply{}
	}
	changed.header.Del("Mcp-Protocol-Version")
	welcome := changed.ask("initialize", params{
		"protocolVersion": version, "capabilities": params{}, "clientInfo": params{"name": "probe", "version": "1"},
	})
	if welcome.err != nil {
		p.t.Fatalf("initialize: %+v", welcome.err)
	}
	changed.header.Set("Mcp-Session-Id", welcome.header.Get("Mcp-Session-Id"))
	changed.header.Set("Mcp-Protocol-Version", version)
	changed.tell("notifications/initialized", nil)
	return &changed, welcome
}

// params are those of a request.
type params map[string]any

// ask sends a request.
func (p *probe) ask(method string, given params) reply {
	p.t.Helper()
	return p.send(method, given, params{"id": p.ids.Add(1)})
}

// tell sends a notification.
func (p *probe) tell(method string, given params) reply {
	p.t.Helper()
	return p.send(method, given, params{})
}

// call calls a tool.
func (p *probe) call(tool string, arguments params) reply {
	p.t.Helper()
	if arguments == nil {
		arguments = params{}
	}
	return p.ask("tools/call", params{"name": tool, "arguments": arguments, "_meta": params{"progressToken": "p"}})
}

func (p *probe) send(method string, given, message params) reply {
	p.t.Helper()
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if p.version == "2026-07-28" {
		meta := params{
			"io.modelcontextprotocol/protocolVersion":    p.version,
			"io.modelcontextprotocol/clientInfo":         params{"name": "probe", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": params{},
		}
		if own, ok := given["_meta"].(params); ok {
			maps.Copy(meta, own)
		}
		given = maps.Clone(given)
		if given == nil {
			given = params{}
		}
		given["_meta"] = meta
		header["Mcp-Protocol-Version"], header["Mcp-Method"] = []string{p.version}, []string{method}
		if name, ok := given["name"].(string); ok {
			header["Mcp-Name"] = []string{name}
		}
	}
	maps.Copy(header, p.header)
	message["jsonrpc"], message["method"] = "2.0", method
	if given != nil {
		message["params"] = given
	}
	body, err := codec.Marshal(message)
	if err != nil {
		p.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(p.ctx, http.MethodPost, "http://127.0.0.1:8080"+p.path, bytes.NewReader(body))
	r.Header = header
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return readReply(p.t, w)
}

// withoutLogID returns an answer without the id of its request in the log, which is random.
func withoutLogID(answer string) string {
	return regexp.MustCompile(` \(request [0-9a-f]{8}\)`).ReplaceAllString(answer, "")
}

func readReply(t testing.TB, w *httptest.ResponseRecorder) reply {
	t.Helper()
	out := reply{t: t, status: w.Code, header: w.Header(), body: withoutLogID(w.Body.String())}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		for data := range eventstream.NewReader(strings.NewReader(out.body), 1<<20).Messages() {
			out.read(string(data))
		}
	} else if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		out.read(out.body)
	}
	return out
}

func (r *reply) read(data string) {
	r.t.Helper()
	var message struct {
		Method string          `json:"method"`
		Result codec.Value     `json:"result"`
		Error  *exchange.Error `json:"error"`
	}
	if err := codec.Unmarshal([]byte(data), &message); err != nil {
		r.t.Fatalf("the answer is not a message: %v\n%s", err, data)
	}
	if message.Method != "" {
		r.notes = append(r.notes, data)
		return
	}
	r.result, r.err = string(message.Result), message.Error
}

// decode decodes the result.
func (r reply) decode(v any) {
	r.t.Helper()
	if err := codec.Unmarshal([]byte(r.result), v); err != nil {
		r.t.Fatalf("the result does not decode: %v\n%s", err, r.body)
	}
}

// text returns the text of a tool's answer, and whether it is an error.
func (r reply) text() (string, bool) {
	r.t.Helper()
	var result tools.CallResult
	r.decode(&result)
	var texts []string
	for _, block := range result.Content {
		texts = append(texts, block.Text)
	}
	return strings.Join(texts, "\n"), result.IsError
}

// listed returns the definitions of a list of tools, with its next cursor.
func (r reply) listed() (definitions []tools.Definition, next string) {
	r.t.Helper()
	var result struct {
		Tools      []tools.Definition `json:"tools"`
		NextCursor string             `json:"nextCursor"`
	}
	r.decode(&result)
	return result.Tools, result.NextCursor
}

// names returns the names of the tools of a list.
func (r reply) names() string {
	r.t.Helper()
	definitions, _ := r.listed()
	var names []string
	for _, definition := range definitions {
		names = append(names, definition.Name)
	}
	return strings.Join(names, " ")
}

// A logbook is a log that a test can read.
type logbook struct{ buffertest.Buffer }

func (l *logbook) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// toolbox is a server with given tools.
type toolbox struct {
	servers.Server
	tools []servers.Tool
	boot  func(context.Context) error
}

func (b *toolbox) Tools() []servers.Tool { return b.tools }

func (b *toolbox) Boot(ctx context.Context) error {
	if b.boot == nil {
		return nil
	}
	return b.boot(ctx)
}

// boxOf returns a server with tools.
func boxOf(list ...servers.Tool) *toolbox { return &toolbox{tools: list} }

// saying returns a tool that returns a text.
func saying(name, text string) servers.Tool {
	return doing(name, func(context.Context, *tools.Request) (tools.Result, error) { return tools.Text(text), nil })
}

// doing returns a tool that calls a function.
func doing(name string, handle func(context.Context, *tools.Request) (tools.Result, error)) servers.Tool {
	return tools.New(tools.Definition{Name: name, Description: "A tool."}, handle)
}
