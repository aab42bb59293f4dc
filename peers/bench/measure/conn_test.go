package measure_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

func TestConnReadsEveryKindOfBody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 30_000)
	for name, write := range map[string]func(w http.ResponseWriter) string{
		"with a length": func(w http.ResponseWriter) string { io.WriteString(w, "short"); return "short" },
		"longer than the buffer": func(w http.ResponseWriter) string {
			io.WriteString(w, long)
			return long
		},
		"in chunks": func(w http.ResponseWriter) string {
			for range 3 {
				io.WriteString(w, "part\n")
				w.(http.Flusher).Flush()
			}
			return "part\npart\npart\n"
		},
		"empty": func(http.ResponseWriter) string { return "" },
	} {
		var want string
		address, stop, err := measure.Listen(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			want = write(w)
		})})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := measure.Dial(address, "/mcp", wire.ModernCall(1, "echo"))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 { // the connection is good for the next exchange
			if got, err := conn.Do(); err != nil || string(got) != want {
				t.Errorf("%s: got %d bytes and %v, want %d bytes", name, len(got), err, len(want))
			}
		}
		conn.Close()
		stop()
	}
}

func TestConnRefusesAnotherStatus(t *testing.T) {
	t.Parallel()
	address, stop, err := measure.Listen(&http.Server{Handler: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	conn, err := measure.Dial(address, "/mcp", wire.ModernCall(1, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Run(1); err == nil || !strings.Contains(err.Error(), "page not found") {
		t.Errorf("got %v, want an error with the body", err)
	}
}
