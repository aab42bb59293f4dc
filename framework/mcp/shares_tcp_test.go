package mcp_test

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// byUser routes a server at /mcp for principals that the header User names.
func byUser(server servers.Interface) func(*mcp.Router) {
	return func(router *mcp.Router) {
		router.Web("/mcp", server).LegacySSE().Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r.WithContext(exchange.WithPrincipal(r.Context(), exchange.Principal{ID: r.Header.Get("User")})))
			})
		})
	}
}

// from sets the user of a request.
func from(user, request string) string {
	return strings.Replace(request, "\r\n", "\r\nUser: "+user+"\r\n", 1)
}

// unfinished sends a call whose body has n bytes, but not the last one.
func (p *program) unfinished(t *testing.T, user string, n int) net.Conn {
	t.Helper()
	call := modernCall(`1`, "echo", `{"message":"`+strings.Repeat("x", n)+`"}`)
	conn := p.dial(t)
	write(t, conn, from(user, rawCall(call[:len(call)-1]+" }", "echo")[:len(rawCall(call, "echo"))]))
	return conn
}

// A client that exceeds its limit doesn't block small calls of itself or others.
func TestTheMessagesOfAClientHaveAShareOfTheMemory(t *testing.T) {
	p := startRoutes(t, mcp.Config{Memory: 8 << 20, ClientMemory: 2 << 20, MaxBody: 2 << 20}, byUser(newWireServer()))
	var eve []net.Conn
	for range 12 {
		eve = append(eve, p.unfinished(t, "eve", 512<<10))
	}
	refused := 0
	for _, conn := range eve {
		_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		answer := make([]byte, 512)
		if n, _ := conn.Read(answer); strings.Contains(string(answer[:n]), " 429 ") && strings.Contains(string(answer[:n]), "Retry-After: 1") {
			refused++
		}
	}
	if refused < 6 || refused == 12 {
		t.Errorf("%d of 12 messages of 512 KiB are refused, although their client may have 2 MiB", refused)
	}
	for _, user := range []string{"ada", "eve"} {
		conn := p.dial(t)
		write(t, conn, from(user, rawCall(modernCall(`1`, "echo", `{"message":"small"}`), "echo")))
		if w, body := read(t, conn); w.StatusCode != http.StatusOK {
			t.Errorf("%s gets %d %s", user, w.StatusCode, body)
		}
	}
	if log := p.log.String(); !strings.Contains(log, `client=eve setting="Config.ClientMemory (APP_CLIENT_MEMORY)" limit=2097152`) {
		t.Errorf("the log is %s", log)
	}
	for _, conn := range eve {
		_ = conn.Close()
	}
	eventually(t, "the memory is free again", func() bool {
		conn := p.dial(t)
		write(t, conn, from("eve", rawCall(modernCall(`1`, "echo", `{"message":"`+strings.Repeat("x", 3<<19)+`"}`), "echo")))
		w, _ := read(t, conn)
		return w.StatusCode == http.StatusOK
	})
}

func TestWithoutMemoryARequestIsRefusedBeforeItIsRead(t *testing.T) {
	p := startRoutes(t, mcp.Config{Memory: 4 << 20, ClientMemory: 3 << 20, MaxBody: 3 << 20}, byUser(newWireServer()))
	p.unfinished(t, "ada", 1<<20)
	p.unfinished(t, "bob", 1<<20)
	p.unfinished(t, "cid", 1<<20)
	time.Sleep(50 * time.Millisecond) // until they are read
	conn := p.dial(t)
	write(t, conn, from("dan", rawCall(modernCall(`1`, "echo", `{"message":"`+strings.Repeat("x", 2<<20)+`"}`), "echo"))[:1500<<10])
	if w, body := read(t, conn); w.StatusCode != http.StatusServiceUnavailable || w.Header.Get("Retry-After") == "" || !strings.Contains(body, "4194304 bytes, the maximum") {
		t.Errorf("got %d %v %s", w.StatusCode, w.Header, body)
	}
}

// A running call keeps one copy of its arguments.
func TestRunningCallsHoldTheirArgumentsOnce(t *testing.T) {
	const n, size = 10, 1 << 20
	server := newWireServer()
	server.tools = []servers.Tool{wireTool("hold", `{"type":"object"}`, server.wait)}
	p := startProgram(t, mcp.Config{ClientMemory: 64 << 20}, server)
	call := rawCall(modernCall(`1`, "hold", `{"text":"`+strings.Repeat("x", size)+`"}`), "hold")
	before := settled()
	for range n {
		write(t, p.dial(t), call)
	}
	eventually(t, "all calls run", func() bool { return server.running.Load() == n })
	held := footprintNow().bytes - before.bytes
	if held > n*size*5/4 {
		t.Errorf("%d calls with %d KiB hold %d KiB each", n, size>>10, held/n>>10)
	}
	runtime.KeepAlive(call)
}

func TestTheRunningCallsOfAClientAreBounded(t *testing.T) {
	server := newWireServer()
	p := startRoutes(t, mcp.Config{ClientCalls: 10}, byUser(server))
	spare := runtime.GOMAXPROCS(0)
	for range 10 + spare {
		write(t, p.dial(t), from("eve", rawCall(modernCall(`1`, "wait", `{}`), "wait")))
	}
	eventually(t, "they run", func() bool { return int(server.running.Load()) == 10+spare })
	for user, status := range map[string]int{"eve": http.StatusTooManyRequests, "ada": http.StatusOK} {
		conn := p.dial(t)
		write(t, conn, from(user, rawCall(modernCall(`1`, "echo", `{"message":"a"}`), "echo")))
		w, body := read(t, conn)
		if w.StatusCode != status || status != http.StatusOK && (w.Header.Get("Retry-After") == "" || !strings.Contains(body, "A client may have 10 running calls at once")) {
			t.Errorf("%s gets %d %v %s", user, w.StatusCode, w.Header, body)
		}
	}
	if log := p.log.String(); !strings.Contains(log, `client=eve setting="Config.ClientCalls (APP_CLIENT_CALLS)" limit=10`) {
		t.Errorf("the log is %s", log)
	}
}

// The default share fits two bodies of the maximum, even if that is more than an eighth of the memory.
func TestAClientMaySendTheLargestBody(t *testing.T) {
	for _, config := range []mcp.Config{{Memory: 32 << 20, MaxBody: 8 << 20}, {Memory: 16 << 20}} {
		size := max(config.MaxBody, 4<<20) - 1<<10
		p := startRoutes(t, config, byUser(newWireServer()))
		conn := p.dial(t)
		call := from("ada", rawCall(modernCall(`1`, "echo", `{"message":"`+strings.Repeat("x", size)+`"}`), "echo"))
		go func() { _, _ = io.WriteString(conn, call) }()
		if w, body := read(t, conn); w.StatusCode != http.StatusOK {
			t.Errorf("a body of %d bytes gets %d %.200s", size, w.StatusCode, body)
		}
	}
}
