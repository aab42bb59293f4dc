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
	for name, send := range map[string]func(w http.ResponseWriter) string{
		"with a length":          func(w http.ResponseWriter) string { return write(t, w, "short") },
		"longer than the buffer": func(w http.ResponseWriter) string { return write(t, w, long) },
		"in chunks": func(w http.ResponseWriter) string {
			var sent string
			for range 3 {
				sent += write(t, w, "part\n")
				w.(http.Flusher).Flush()
			}
			return sent
		},
		"empty": func(http.ResponseWriter) string { return "" },
	} {
		var want string
		address, stop, err := measure.Listen(&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Error(err)
			}
			want = send(w)
		})})
		if err != nil {
			t.Fatal(err)
		}
		defer end(t, stop)
		conn, err := measure.Dial(address, "/mcp", wire.ModernCall(1, "echo"))
		if err != nil {
			t.Fatal(err)
		}
		defer end(t, conn.Close)
		for range 3 { // the connection must be usable for the next exchange
			if got, err := conn.Do(); err != nil || string(got) != want {
				t.Errorf("%s: got %d bytes and %v, want %d bytes", name, len(got), err, len(want))
			}
		}
	}
}

func write(t *testing.T, w io.Writer, text string) string {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Error(err)
	}
	return text
}

// end calls stop, and fails the test on an error.
func end(t *testing.T, stop func() error) {
	t.Helper()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestConnRefusesAnotherStatus(t *testing.T) {
	t.Parallel()
	address, stop, err := measure.Listen(&http.Server{Handler: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	defer end(t, stop)
	conn, err := measure.Dial(address, "/mcp", wire.ModernCall(1, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	defer end(t, conn.Close)
	if err := conn.Run(1); err == nil || !strings.Contains(err.Error(), "page not found") {
		t.Errorf("got %v, want an error with the body", err)
	}
}
