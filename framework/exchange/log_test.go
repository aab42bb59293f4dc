package exchange_test

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

// The levels of package slog are numbers, of which MCP names eight.
func TestALevelBetweenTwoIsTheLower(t *testing.T) {
	t.Parallel()
	var want []string
	link := &wire{}
	request := exchange.New(link)
	for _, test := range []struct {
		level slog.Level
		name  string
	}{
		{slog.LevelInfo, "info"}, {slog.LevelInfo + 1, "info"}, {exchange.LevelNotice, "notice"}, {slog.LevelWarn - 1, "notice"},
		{slog.LevelWarn + 1, "warning"}, {slog.LevelError + 1, "error"}, {exchange.LevelCritical + 1, "critical"},
		{exchange.LevelAlert + 1, "alert"}, {exchange.LevelEmergency + 100, "emergency"},
	} {
		request.Log().Log(t.Context(), test.level, "said")
		want = append(want, test.name+` {"msg":"said"}`)
	}
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo - 1, slog.LevelDebug - 100} {
		request.Log().Log(t.Context(), level, "said") // debug, which the link does not want
	}
	if !slices.Equal(link.sent, want) {
		t.Errorf("got\n%q, want\n%q", link.sent, want)
	}
}
