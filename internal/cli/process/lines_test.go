package process_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/process"
)

// TestMain is also the program that the tests start.
func TestMain(m *testing.M) {
	switch os.Getenv("PROCESS_TEST_PROGRAM") {
	case "writes":
		fmt.Print("one\ntwo\nthree\n")
	case "leaves a process":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "PROCESS_TEST_PROGRAM=stays")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr //nolint:forbidigo // this process is a program that a test has started
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Println("one")
	case "stays":
		for { // until nobody reads
			if _, err := fmt.Println("still here"); err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	case "reads":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "is deaf":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("one")
		time.Sleep(time.Minute) // longer than its test takes
	default:
		os.Exit(m.Run())
	}
}

// start starts a program of TestMain, and returns it with the channel that is closed when its
// lines have been passed on.
func start(t *testing.T, program string, line func(string)) (*process.Process, <-chan struct{}) {
	t.Helper()
	command := process.Command(context.Background(), t.TempDir(), os.Args[0])
	command.Env = append(command.Environ(), "PROCESS_TEST_PROGRAM="+program)
	p, passed, err := process.StartLines(command, func(got []byte) { line(string(got)) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, passed
}

// A client may read later than its program ends.
func TestLinesArePassedOnAfterTheEndOfTheProgramHoweverLongThatTakes(t *testing.T) {
	t.Parallel()
	var got []string
	reads := make(chan struct{})
	p, passed := start(t, "writes", func(line string) {
		<-reads
		got = append(got, line)
	})
	<-p.Exited
	select {
	case <-passed:
		t.Error("the lines are said to have been passed on too early")
	default:
	}
	close(reads)
	if <-passed; !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("the lines are %q", got)
	}
}

// The process that holds the output open never ends by itself.
func TestAProcessThatHoldsTheOutputOpenIsAwaitedForASecond(t *testing.T) {
	t.Parallel()
	var got []string
	p, passed := start(t, "leaves a process", func(line string) { got = append(got, line) })
	for _, ended := range []<-chan struct{}{p.Exited, passed} {
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatal("the output doesn't end")
		}
	}
	if p.Ending() != "exit status 0" {
		t.Errorf("the program has ended: %s", p.Ending())
	}
	if got[0] != "one" {
		t.Errorf("the lines are %q", got)
	}
}
