package dev_test

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev"
)

// A slowPeer is a client on stdio that reads only when the test does.
type slowPeer struct {
	*peer
	stdout *bufio.Reader
	writes chan struct{} // receives a token when mcp dev begins to write a message
}

// A noticed writer sends a token before each write.
type noticed struct {
	io.Writer
	writes chan<- struct{}
}

func (w noticed) Write(p []byte) (int, error) {
	w.writes <- struct{}{}
	return w.Writer.Write(p)
}

// slowRelay runs mcp dev demo until the context ends, or until the test does. Its stdout has no
// buffer, so the first message that isn't read blocks it.
func (a *app) slowRelay(ctx context.Context) *slowPeer {
	a.t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	in, stdin := io.Pipe()
	out, stdout := io.Pipe()
	p := &slowPeer{&peer{t: a.t, stdin: stdin, ended: make(chan error, 1)}, bufio.NewReader(out), make(chan struct{}, 1000)}
	go func() {
		p.ended <- dev.Relay(ctx, a.root, "demo", in, noticed{stdout, p.writes}, &a.log)
		_ = stdout.Close()
	}()
	a.t.Cleanup(p.end)
	a.t.Cleanup(func() { _ = out.Close() }) // so that nothing waits for a test that has failed
	a.t.Cleanup(cancel)
	return p
}

// awaitWrite waits until mcp dev has begun to write a message that next hasn't read.
func (p *slowPeer) awaitWrite() {
	p.t.Helper()
	select {
	case <-p.writes:
	case <-time.After(forever):
		p.t.Fatal("mcp dev writes no message")
	}
}

// next reads the next message.
func (p *slowPeer) next() string {
	p.t.Helper()
	line, err := p.stdout.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return line
}

// initialize begins as a client of 2025-11-25.
func (p *slowPeer) initialize() {
	p.t.Helper()
	p.send(older("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"older","version":"1"}`))
	p.awaitWrite()
	contains(p.t, p.next(), `"id":0`, "serverInfo")
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// list sends requests whose answers have about 3 KiB each, with the ids from 1 to n.
func (p *slowPeer) list(n int) {
	p.t.Helper()
	var requests []string
	for id := range n {
		requests = append(requests, older(strconv.Itoa(id+1), "tools/list", ""))
	}
	p.send(strings.Join(requests, "\n"))
}

// The program has ended by the time the client reads, and its pipe still has answers.
func TestAClientThatReadsLateGetsTheAnswersOfAProgramThatHasEnded(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.slowRelay(t.Context())
	p.initialize()
	const n = 20 // few enough to fit into the pipe, or else the program waits for the client
	p.list(n)
	_ = p.stdin.Close()
	a.awaitFile("stopped")
	time.Sleep(1500 * time.Millisecond) // longer than mcp dev waits for a process that holds the output open
	left, err := io.ReadAll(p.stdout)
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(string(left)), "\n")
	if len(answers) != n {
		t.Errorf("the client gets %d answers, want %d", len(answers), n)
	}
	for _, answer := range answers {
		if !strings.Contains(answer, `"result":{`) {
			t.Errorf("the client gets %s", answer)
		}
	}
}

// Its messages reach the program while an answer waits for the client.
func TestAClientThatDoesNotReadIsHeard(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	p := a.slowRelay(t.Context())
	p.initialize()
	p.list(1)
	p.awaitWrite()
	file := filepath.Join(a.root, "go on")
	go func() { // not in this goroutine, so that the test ends if mcp dev doesn't read
		for _, message := range []string{older("49", "ping", ""), older("50", "tools/call", toolCall("wait", `"file":"`+file+`"`))} {
			_, _ = io.WriteString(p.stdin, message+"\n")
		}
	}()
	a.awaitFile("waiting")
	a.write("go on", "")
	for {
		if answer := p.next(); strings.Contains(answer, `"id":50`) {
			contains(t, answer, `"text":"one"`)
			break
		}
	}
}

func TestAnEditTakesEffectAndCtrlCEndsMCPDevAlthoughTheClientDoesNotRead(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.write(".env", "APP_STDIO_DRAIN=50ms\n")
	ctx, cancel := context.WithCancel(t.Context())
	p := a.slowRelay(ctx)
	p.initialize()
	p.list(200)
	p.awaitWrite()
	a.greet("two")
	a.awaitLog("mcp: reloaded", 1)
	begin := time.Now()
	cancel()
	select {
	case err := <-p.ended:
		if p.ended <- nil; err != nil {
			t.Errorf("mcp dev ends with %v", err)
		}
	case <-time.After(forever):
		t.Fatal("mcp dev doesn't end")
	}
	t.Logf("ended after %v", time.Since(begin).Round(time.Millisecond))
	a.awaitLog("stopped while messages could not be written, since the client does not read", 1)
}
