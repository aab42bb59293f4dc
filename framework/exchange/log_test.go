package exchange_test

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/request/requesttest"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// The levels of package slog are numbers, of which MCP names eight.
func TestALevelBetweenTwoIsTheLower(t *testing.T) {
	t.Parallel()
	var want []string
	call := &requesttest.Call{Least: spec.SeverityInfo}
	request := served(call)
	for _, test := range []struct {
		level slog.Level
		name  string
	}{
		{slog.LevelInfo, "info"}, {slog.LevelInfo + 1, "info"}, {exchange.LevelNotice, "notice"}, {slog.LevelWarn - 1, "notice"},
		{slog.LevelWarn + 1, "warning"}, {slog.LevelError + 1, "error"}, {exchange.LevelCritical + 1, "critical"},
		{exchange.LevelAlert + 1, "alert"}, {exchange.LevelEmergency + 100, "emergency"},
	} {
		request.Log().Log(t.Context(), test.level, "said")
		want = append(want, "log "+test.name+` {"msg":"said"}`)
	}
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo - 1, slog.LevelDebug - 100} {
		request.Log().Log(t.Context(), level, "said") // debug, which the client does not want
	}
	if got := call.Sent(); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestAMessageHasTheAttributesOfItsLogger(t *testing.T) {
	t.Parallel()
	call := &requesttest.Call{}
	logger := served(call).Log().With("page", 7).WithGroup("took")
	logger.Info("read", "ms", 3)
	if got, want := call.Sent(), []string{`log info {"msg":"read","page":7,"took":{"ms":3}}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
