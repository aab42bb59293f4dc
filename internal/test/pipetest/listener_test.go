package pipetest_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/test/pipetest"
)

func TestTheClockOfABubbleAdvancesWhileAClientWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := pipetest.Serve(t, &http.Server{ReadHeaderTimeout: time.Hour, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Minute)
			_, _ = io.WriteString(w, r.Host+" "+r.RemoteAddr)
		})})
		begun := time.Now()
		w, err := l.Client(t).Get("http://example.com")
		if err != nil {
			t.Fatal(err)
		}
		defer w.Body.Close() //nolint:errcheck // a test
		if text, err := io.ReadAll(w.Body); err != nil || string(text) != "example.com 127.0.0.1:1" || time.Since(begun) != time.Minute {
			t.Errorf("after %v the answer is %q, %v", time.Since(begun), text, err)
		}
	})
}

func TestAServerThatHasEndedAcceptsNoConnection(t *testing.T) {
	t.Parallel()
	server := &http.Server{ReadHeaderTimeout: time.Hour}
	l := pipetest.Serve(t, server)
	if conn, err := l.Dial(t.Context()); err != nil {
		t.Fatal(err)
	} else {
		_ = conn.Close()
	}
	_ = server.Close()
	if _, err := l.Dial(t.Context()); err == nil {
		t.Error("the connection is accepted")
	}
}
