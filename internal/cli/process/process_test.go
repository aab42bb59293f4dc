package process_test

import (
	"testing"
	"time"
)

// The program ignores SIGTERM and the end of its stdin.
func TestAProgramThatDoesNotStopIsKilled(t *testing.T) {
	t.Parallel()
	wrote := make(chan string, 1)
	p, passed := start(t, "is deaf", func(line string) { wrote <- line })
	<-wrote
	if p.HasExited() {
		t.Fatal("the program has ended before it was stopped")
	}
	if p.Stop(10 * time.Millisecond); !p.HasExited() {
		t.Fatal("the program runs on")
	}
	if <-passed; p.Ending() == "exit status 0" {
		t.Error("the program ended by itself")
	}
}
