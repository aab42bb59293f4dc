package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// program returns the command of a shell script, which speaks MCP with echo and read.
func program(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		gatetest.Missing(t, "there is no sh; install one, such as that of Git for Windows")
	}
	return exec.Command(shell, "-c", script)
}

const discovers = `read line; echo '{"jsonrpc":"2.0","id":1,"result":` + modernDiscovery + `}';`

func TestAProgramOnStdioIsCalled(t *testing.T) {
	t.Parallel()
	var warnings bytes.Buffer
	var progress []client.Progress
	c, err := client.Command(t.Context(), program(t, discovers+`read line
		echo Hello, I print to stdout
		echo '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1,"total":2,"message":"half"}}'
		echo '{"jsonrpc":"2.0","id":99,"result":{}}'
		echo '{"jsonrpc":"2.0","id":"p","method":"ping"}'
		read pong
		case $pong in *'"id":"p","result":{}'*) echo '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}';; esac
		read end`), &warnings, client.Options{Progress: func(p client.Progress) { progress = append(progress, p) }})
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.CallTool(t.Context(), client.Tool{Name: "x"}, []byte(`{}`))
	if err != nil || string(result) != `{"content":[]}` {
		t.Errorf("the result is %s, %v", result, err)
	}
	if len(progress) != 1 || progress[0] != (client.Progress{Progress: 1, Total: 2, Message: "half"}) {
		t.Errorf("the progress is %v", progress)
	}
	if want := "mcp: the server wrote a line to stdout that isn't a message: \"Hello, I print to stdout\"\n"; warnings.String() != want {
		t.Errorf("the warning is %q, want %q", &warnings, want)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestAProgramThatEndsIsReportedWithItsExitCode(t *testing.T) {
	t.Parallel()
	_, err := client.Command(t.Context(), program(t, "exit 3"), os.Stderr, client.Options{})
	ended := new(client.EndedError)
	if !errors.As(err, &ended) || ended.Code != 3 {
		t.Errorf("the error is %v", err)
	}
}

// The program writes a line that isn't a message when it has read the call.
func TestACanceledCallIsCanceledInTheProgram(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	c, err := client.Command(t.Context(), program(t, discovers+`read call; echo read; read canceled; echo "$canceled" >'`+folder+`/canceled'; read end`),
		trigger(func() { cancel(errors.New("enough")) }), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(ctx, client.Tool{Name: "x"}, []byte(`{}`)); err == nil || err.Error() != "enough" {
		t.Errorf("the error is %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	canceled, err := os.ReadFile(folder + "/canceled")
	if err != nil || !strings.Contains(string(canceled), `"method":"notifications/cancelled","params":{"requestId":2}`) {
		t.Errorf("the program was told %q, %v", canceled, err)
	}
}

// A trigger calls a function when something is written to it.
type trigger func()

func (f trigger) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

// The program writes a line that isn't a message when it has read initialize.
func TestAHandshakeIsNotCanceledInTheProgram(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := client.Command(ctx, program(t, `read discover; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'
		read initialize; echo "$initialize" >'`+folder+`/initialize'; echo read; cat >'`+folder+`/rest'`),
		trigger(func() { cancel(errors.New("enough")) }), client.Options{})
	if err == nil || err.Error() != "enough" {
		t.Errorf("the error is %v", err)
	}
	if initialize, err := os.ReadFile(folder + "/initialize"); err != nil || !strings.Contains(string(initialize), `"method":"initialize"`) {
		t.Errorf("the program read %q, %v", initialize, err)
	}
	if rest, err := os.ReadFile(folder + "/rest"); err != nil || len(rest) > 0 {
		t.Errorf("after initialize, the program was sent %q, %v", rest, err)
	}
}

// The arguments don't fit into a pipe.
func TestAProgramThatDoesNotReadEndsWithTheContext(t *testing.T) {
	t.Parallel()
	big := []byte(`{"text":"` + strings.Repeat("x", 200<<10) + `"}`)
	c, err := client.Command(t.Context(), program(t, discovers+`exec sleep 1000`), os.Stderr, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("enough"))
	defer stop()
	if _, err := c.CallTool(ctx, client.Tool{Name: "x"}, big); err == nil || err.Error() != "enough" {
		t.Errorf("the error is %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// The program waits for the reader of its progress, and the client for the reader of the call.
func TestAProgramThatWritesBeforeItReadsIsCalled(t *testing.T) {
	t.Parallel()
	big := []byte(`{"text":"` + strings.Repeat("x", 200<<10) + `"}`)
	c, err := client.Command(t.Context(), program(t, discovers+`
		note='{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"'$(printf '%01000d' 0)'"}}'
		for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5 6 7 8 9 10; do echo "$note"; done; done
		read call; echo '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}'; read end`), os.Stderr, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result, err := c.CallTool(t.Context(), client.Tool{Name: "x"}, big); err != nil || string(result) != `{"content":[]}` {
		t.Errorf("the result is %s, %v", result, err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestALineBeyondTheLimitIsAnError(t *testing.T) {
	t.Parallel()
	_, err := client.Command(t.Context(), program(t, "read discover; head -c 67200000 /dev/zero; read end"), io.Discard, client.Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "the server sent a message of more than 64 MiB, ") {
		t.Errorf("the error is %v", err)
	}
}

func TestAProgramThatIsKilledIsReportedWithTheSignal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals; run on Linux: go test ./internal/cli/client")
	}
	c, err := client.Command(t.Context(), program(t, discovers+`read call; kill -9 $$`), os.Stderr, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.CallTool(t.Context(), client.Tool{Name: "x"}, []byte(`{}`))
	if ended := new(client.EndedError); !errors.As(err, &ended) || err.Error() != "the server ended before it answered: signal: killed" {
		t.Errorf("the error is %v", err)
	}
}
