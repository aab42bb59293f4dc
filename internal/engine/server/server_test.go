package server_test

import (
	"io"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
)

// assertMistake checks the error of opening a server with mistakes.
func assertMistake(t *testing.T, server servers.Interface, wants ...string) {
	t.Helper()
	_, err := servertest.New(server, servertest.Config(io.Discard))
	if err == nil {
		t.Fatal("nothing was found")
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got\n%v\nwant …%s…", err, want)
		}
	}
}
