package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/logging"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// unread is set in the process whose log nobody reads, to its command line.
const unread = "BOWLINE_TEST_UNREAD"

// complaining has a tool whose failures are logged.
func complaining() *toolbox {
	return boxOf(doing("fails", func(context.Context, *tools.Request) (tools.Result, error) {
		return nil, errors.New(longLine())
	}))
}

// startUnread runs "serve" or "start" in another process, whose stderr is a pipe that nobody
// reads.
func startUnread(t *testing.T, command string, server func() servers.Interface) (process *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	if args := os.Getenv(unread); args != "" {
		app := mcp.New(mcp.Config{Addr: "127.0.0.1:0"})
		app.Router.Web("/mcp", server())
		app.Router.Local("box", server())
		events.Listen(app.Events, func(_ context.Context, started events.Started) {
			if started.Address != "" {
				fmt.Println(started.Address)
			}
		})
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		code := app.Run(ctx, strings.Fields(args), os.Stdin, os.Stdout, os.Stderr) //nolint:forbidigo // as a program does
		stop()
		os.Exit(code)
	}
	process = exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$") //nolint:gosec // it runs itself
	process.Env = append(os.Environ(), unread+"="+command)
	in, err := process.StdinPipe()
	must(t, err)
	stdout, err := process.StdoutPipe()
	must(t, err)
	_, err = process.StderrPipe()
	must(t, err)
	must(t, process.Start())
	return process, in, bufio.NewReader(stdout)
}

func TestALogThatNobodyReadsStopsNoServerOnStdio(t *testing.T) {
	t.Parallel()
	process, in, out := startUnread(t, "start box", func() servers.Interface { return complaining() })
	callOften(t, "fails", process, in, out)
}

func TestPrintsThatNobodyReadsStopNoServerOnStdio(t *testing.T) {
	t.Parallel()
	process, in, out := startUnread(t, "start box", func() servers.Interface {
		return boxOf(doing("prints", func(context.Context, *tools.Request) (tools.Result, error) {
			fmt.Println(longLine())
			return tools.Text("printed"), nil
		}))
	})
	callOften(t, "prints", process, in, out)
}

// manyLines are how many lines of longLine the log and the pipe behind it don't hold: they have 1 MiB and 64 KiB.
const manyLines = 800

func longLine() string { return strings.Repeat("a long story ", 200) }

// callOften calls a tool until the pipe behind stderr is full long since. All calls must be answered, and the process must end.
func callOften(t *testing.T, tool string, process *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	go func() {
		for i := range manyLines {
			_, _ = io.WriteString(in, modernCall(fmt.Sprint(i), tool, `{}`)+"\n")
		}
	}()
	late := time.AfterFunc(2*time.Minute, func() { _ = process.Process.Kill() })
	defer late.Stop()
	for i := range manyLines {
		if _, err := out.ReadString('\n'); err != nil {
			t.Fatalf("%d of %d calls are answered: %v", i, manyLines, err)
		}
	}
	begun := time.Now()
	must(t, in.Close())
	if err := process.Wait(); err != nil || time.Since(begun) > time.Minute/2 {
		t.Errorf("the process ends with %v after %v", err, time.Since(begun))
	}
}

func TestALogThatNobodyReadsStopsNoServerOverHTTP(t *testing.T) {
	t.Parallel()
	process, _, out := startUnread(t, "serve", func() servers.Interface { return complaining() })
	late := time.AfterFunc(2*time.Minute, func() { _ = process.Process.Kill() })
	defer late.Stop()
	address, err := out.ReadString('\n')
	must(t, err)
	p := &program{addr: strings.TrimSpace(address)}
	conn := p.dial(t)
	must(t, conn.SetDeadline(time.Now().Add(2*time.Minute)))
	reader := bufio.NewReader(conn)
	for i := range manyLines {
		write(t, conn, rawCall(modernCall(`1`, "fails", `{}`), "fails"))
		w, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("%d calls are answered: %v", i, err)
		}
		_, _ = io.Copy(io.Discard, w.Body)
	}
	begun := time.Now()
	must(t, process.Process.Signal(syscall.SIGTERM))
	if err := process.Wait(); err != nil || time.Since(begun) > time.Minute/2 {
		t.Errorf("the process ends with %v after %v", err, time.Since(begun))
	}
}

// The handler writes a line 10 ms after it was logged.
func TestTheLogIsWrittenWhenTheAppEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var written bytes.Buffer
		logger := slog.New(logging.NewHandler(&written, func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) }))
		app := mcp.New(mcp.Config{Logger: logger})
		app.Router.Local("demo", newWireServer())
		logger.Info("the last line")
		if code := app.Run(t.Context(), []string{"list"}, nil, io.Discard, io.Discard); code != 0 || !strings.Contains(written.String(), "the last line") {
			t.Errorf("the exit code is %d, and the log is %q", code, written.String())
		}
	})
}
