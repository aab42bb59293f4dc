package mcp_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// TestCallsLeaveNothingBehindOverTCP ends many calls of 2026-07-28, each on a
// connection of its own, in each way in which a connection can end.
func TestCallsLeaveNothingBehindOverTCP(t *testing.T) {
	const atOnce = 50
	n := gatetest.Rounds(2*atOnce, 1000)
	flood := doing("flood", func(ctx context.Context, request *tools.Request) (tools.Result, error) {
		for text := strings.Repeat("x", 32<<10); ; {
			if err := request.Notify("acme/flood", map[string]string{"text": text}); err != nil {
				return nil, err
			}
		}
	})
	wait := doing("wait", func(ctx context.Context, request *tools.Request) (tools.Result, error) {
		if err := request.Notify("acme/begun", nil); err != nil {
			return nil, err
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	panics := doing("panics", func(context.Context, *tools.Request) (tools.Result, error) { panic("no") })
	whole := func(tool string) string { return rawCall(modernCall(`1`, tool, `{}`), tool) }
	until := func(text string) func(*testing.T, net.Conn) {
		return func(t *testing.T, conn net.Conn) {
			t.Helper()
			var got []byte
			for piece := make([]byte, 4096); !bytes.Contains(got, []byte(text)); {
				n, err := conn.Read(piece)
				if got = append(got, piece[:n]...); err != nil {
					t.Errorf("%v, where %q should come", err, text)
					return
				}
			}
		}
	}
	closed := func(t *testing.T, conn net.Conn) {
		t.Helper()
		if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("the server keeps the connection: %v", err)
		}
	}
	soon := 50 * time.Millisecond
	ways := partings{}
	for name, way := range map[string]struct {
		request string
		then    func(*testing.T, net.Conn)
		config  mcp.Config
	}{
		"after the answer":                 {request: whole("say"), then: until(`"said"`)},
		"by a hang-up before the headers":  {request: "POST /mcp HT", then: func(*testing.T, net.Conn) {}},
		"by the time for headers":          {"POST /mcp HTTP/1.1\r\nHost: 127", closed, mcp.Config{HeaderTimeout: soon}},
		"by a hang-up in the body":         {request: whole("say")[:len(whole("say"))-20], then: func(*testing.T, net.Conn) {}},
		"by the time for the body":         {whole("say")[:len(whole("say"))-20], closed, mcp.Config{BodyTimeout: soon}},
		"by a hang-up in the stream":       {request: whole("wait"), then: until("acme/begun")},
		"by the call's timeout":            {whole("wait"), until("timed out"), mcp.Config{CallTimeout: soon}},
		"by a panic":                       {request: whole("panics"), then: until(`"isError":true`)},
		"because the client does not read": {whole("flood"), func(*testing.T, net.Conn) { time.Sleep(3 * soon) }, mcp.Config{WriteTimeout: soon}},
	} {
		ways[name] = func(t *testing.T) (*program, func()) {
			way.config.ClientCalls = 1000 // the server may notice late that clients hang up
			p := startProgram(t, way.config, boxOf(saying("say", "said"), flood, wait, panics))
			return p, func() {
				var clients sync.WaitGroup
				for range atOnce {
					clients.Go(func() {
						for range n / atOnce {
							conn, err := net.Dial("tcp", p.addr)
							if err != nil {
								t.Error(err)
								return
							}
							_ = conn.SetDeadline(time.Now().Add(time.Minute))
							_, _ = io.WriteString(conn, way.request) // the server may have closed the connection
							way.then(t, conn)
							_ = conn.Close()
						}
					})
				}
				clients.Wait()
			}
		}
	}
	ways.leaveNothing(t, 0)
}

// The buffer of a call is reused, and freed when it is idle: the timers of the body and
// of the call, which may have minutes left, don't keep it alive.
func TestIdleCallsAreNotKeptByTheirTimers(t *testing.T) {
	const clients = 100
	var met sync.WaitGroup
	meet := wireTool("meet", `{"type":"object"}`, func(context.Context, *tools.Request) (tools.Result, error) {
		met.Done()
		met.Wait() // so that all use a buffer at once
		return tools.Text("met"), nil
	})
	config := mcp.Config{ClientCalls: clients, BodyTimeout: 10 * time.Minute, CallTimeout: 10 * time.Minute}
	p := startProgram(t, config, boxOf(meet))
	large := rawCall(modernCall(`1`, "meet", `{"text":"`+strings.Repeat("x", 30<<10)+`"}`), "meet")
	round := func(request string) {
		met.Add(clients)
		var calls sync.WaitGroup
		for range clients {
			calls.Go(func() {
				conn, err := net.Dial("tcp", p.addr)
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = conn.Close() }()
				_ = conn.SetDeadline(time.Now().Add(time.Minute))
				_, _ = io.WriteString(conn, request)
				answer := make([]byte, 4096)
				if n, err := conn.Read(answer); err != nil || !bytes.Contains(answer[:n], []byte(`"met"`)) {
					t.Errorf("%v, and the answer %s", err, answer[:n])
				}
			})
		}
		calls.Wait()
	}
	round(rawCall(modernCall(`1`, "meet", `{}`), "meet")) // after which the runtime keeps some memory
	before := settled()
	for range 3 {
		round(large)
		footprintNow() // which empties the pools
	}
	p.log.Reset()
	before.returnsTo(t, 2<<20) // the timers themselves
}
