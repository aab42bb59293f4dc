package process

import (
	"errors"
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
	for length, want := range map[int]error{10: nil, 11: errLineTooLong} {
		var lines []string
		told := 0
		w := &lineWriter{limit: 10, line: func(line []byte) { lines = append(lines, string(line)) }, tooLong: func() { told++ }}
		if _, err := io.WriteString(w, "one\ntw"); err != nil {
			t.Fatal(err)
		}
		_, err := io.WriteString(w, "o\n0123")
		for n := 4; n < length && err == nil; n++ {
			_, err = io.WriteString(w, "x")
		}
		if !errors.Is(err, want) || !slices.Equal(lines, []string{"one", "two"}) || (told == 1) != (want != nil) {
			t.Errorf("with a line of %d bytes the lines are %q, told %d times, %v", length, lines, told, err)
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
