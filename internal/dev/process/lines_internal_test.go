package process

import (
	"io"
	"testing"
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
