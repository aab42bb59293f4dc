package mcp_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// A pipeline is a program that serves the fixture server on stdio, with a client at its
// streams.
type pipeline struct {
	in    *io.PipeWriter
	lines chan string // what the program writes to stdout
	done  chan struct{}
	code  int // its exit code, after done is closed
	stop  context.CancelFunc
	log   *logBuffer
}

// startPipeline runs "start fixture".
func startPipeline(t *testing.T, config mcp.Config, server servers.Interface) *pipeline {
	t.Helper()
	return startHandle(t, config, func(router *mcp.Router) { router.Local("fixture", server) })
}

// startPipelineAs runs "start fixture" for a principal.
func startPipelineAs(t *testing.T, principal exchange.Principal, server servers.Interface) *pipeline {
	t.Helper()
	return startHandle(t, mcp.Config{}, func(router *mcp.Router) { router.Local("fixture", server).As(principal) })
}

func startHandle(t *testing.T, config mcp.Config, route func(*mcp.Router)) *pipeline {
	t.Helper()
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	p := &pipeline{in: stdin, lines: make(chan string, 4096), done: make(chan struct{}), stop: stop, log: &logBuffer{}}
	config.Logger = slog.New(slog.NewTextHandler(p.log, nil))
	app := mcp.New(config)
	route(app.Router)
	go func() {
		defer close(p.done)
		p.code = app.Run(ctx, []string{"start", "fixture"}, in, out, p.log)
		_ = out.Close()
	}()
	go func() {
		defer close(p.lines)
		reader := bufio.NewReader(stdout)
		for {
			line, err := reader.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		stop()
		_ = stdin.Close()
		p.exit(t)
	})
	return p
}

// send writes lines.
func (p *pipeline) send(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			t.Fatalf("writing %.100s: %v", line, err)
		}
	}
}

// next returns the next line that the program writes.
func (p *pipeline) next(t *testing.T) string {
	t.Helper()
	select {
	case line := <-p.lines:
		return withoutLogID(line)
	case <-time.After(time.Minute):
		t.Fatal("no answer")
		return ""
	}
}

// ask sends one message and returns the next line.
func (p *pipeline) ask(t *testing.T, message string) string {
	t.Helper()
	p.send(t, message)
	return p.next(t)
}

// quiet checks that the test has read all output.
func (p *pipeline) quiet(t *testing.T) {
	t.Helper()
	select {
	case line, open := <-p.lines:
		if open {
			t.Errorf("the program writes %s, want nothing", line)
		}
	default:
	}
}

// end closes stdin, and returns the exit code and the time until the program ended.
func (p *pipeline) end(t *testing.T) (code int, took time.Duration) {
	t.Helper()
	start := time.Now()
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	return p.exit(t), time.Since(start)
}

// exit waits for the end of the program.
func (p *pipeline) exit(t *testing.T) int {
	t.Helper()
	select {
	case <-p.done:
		return p.code
	case <-time.After(time.Minute):
		t.Error("the program doesn't end")
		return -1
	}
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	buffertest.Buffer
	muted atomic.Bool
}

func (b *logBuffer) Write(p []byte) (int, error) {
	if b.muted.Load() {
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// mute drops the log and all later lines.
func (b *logBuffer) mute() {
	b.muted.Store(true)
	b.Reset()
}

// count returns the number of lines that have all of the texts.
func (b *logBuffer) count(texts ...string) (n int) {
	for line := range strings.Lines(b.String()) {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(line, text)
		}
		if all {
			n++
		}
	}
	return n
}

// modernCall is a call of a modern client on stdio, where no header mirrors it.
func modernCall(id, tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,` + modernMeta + `}}`
}

// legacyCall is a call of an older client.
func legacyCall(id, tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

// cancelled is the notification that ends a call.
func cancelled(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"test"}}`
}

func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
}
