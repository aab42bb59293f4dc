package dev

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/internal/cli/dev/process"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A line of a client that is too long is refused. The relay goes on with the next one.
func TestALongMessageOfTheClientIsRefused(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	x := newRelay(t.TempDir(), "demo", &out, io.Discard, log{io.Discard})
	x.reason = "there is no program"
	in := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), strings.NewReader(strings.Repeat("x", maxSeen)),
		strings.NewReader(`"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n"))
	if err := x.run(t.Context(), in); err == nil || err.Error() != "stdin has ended, and no program serves: there is no program" {
		t.Error(err)
	}
	want := `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: mcp dev passes on no message of more than 16 MiB"}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"there is no program"}}` + "\n"
	if out.String() != want {
		t.Errorf("the client gets\n%s\nwant\n%s", &out, want)
	}
}

// A program that doesn't read, or that isn't there yet, holds up the client instead of filling the memory.
func TestAClientWaitsForAProgramThatDoesNotRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a program that doesn't read", "no program yet"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { aClientWaits(t, name == "no program yet") })
		})
	}
}

func aClientWaits(t *testing.T, forTheFirstProgram bool) {
	t.Helper()
	const messages, size, limit = 20, 1 << 10, 16 << 10
	read, write := io.Pipe()
	x := newRelay(t.TempDir(), "demo", io.Discard, io.Discard, log{io.Discard})
	x.backlog.limit = limit
	p := newStdioProgram(1, x.backlog)
	p.Process = &process.Process{Stdin: write, Exited: make(chan struct{})}
	go p.deliver()
	if !forTheFirstProgram {
		x.current = p
	}
	in, client := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- x.run(t.Context(), in) }()
	var sent atomic.Int64
	go func() {
		for range messages {
			_, _ = io.WriteString(client, `{"jsonrpc":"2.0","method":"`+strings.Repeat("x", size)+`"}`+"\n")
			sent.Add(1)
		}
		_ = client.Close()
	}()
	synctest.Wait()
	if n := sent.Load(); n != limit/size {
		t.Errorf("the client has sent %d KiB, want it to wait after 16", n)
	}
	x.lock.Lock()
	if forTheFirstProgram {
		x.adopt(p, &jsonrpc.Message{}) // which unlocks
	} else {
		x.lock.Unlock()
	}
	lines := bufio.NewReader(read)
	for range messages {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if synctest.Wait(); x.backlog.bytes.Load() != 0 {
		t.Errorf("the backlog has %d bytes", x.backlog.bytes.Load())
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.over = true
	p.wake.Signal()
}

// A program that ends leaves nothing of its messages behind.
func TestTheMessagesOfAnEndedProgramAreDropped(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	backlog := newBacklog()
	p := newStdioProgram(1, backlog)
	p.Process = &process.Process{Stdin: write, Exited: make(chan struct{})}
	p.send([]byte("one"), []byte("two"))
	_ = read.Close()
	p.deliver()
	p.send([]byte("three"))
	if n := backlog.bytes.Load(); n != 0 || len(p.outgoing) > 0 {
		t.Errorf("%d bytes and %d messages are left", n, len(p.outgoing))
	}
}
