package dev

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
)

// The test binary is a program that is ready until its stdin ends.
func TestProgramsOverHTTPAreForgottenOnceTheyHaveEnded(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DEV_TEST_PROGRAM", "ready")
	var logged bytes.Buffer
	x := newProxy(t.TempDir(), "127.0.0.1:1", io.Discard, log{&logged})
	var programs []*program
	for n := range 2 {
		if generation, err := x.replace(t.Context(), path); err != nil || generation != n+1 {
			t.Fatalf("the program %d doesn't start: %v", generation, err)
		}
		programs = append(programs, x.current)
	}
	x.close()
	if _, err := x.replace(t.Context(), path); !errors.Is(err, context.Canceled) || x.current != nil {
		t.Fatalf("after the end a program is started, %v", err)
	}
	x.stopping.Wait()
	for _, p := range programs {
		if !p.HasExited() {
			t.Errorf("the program %d runs on", p.generation)
		}
	}
	if len(x.programs) > 0 {
		t.Errorf("%d programs are known", len(x.programs))
	}
	if want := "mcp: serving http://127.0.0.1:1\nmcp: serving http://127.0.0.1:1\n"; logged.String() != want {
		t.Errorf("the log has %q, want %q", &logged, want)
	}
}
