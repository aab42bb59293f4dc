package measure_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

func TestHandlerAddsNoAllocations(t *testing.T) {
	handler := measure.NewHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body) //nolint:errcheck // writing to a recorder can't fail
	}), "/mcp", wire.ModernCall(1, "echo"))
	defer handler.Close()
	if got := testing.AllocsPerRun(200, func() { handler.Do() }); got > 0 {
		t.Errorf("%v allocations a call, want none", got)
	}
}

func TestHandlerSendsTheWholeRequestEachTime(t *testing.T) {
	t.Parallel()
	request := wire.ModernCall(7, "echo")
	handler := measure.NewHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != string(request.Body) || r.Header.Get("Mcp-Name") != "echo" || r.URL.Path != "/mcp" {
			http.Error(w, "not the request", http.StatusTeapot)
		}
		r.Body, r.URL = nil, nil // a handler may do that
	}), "/mcp", request)
	defer handler.Close()
	for range 200 {
		if reply := handler.Do(); reply.Status == http.StatusTeapot {
			t.Fatal("a later call got another request than the first")
		}
	}
}

func TestRunReportsARefusal(t *testing.T) {
	t.Parallel()
	handler := measure.NewHandler(http.NotFoundHandler(), "/mcp", wire.ModernList(1))
	defer handler.Close()
	if err := handler.Run(1); err == nil || !strings.HasPrefix(err.Error(), "status 404") {
		t.Errorf("got %v, want the status", err)
	}
}
