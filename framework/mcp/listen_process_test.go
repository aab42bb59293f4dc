//go:build linux || darwin

package mcp_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// The environment of a test binary that is run again as another process.
const (
	streamsOf  = "BOWLINE_TEST_STREAMS_OF"  // an address: open streams there and keep them
	callAt     = "BOWLINE_TEST_CALL_AT"     // an address: make one call there
	streamsMax = "BOWLINE_TEST_STREAMS_MAX" // how many streams
)

// TestAsAnotherProcess runs the part of the test binary that is another process.
func TestAsAnotherProcess(t *testing.T) {
	if addr := os.Getenv(streamsOf); addr != "" {
		n, _ := strconv.Atoi(os.Getenv(streamsMax))
		manyStreams(t, addr, n)
		fmt.Println("open")
		_, _ = io.ReadAll(os.Stdin) // until it is killed
	}
	if addr := os.Getenv(callAt); addr != "" {
		fmt.Println("ready")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		p := &program{addr: addr}
		_, body := p.ask(t, `1`, "read", `{}`)
		fmt.Println(body)
	}
}

// An other is another process that a test controls.
type other struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startOther runs the test binary again.
func startOther(t *testing.T, env ...string) *other {
	t.Helper()
	o := &other{command: exec.Command(os.Args[0], "-test.run=^TestAsAnotherProcess$", "-test.timeout=5m")} //nolint:gosec,noctx // it is killed
	o.command.Env, o.command.Stderr = append(os.Environ(), env...), t.Output()
	var err error
	o.in, err = o.command.StdinPipe()
	must(t, err)
	out, err := o.command.StdoutPipe()
	must(t, err)
	o.out = bufio.NewReader(out)
	must(t, o.command.Start())
	t.Cleanup(func() {
		_ = o.command.Process.Kill()
		_ = o.command.Wait()
	})
	return o
}

// says reads a line of its output.
func (o *other) says(t *testing.T) string {
	t.Helper()
	line, err := o.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the other process has ended: %v", err)
	}
	return strings.TrimSpace(line)
}

// TestTenThousandStreamsOfAProcessThatIsKilled opens all streams from one process and
// kills it. A call of a third process is answered meanwhile, and the memory is freed. The
// nightly run opens ten thousand; the others open fewer.
func TestTenThousandStreamsOfAProcessThatIsKilled(t *testing.T) {
	n := gatetest.Rounds(500, 10_000)
	haveFiles(t, 2*n) // half of them may be streams
	room := &newsroom{}
	p := startProgram(t, mcp.Config{ClientConnections: 2 * n, ClientStreams: n, ClientMemory: n * limits.StreamCost}, room)
	warm := startOther(t, streamsOf+"="+p.addr, streamsMax+"="+strconv.Itoa(n)) // after which the runtime keeps the memory of goroutines
	warm.says(t)
	must(t, warm.command.Process.Kill())
	eventually(t, "the streams of the first process end", func() bool { return runtime.NumGoroutine() < n })
	caller := startOther(t, callAt+"="+p.addr)
	caller.says(t)
	before := settled()

	streams := startOther(t, streamsOf+"="+p.addr, streamsMax+"="+strconv.Itoa(n))
	if got := streams.says(t); got != "open" {
		t.Fatalf("the process with the streams says %s", got)
	}
	held := footprintNow()
	if opened := held.goroutines - before.goroutines; opened < n {
		t.Fatalf("%d goroutines serve %d streams", opened, n)
	}
	must(t, room.AddTool(saying("late", ""))) // the streams are notified while it is killed
	must(t, streams.command.Process.Kill())
	start := time.Now()
	_, _ = io.WriteString(caller.in, "now\n")
	answer := caller.says(t)
	took := time.Since(start)
	if !strings.Contains(answer, "Nothing new.") || took > 10*time.Second { // peers/bench measures it
		t.Errorf("after %s the third process has %s", took, answer)
	}
	before.returnsTo(t, 4<<20)
	t.Logf("%d streams held %d KiB; after the kill a call took %s", n, (held.bytes-before.bytes)>>10, took)
}

// haveFiles skips a test that needs more open files than the process may have. With
// BOWLINE_CI=1 that is a failure.
func haveFiles(t *testing.T, n int) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur < uint64(n) { //nolint:gosec // n is small
		gatetest.Missing(t, fmt.Sprintf("a process may have %d files open; this runs with: ulimit -n %d && go test ./framework/mcp -run %s", limit.Cur, n, t.Name()))
	}
}
