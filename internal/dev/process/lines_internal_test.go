package process

import (
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A program that writes an endless line is stopped, since nobody can read it.
func TestAnEndlessLineOfAProgramIsAnError(t *testing.T) {
	t.Parallel()
	var lines []string
	told := 0
	w := &lineWriter{line: func(line []byte) { lines = append(lines, string(line)) }, tooLong: func() { told++ }}
	if _, err := io.WriteString(w, "one\ntw"); err != nil {
		t.Fatal(err)
	}
	piece := append([]byte("o\n"), make([]byte, 1<<20)...)
	written := 0
	for {
		if _, err := w.Write(piece); err != nil {
			break
		}
		written += len(piece)
		if written > 2*MaxLine {
			t.Fatal("there is no error")
		}
		piece = make([]byte, 1<<20)
	}
	if len(lines) != 2 || lines[1] != "two" || told != 1 || written < MaxLine-2<<20 {
		t.Errorf("the lines are %q, told %d times, after %d bytes", lines, told, written)
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
