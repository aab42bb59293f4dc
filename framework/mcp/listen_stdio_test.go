package mcp_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// overStdio runs a test with a client of a server on stdio.
func overStdio(t *testing.T, config mcp.Config, test func(t *testing.T, room *newsroom, p *pipeline)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room := &newsroom{}
		p := startPipeline(t, config, room)
		synctest.Wait() // it is mapped now
		test(t, room, p)
	})
}

// silent checks that the program writes nothing.
func (p *pipeline) silent(t *testing.T) {
	t.Helper()
	synctest.Wait()
	p.quiet(t)
}

// gets checks the next lines.
func (p *pipeline) gets(t *testing.T, want ...string) {
	t.Helper()
	for _, line := range want {
		if got := p.next(t); got != line {
			t.Errorf("the program writes\n%s\nwant\n%s", got, line)
		}
	}
	p.silent(t)
}

func TestStreamsOnStdioAreDistinguished(t *testing.T) {
	overStdio(t, mcp.Config{}, func(t *testing.T, room *newsroom, p *pipeline) {
		p.send(t, listenMessage(`1`, `{"toolsListChanged":true}`))
		p.gets(t, acknowledged(`1`, `{"toolsListChanged":true}`))
		p.send(t, listenMessage(`"1"`, `{"promptsListChanged":true,"resourceSubscriptions":["docs://logo","docs://none"]}`))
		p.gets(t, acknowledged(`"1"`, `{"promptsListChanged":true,"resourceSubscriptions":["docs://logo"]}`))
		must(t, room.AddTool(saying("late", "")))
		p.gets(t, listChanged(`1`, "tools"))
		must(t, room.AddPrompt(wirePrompt("late", saysPrompt(""))))
		p.gets(t, listChanged(`"1"`, "prompts"))
		room.ResourceUpdated("docs://logo")
		p.gets(t, updated(`"1"`, "docs://logo"))

		if got := p.ask(t, listenMessage(`1`, `{}`)); !strings.Contains(got, `"id":1,"error":{"code":-32600,"message":"Invalid request: the id 1 belongs to a request that is still running"`) {
			t.Errorf("an id that a stream has gets %s", got)
		}
		if got := p.ask(t, modernCall(`1`, "read", `{}`)); !strings.Contains(got, `"code":-32600`) {
			t.Errorf("a call of the id of a stream gets %s", got)
		}
		p.send(t, cancelled(`1`))
		p.silent(t)
		must(t, room.AddTool(saying("later", "")))
		p.silent(t)
		room.ResourceUpdated("docs://logo")
		p.gets(t, updated(`"1"`, "docs://logo"))
		if got := p.ask(t, modernCall(`1`, "read", `{}`)); !strings.Contains(got, "Nothing new.") {
			t.Errorf("a call of the id of a stream that was cancelled gets %s", got)
		}
	})
}

// Streams don't count as calls: with a limit of one call, the maximum number of streams
// is open, and the call is answered.
func TestStreamsOnStdioTakeNoPlaceOfACall(t *testing.T) {
	overStdio(t, mcp.Config{MaxCalls: 1}, func(t *testing.T, room *newsroom, p *pipeline) {
		for i := range 64 {
			p.send(t, listenMessage(fmt.Sprint(i), `{"toolsListChanged":true}`))
			p.gets(t, acknowledged(fmt.Sprint(i), `{"toolsListChanged":true}`))
		}
		if got := p.ask(t, listenMessage(`64`, `{}`)); !strings.Contains(got, `"id":64,"error":{"code":-32603,"message":"The connection has 64 streams open`) {
			t.Errorf("one stream too many gets %s", got)
		}
		if got := p.ask(t, modernCall(`"call"`, "read", `{}`)); !strings.Contains(got, "Nothing new.") {
			t.Errorf("a call gets %s", got)
		}
		must(t, room.AddTool(saying("late", "")))
		heard := map[string]bool{}
		for range 64 {
			heard[p.next(t)] = true
		}
		if p.silent(t); len(heard) != 64 {
			t.Errorf("%d streams are notified, want 64", len(heard))
		}
		p.send(t, cancelled(`7`))
		p.send(t, listenMessage(`64`, `{}`))
		p.gets(t, acknowledged(`64`, `{}`))
	})
}

func TestStreamsOnStdioEndWithAnAnswer(t *testing.T) {
	for name, end := range map[string]func(p *pipeline){
		"stdin ends":             func(p *pipeline) { _ = p.in.Close() },
		"the program is to stop": func(p *pipeline) { p.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			overStdio(t, mcp.Config{}, func(t *testing.T, room *newsroom, p *pipeline) {
				p.send(t, listenMessage(`"a"`, `{"toolsListChanged":true}`))
				p.gets(t, acknowledged(`"a"`, `{"toolsListChanged":true}`))
				start := time.Now()
				end(p)
				if got := p.next(t); got != farewell(`"a"`, newsroomInfo) {
					t.Errorf("in the end the program writes %s", got)
				}
				if code := p.exit(t); code != 0 || time.Since(start) > 0 {
					t.Errorf("the program ends with %d after %s", code, time.Since(start))
				}
				if err := room.AddTool(saying("late", "")); !errors.Is(err, servers.ErrNotServing) {
					t.Errorf("a tool that is added afterwards results in %v", err)
				}
				p.silent(t)
			})
		})
	}
}

// A gate is a stdout that blocks while it is closed.
type gate struct {
	lock  sync.Mutex
	shut  chan struct{} // nil while it is open
	lines []string
}

func (g *gate) Write(line []byte) (int, error) {
	g.lock.Lock()
	shut := g.shut
	g.lock.Unlock()
	if shut != nil {
		<-shut
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	g.lines = append(g.lines, strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// close shuts the gate until open is called.
func (g *gate) close() (open func()) {
	g.lock.Lock()
	defer g.lock.Unlock()
	shut := make(chan struct{})
	g.shut = shut
	return func() {
		g.lock.Lock()
		defer g.lock.Unlock()
		g.shut = nil
		close(shut)
	}
}

// A client on stdio that doesn't read doesn't delay changes. After a while the server
// stops notifying it.
func TestAClientOnStdioThatDoesNotReadIsNotNotified(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ hello, change, log string }{
		"modern": {listenMessage(`1`, `{"toolsListChanged":true}`), listChanged(`1`, "tools"), `reason="the client does not read"`},
		"legacy": {initialize("2025-11-25"), told("tools/list_changed"), "a client is no longer notified of changes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				room, log, out := &newsroom{}, &logbook{}, &gate{}
				app := mcp.New(mcp.Config{Logger: log.logger()})
				app.Router.Local("fixture", room)
				in, stdin := io.Pipe()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					app.Run(t.Context(), []string{"start", "fixture"}, in, out, io.Discard)
				}()
				_, err := io.WriteString(stdin, test.hello+"\n")
				must(t, err)
				synctest.Wait()
				open := out.close()
				start := time.Now()
				for i := range 1000 {
					must(t, room.AddTool(saying(fmt.Sprintf("tool-%d", i), "")))
				}
				synctest.Wait()
				if took := time.Since(start); took > 0 || strings.Contains(log.String(), "WARN") {
					t.Errorf("after %s the log is\n%s", took, log)
				}
				time.Sleep(61 * time.Second)
				must(t, room.AddTool(saying("late", "")))
				synctest.Wait()
				if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), test.log) {
					t.Errorf("%d warnings: the log is\n%s", n, log)
				}
				open()
				must(t, room.AddTool(saying("later", "")))
				synctest.Wait()
				if len(out.lines) != 2 || out.lines[1] != test.change {
					t.Errorf("the client reads %q, want the one that was on its way", out.lines)
				}
				must(t, stdin.Close())
				<-ended
			})
		})
	}
}
