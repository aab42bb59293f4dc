package mcp_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type echoIn struct {
	Message string   `json:"message"`
	Repeat  int      `json:"repeat"`
	Tags    []string `json:"tags"`
}

type echoOut struct {
	Message string   `json:"message"`
	Count   int      `json:"count"`
	Tags    []string `json:"tags"`
}

type benchServer struct{ servers.Server }

func (*benchServer) Tools() []servers.Tool {
	return []servers.Tool{tools.Func("echo", "Echoes.", func(_ context.Context, in echoIn) (echoOut, error) {
		return echoOut{in.Message, in.Repeat, in.Tags}, nil
	})}
}

const benchCall = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello","repeat":2,"tags":["a","b"]},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// discard is a response writer that allocates nothing.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

// body is a request body that can be read again.
type body struct{ bytes.Reader }

func (*body) Close() error { return nil }

func BenchmarkCall(b *testing.B) {
	app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Router.Web("/mcp", &benchServer{})
	handler, err := app.Handler()
	if err != nil {
		b.Fatal(err)
	}
	in, message := &body{}, []byte(benchCall)
	r, _ := http.NewRequest(http.MethodPost, "http://127.0.0.1:8080/mcp", nil)
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"},
	}
	r.Body, r.ContentLength = in, int64(len(benchCall))
	w := &discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		in.Reset(message)
		clear(w.header)
		handler.ServeHTTP(w, r)
	}
}
