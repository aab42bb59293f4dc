package exchange_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/request/requesttest"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// wanting returns a call whose client wants log messages from this severity.
func wanting(severity spec.Severity) *requesttest.Call {
	return &requesttest.Call{Received: request.Facts{Client: request.Client{Log: severity}}}
}

// The levels of package slog are numbers, of which MCP names eight.
func TestALevelBetweenTwoBecomesTheLowerOne(t *testing.T) {
	t.Parallel()
	var want []string
	call := wanting(spec.SeverityInfo)
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

func TestNamesInAMessageAreUnique(t *testing.T) {
	t.Parallel()
	call := wanting(spec.SeverityDebug)
	logger := served(call).Log()
	logger.Info("text", "msg", 1, "msg", 2, "msg2", 3, "time", "noon", "level", slog.LevelInfo)
	logger.With("page", 7, "page", 8).Info("text", "page", 9)
	logger.WithGroup("g").With("a", 1).Info("text", "a", 2, "msg", 3)
	logger.Info("text", slog.Group("g", "a", 1, "a", map[string]any{"b": []int{1}}), slog.Group("g", "a", 1), "source", "\x1b\xff")
	want := []string{
		`log info {"msg":"text","msg2":1,"msg3":2,"msg22":3,"time":"noon","level":"INFO"}`,
		`log info {"msg":"text","page":7,"page2":8,"page3":9}`,
		`log info {"msg":"text","g":{"a":1,"a2":2,"msg":3}}`,
		`log info {"msg":"text","g":{"a":1,"a2":{"b":[1]}},"g2":{"a":1},"source":"\u001b\ufffd"}`,
	}
	got := call.Sent()
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], "\ufffd", `\ufffd`) // Go 1.27 doesn't escape it
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestAMessageHasTheAttributesOfItsLogger(t *testing.T) {
	t.Parallel()
	call := wanting(spec.SeverityDebug)
	logger := served(call).Log().With("page", 7).WithGroup("took")
	logger.Info("read", "ms", 3)
	if got, want := call.Sent(), []string{`log info {"msg":"read","page":7,"took":{"ms":3}}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
