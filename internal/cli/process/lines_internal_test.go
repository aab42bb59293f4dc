package process

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A program that writes an endless line is stopped, since nobody can read it.
func TestAnEndlessLineOfAProgramIsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"one\ntwo\n0123456789\nthree\n":      {"one", "two", "0123456789", "three"},
		"one\n\ntwo\n0123456789abc\nthree\n": {"one", "two", "too long"},
		"one\ntw":                            {"one"}, // the program has ended before the rest
	} {
		var lines []string
		read(jsonrpc.NewLines(iotest.OneByteReader(strings.NewReader(text)), 10), func() { lines = append(lines, "too long") }, func(line []byte) { lines = append(lines, string(line)) })
		if !slices.Equal(lines, want) {
			t.Errorf("the lines of %q are %q, want %q", text, lines, want)
		}
	}
}

// A process that the program started may hold the output open, and write. Only the time in which there
// are no lines counts.
func TestOutputIsAwaitedForASecondAfterTheEndOfTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lines, exited := make(chan []byte), make(chan struct{})
		close(exited)
		again, over := make(chan struct{}, 1), make(chan struct{})
		var program sync.WaitGroup
		program.Go(func() {
			for _, line := range []string{"one", "two", "three", "too late"} {
				time.Sleep(heldLimit * 2 / 7)
				select {
				case lines <- []byte(line):
					<-again
				case <-over:
				}
			}
		})
		var got []string
		begin := time.Now()
		pass(lines, exited, func(line []byte) {
			time.Sleep(time.Hour)
			got = append(got, string(line))
			again <- struct{}{}
		})
		if waited := time.Since(begin); !slices.Equal(got, []string{"one", "two", "three"}) || waited != 3*time.Hour+heldLimit {
			t.Errorf("after %v the lines are %q", waited, got)
		}
		close(over)
		program.Wait()
	})
}
