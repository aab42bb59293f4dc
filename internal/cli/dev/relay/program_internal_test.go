package relay

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// TestMain is also the program of a test that needs one that never answers.
func TestMain(m *testing.M) {
	if os.Getenv("RELAY_TEST_PROGRAM") == "silent" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// newRelay returns a relay, and what the client and the terminal get.
func newRelay(t *testing.T) (x *Relay, out *bytes.Buffer, logged *shownLog) {
	t.Helper()
	out, logged = &bytes.Buffer{}, &shownLog{}
	logged.log = applog.New(logged, t.TempDir())
	return New(t.TempDir(), "demo", out, logged.log), out, logged
}

// A shownLog is the log of a relay. The programs of the tests don't log their calls, so the relay
// shows them at the latest when it is read.
type shownLog struct {
	log *applog.Log
	buffertest.Buffer
}

func (l *shownLog) String() string {
	l.log.Close()
	return l.Buffer.String()
}

// newProgram returns a program without a process, which ends with the test or when it is stopped.
func newProgram(t *testing.T, x *Relay) *program {
	t.Helper()
	p := x.New(newInput(x.backlog))
	exited := make(chan struct{})
	p.Process = &process.Process{Exited: exited}
	ended := make(chan struct{})
	x.Watch(p, p.Transport.close, func() { x.lose(p); close(ended) })
	t.Cleanup(func() {
		close(exited)
		<-ended
	})
	return p
}

// relayTo returns a relay that serves with a program, and what the client and the terminal get.
func relayTo(t *testing.T) (x *Relay, p *program, out *bytes.Buffer, logged *shownLog) {
	t.Helper()
	x, out, logged = newRelay(t)
	p = newProgram(t, x)
	adopt(x, p)
	return x, p, out, logged
}

func adopt(x *Relay, p *program) {
	x.Lock()
	defer x.Unlock()
	_ = x.Adopt(p) // a program of the tests doesn't end before
}

// isClosed reports whether the stdin of a program ends, because it was told to stop.
func isClosed(p *program) bool {
	for range 100 {
		p.Transport.lock.Lock()
		closed := p.Transport.closed
		p.Transport.lock.Unlock()
		if closed {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// Version 2025-03-26 has batches. Their calls have lines, and keep their program.
func TestTheCallsOfABatchOnStdioEndWithItsAnswer(t *testing.T) {
	t.Parallel()
	x, p, out, logged := relayTo(t)
	x.receive(t.Context(), []byte(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one"}},{"jsonrpc":"2.0","method":"notifications/x"},`+
		`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"two"}}]`))
	adopt(x, newProgram(t, x))
	if n := len(x.client.RequestsOf(p)); n != 2 || logged.String() != "" || isClosed(p) {
		t.Errorf("%d requests are running, and the log has %q", n, logged)
	}
	answer := `[{"jsonrpc":"2.0","id":"b","result":{}},{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}]`
	x.returned(p, []byte(answer))
	if out.String() != answer+"\n" {
		t.Errorf("the client gets %q", out)
	}
	lines := strings.Split(logged.String(), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "  two  ") || !strings.HasSuffix(lines[0], " ok") || !strings.Contains(lines[1], "  one  ") || !strings.HasSuffix(lines[1], " refused: m") {
		t.Errorf("the log has %q", lines)
	}
	if n := len(x.client.RequestsOf(p)); n > 0 || !isClosed(p) {
		t.Errorf("%d requests are running, or the program runs on", n)
	}
}

func TestAProgramOnStdioThatEndsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	x, out, logged := newRelay(t)
	p := x.New(newInput(x.backlog))
	exited := make(chan struct{})
	p.Process = &process.Process{Exited: exited}
	x.Watch(p, p.Transport.close, func() { x.lose(p) })
	adopt(x, p)
	x.receive(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one"}}`))
	close(exited)
	x.Wait()
	if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the program ended before it answered: exit status 0"}}` + "\n"; out.String() != want {
		t.Errorf("the client gets %q, want %q", out, want)
	}
	if !strings.HasSuffix(logged.String(), "  failed: the program ended before it answered\n") {
		t.Errorf("the log has %q", logged)
	}
	if got := <-x.Exits(); got != "exit status 0" || x.Serves() || x.client.Request([]byte("1")) != nil {
		t.Errorf("the loop gets %v; serves %v", got, x.Serves())
	}
}

// What a replaced program says about lists would contradict the new one. The rest belongs to its calls.
func TestAReplacedProgramOnStdioNoLongerSpeaksOfLists(t *testing.T) {
	t.Parallel()
	const change, progress = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
	x, p, out, _ := relayTo(t)
	x.returned(p, []byte(change))
	adopt(x, newProgram(t, x))
	x.returned(p, []byte(change))
	x.returned(p, []byte(progress))
	if want := change + "\n" + progress + "\n"; out.String() != want {
		t.Errorf("the client gets %q, want %q", out, want)
	}
}

// The answer to a question reaches the program that asked, unless it has withdrawn the question.
func TestAnAnswerToAQuestionReachesTheProgramThatAsked(t *testing.T) {
	t.Parallel()
	x, p, out, _ := relayTo(t)
	x.receive(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one"}}`))
	questions := []string{
		`{"jsonrpc":"2.0","id":70001,"method":"elicitation/create","params":{}}`,
		`{"jsonrpc":"2.0","id":70002,"method":"elicitation/create","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":70002}}`,
	}
	for _, question := range questions {
		x.returned(p, []byte(question))
	}
	if got := strings.Split(strings.TrimSpace(out.String()), "\n"); !slices.Equal(got, questions) {
		t.Errorf("the client gets %q", got)
	}
	newer := newProgram(t, x)
	adopt(x, newer)
	for _, id := range []string{"70001", "70002"} {
		x.receive(t.Context(), []byte(`{"jsonrpc":"2.0","id":`+id+`,"result":{}}`))
	}
	for of, want := range map[*program]string{p: `{"jsonrpc":"2.0","id":70001,"result":{}}`, newer: `{"jsonrpc":"2.0","id":70002,"result":{}}`} {
		if got := string(of.Transport.queue[len(of.Transport.queue)-1].message); got != want {
			t.Errorf("the program %d gets %s, want %s", of.Generation, got, want)
		}
	}
}

// The client didn't ask, so it gets no answer.
func TestAnAnswerToMCPDevIsNotPassedOn(t *testing.T) {
	t.Parallel()
	x, p, out, _ := relayTo(t)
	x.returned(p, []byte(`{"jsonrpc":"2.0","id":"mcp-dev:ping","result":{}}`))
	if answer := <-p.Transport.answers; string(answer.Result) != `{}` || out.Len() > 0 {
		t.Errorf("mcp dev gets %s, the client %q", answer.Result, out)
	}
}

func TestTheRefusalOfAHandshakeHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	x, _, logged := newRelay(t)
	first := newProgram(t, x)
	x.client.Begin(first, &jsonrpc.Message{Method: []byte("initialize"), Params: []byte(`{}`)}, nil)
	p := newProgram(t, x)
	go func() {
		p.Transport.answers <- &jsonrpc.Message{Result: []byte(`{}`)}
		p.Transport.answers <- &jsonrpc.Message{Error: []byte(`{"code":1,"message":"` + "\u009b2J" + `"}`)}
	}()
	if err := x.introduce(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	const want = `mcp: the new program refuses the client's initialize: "{\"code\":1,\"message\":\"\u009b2J\"}"` + "\n"
	if !strings.HasPrefix(logged.String(), want) {
		t.Errorf("the log has %q, want %q", logged, want)
	}
}

// The program before serves on.
func TestAProgramThatNeverAnswersOnStdioIsExplained(t *testing.T) {
	t.Setenv("RELAY_TEST_PROGRAM", "silent")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x, p, _, _ := relayTo(t)
	x.startLimit = 50 * time.Millisecond
	err = x.Replace(t.Context(), path)
	if want := "the program did not answer on stdio within 50ms: func main must call os.Exit(app.Main()), and nothing before that may wait or read stdin"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if x.Lock(); !x.IsCurrent(p) {
		t.Error("the program before no longer serves")
	}
	x.Unlock()
}
