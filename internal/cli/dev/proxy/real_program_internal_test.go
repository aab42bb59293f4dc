package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain is also the program of tests that need one that never answers, or only that it is ready.
func TestMain(m *testing.M) {
	switch os.Getenv("PROXY_TEST_PROGRAM") {
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "ready":
		listener, err := net.Listen("tcp", os.Getenv("APP_ADDR"))
		if err != nil {
			panic(err)
		}
		go func() { _ = http.Serve(listener, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) }()
		_, _ = io.Copy(io.Discard, os.Stdin)
	default:
		os.Exit(m.Run())
	}
}

// executable returns the path of the test binary, which is a program.
func executable(t *testing.T, program string) (path string) {
	t.Helper()
	t.Setenv("PROXY_TEST_PROGRAM", program)
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProgramsEndWithTheProxy(t *testing.T) {
	path := executable(t, "ready")
	x, logged := newProxy(t)
	var all []*program
	for n := range 2 {
		if err := x.Replace(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		p, err := x.Await(t.Context())
		x.Unlock()
		if err != nil || p.Generation != n+1 {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	x.telling.Wait()
	x.Close()
	if err := x.Replace(t.Context(), path); !errors.Is(err, context.Canceled) {
		t.Fatalf("after the end a program is started, %v", err)
	}
	x.Wait()
	for _, p := range all {
		if !p.HasExited() {
			t.Errorf("the program %d runs on", p.Generation)
		}
	}
	if want := "mcp: serving http://127.0.0.1:1\n"; logged.String() != want { // the program doesn't list its routes
		t.Errorf("the log has %q, want %q", logged, want)
	}
}

func TestAProgramThatNeverAnswersIsExplained(t *testing.T) {
	path := executable(t, "silent")
	x, _ := newProxy(t)
	x.startLimit = 50 * time.Millisecond
	err := x.Replace(t.Context(), path)
	if err == nil {
		t.Fatal("the program answers")
	}
	for _, want := range []string{"the program did not answer http://127.0.0.1:", "/readyz within 50ms: nothing in func main may wait before app.Main(), and config/app.go must take the address from APP_ADDR"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %q, want %q", err, want)
		}
	}
	x.Wait()
}
