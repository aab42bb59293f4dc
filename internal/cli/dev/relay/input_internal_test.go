package relay

import (
	"bufio"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"golang.org/x/sync/semaphore"
)

// A line of a client that is too long is refused. The relay goes on with the next one.
func TestALongMessageOfTheClientIsRefused(t *testing.T) {
	t.Parallel()
	x, out, _ := newRelay(t)
	x.Unavailable("there is no program")
	in := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), strings.NewReader(strings.Repeat("x", maxMessage)),
		strings.NewReader(`"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n"))
	if err := x.Run(t.Context(), in); err == nil || err.Error() != "stdin has ended, and no program serves: there is no program" {
		t.Error(err)
	}
	want := `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: mcp dev passes on no message of more than 16 MiB"}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"there is no program"}}` + "\n"
	if out.String() != want {
		t.Errorf("the client gets\n%s\nwant\n%s", out, want)
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
	x, _, _ := newRelay(t)
	x.backlog = semaphore.NewWeighted(limit)
	p := newProgram(t, x)
	go p.Transport.deliver(write)
	waits := limit / size
	if forTheFirstProgram {
		waits = 1
	} else {
		adopt(x, p)
	}
	in, client := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- x.Run(t.Context(), in) }()
	var sent atomic.Int64
	go func() {
		for range messages {
			_, _ = io.WriteString(client, `{"jsonrpc":"2.0","method":"`+strings.Repeat("x", size)+`"}`+"\n")
			sent.Add(1)
		}
		_ = client.Close()
	}()
	synctest.Wait()
	if n := sent.Load(); n != int64(waits) {
		t.Errorf("the client has sent %d KiB, want it to wait after %d", n, waits)
	}
	if forTheFirstProgram {
		adopt(x, p)
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
	if synctest.Wait(); !x.backlog.TryAcquire(limit) {
		t.Error("the backlog has bytes that were read")
	}
	p.Transport.close()
}

// A program that ends leaves nothing of its messages behind.
func TestTheMessagesOfAnEndedProgramAreDropped(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	backlog := semaphore.NewWeighted(9)
	in := newInput(backlog)
	send := func(message string) {
		if !backlog.TryAcquire(3) {
			t.Errorf("the backlog is full before %s", message)
		}
		in.send([]byte(message), 3)
	}
	send("one")
	send("two")
	_ = read.Close()
	in.deliver(write)
	if send("six"); !backlog.TryAcquire(9) || len(in.queue) > 0 {
		t.Errorf("the backlog isn't empty; %d messages are left", len(in.queue))
	}
}

// Other programs may get the same message, and the client's next one may follow it in memory.
func TestAMessageIsPassedOnWithoutAChangeOfTheBytesBehindIt(t *testing.T) {
	t.Parallel()
	x, out, _ := newRelay(t)
	memory := []byte("one, and more")
	read, write := io.Pipe()
	in := newInput(x.backlog)
	go in.deliver(write)
	in.send(memory[:3], 0)
	got, err := bufio.NewReader(read).ReadString('\n')
	x.write(memory[:3])
	if err != nil || got != "one\n" || out.String() != "one\n" || string(memory) != "one, and more" {
		t.Errorf("the program gets %q, %v, the client %q, and the memory has %q", got, err, out, memory)
	}
	in.close()
}
