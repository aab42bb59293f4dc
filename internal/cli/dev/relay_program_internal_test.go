package dev

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/dev/process"
)

// relayTo returns a relay that serves with a program without a process, which ends with the test, and what
// the client and the terminal get.
func relayTo(t *testing.T) (x *relay, p *stdioProgram, out, logged *bytes.Buffer) {
	t.Helper()
	out, logged = &bytes.Buffer{}, &bytes.Buffer{}
	x = newRelay(t.TempDir(), "demo", out, io.Discard, log{logged})
	p = newStdioProgram(1, x.backlog)
	exited := make(chan struct{})
	p.Process = &process.Process{Exited: exited}
	t.Cleanup(func() { close(exited) })
	x.current, x.programs[1] = p, p
	return x, p, out, logged
}

// Version 2025-03-26 has batches. Their calls have lines, and keep their program.
func TestTheCallsOfABatchOnStdioEndWithItsAnswer(t *testing.T) {
	t.Parallel()
	x, _, out, logged := relayTo(t)
	p := x.current
	x.receive([]byte(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one"}},{"jsonrpc":"2.0","method":"notifications/x"},` +
		`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"two"}}]`))
	if n := len(x.requests); n != 2 || logged.Len() > 0 {
		t.Errorf("%d requests are running, and the log has %q", n, logged)
	}
	x.current = newStdioProgram(2, x.backlog)
	answer := `[{"jsonrpc":"2.0","id":"b","result":{}},{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}]`
	x.returned(p, []byte(answer))
	if out.String() != answer+"\n" {
		t.Errorf("the client gets %q", out)
	}
	lines := strings.Split(logged.String(), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "  two  ") || !strings.HasSuffix(lines[0], " ok") || !strings.Contains(lines[1], "  one  ") || !strings.HasSuffix(lines[1], " error 1: m") {
		t.Errorf("the log has %q", lines)
	}
	if len(x.requests) > 0 || !p.over {
		t.Errorf("%d requests are running, and the program is over: %v", len(x.requests), p.over)
	}
}

func TestAProgramOnStdioThatEndsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	x, p, out, logged := relayTo(t)
	exited, passed := make(chan struct{}), make(chan struct{})
	p.Process, p.passed = &process.Process{Exited: exited}, passed
	x.receive([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one"}}`))
	close(exited)
	close(passed)
	x.watch(p)
	if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the program ended before it answered: exit status 0"}}` + "\n"; out.String() != want {
		t.Errorf("the client gets %q, want %q", out, want)
	}
	if !strings.HasSuffix(logged.String(), "  "+lostCall+"\n") {
		t.Errorf("the log has %q", logged)
	}
	if got := <-x.exits(); got != (exit{1, "exit status 0"}) || x.serves() || len(x.programs) > 0 || len(x.requests) > 0 {
		t.Errorf("the loop gets %v; serves %v with %d programs and %d requests", got, x.serves(), len(x.programs), len(x.requests))
	}
}

// What a replaced program says about lists would contradict the new one. The rest belongs to its calls.
func TestAReplacedProgramOnStdioNoLongerSpeaksOfLists(t *testing.T) {
	t.Parallel()
	const change, progress = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
	x, p, out, _ := relayTo(t)
	x.returned(p, []byte(change))
	x.current = newStdioProgram(2, x.backlog)
	x.returned(p, []byte(change))
	x.returned(p, []byte(progress))
	if want := change + "\n" + progress + "\n"; out.String() != want {
		t.Errorf("the client gets %q, want %q", out, want)
	}
}

// The client didn't ask, so it gets no answer.
func TestAnAnswerToMCPDevIsNotPassedOn(t *testing.T) {
	t.Parallel()
	x, p, out, _ := relayTo(t)
	x.returned(p, []byte(`{"jsonrpc":"2.0","id":"mcp-dev:ping","result":{}}`))
	if answer := <-p.answers; string(answer.Result) != `{}` || out.Len() > 0 {
		t.Errorf("mcp dev gets %s, the client %q", answer.Result, out)
	}
}

// Other programs may get the same message, and the client's next one may follow it in memory.
func TestAMessageIsPassedOnWithoutAChangeOfTheBytesBehindIt(t *testing.T) {
	t.Parallel()
	x, p, out, _ := relayTo(t)
	memory := []byte("one, and more")
	read, write := io.Pipe()
	p.Process = &process.Process{Stdin: write, Exited: p.Exited}
	go p.deliver()
	p.send(memory[:3])
	got, err := bufio.NewReader(read).ReadString('\n')
	x.write(memory[:3])
	if err != nil || got != "one\n" || out.String() != "one\n" || string(memory) != "one, and more" {
		t.Errorf("the program gets %q, %v, the client %q, and the memory has %q", got, err, out, memory)
	}
	p.finish()
}
