package exchange_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/tools"
)

func TestAnErrorHasAnOutcomeThatSaysWhoHasToLookAtIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want exchange.Outcome
	}{
		{nil, "ok"},
		{&exchange.TypedResult{Type: "task"}, "ok"},
		{exchange.ErrInputRequired, "input required"},
		{tools.Errorf("No city %q.", "X"), "refused"},
		{fmt.Errorf("wrapped: %w", guardrails.Errorf("Too late.")), "refused"},
		{&exchange.AskError{Key: "q", Reason: "too late"}, "refused"},
		{exchange.ErrCannotAsk, "refused"},
		{exchange.ErrToolNotFound, "refused"},
		{exchange.ErrPromptNotFound, "refused"},
		{exchange.ErrResourceNotFound, "refused"},
		{exchange.ErrUnauthorized, "refused"},
		{&exchange.ScopeError{Needed: []string{"files:write"}}, "refused"},
		{&exchange.Error{Code: exchange.CodeInvalidParams, Message: "No."}, "refused"},
		{&exchange.Error{Code: exchange.CodeInternalError, Message: "Busy.", Status: 503}, "refused"},
		{&exchange.Error{Code: exchange.CodeInternalError, Message: "Broken."}, "failed"},
		{&exchange.Error{Code: exchange.CodeInternalError, Message: "Broken.", Status: 500}, "failed"},
		{errors.New("no disk"), "failed"},
		{exchange.ErrRequestTimeout, "failed"},
	} {
		if got := exchange.OutcomeOf(test.err); got != test.want {
			t.Errorf("%v: got %q, want %q", test.err, got, test.want)
		}
	}
}

func TestFailuresAndTimeoutsStandOutInTheLog(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[exchange.Outcome]slog.Level{
		exchange.OutcomeOK: slog.LevelInfo, exchange.OutcomeInputRequired: slog.LevelInfo, exchange.OutcomeRefused: slog.LevelInfo,
		exchange.OutcomeCanceled: slog.LevelInfo, exchange.OutcomeTimedOut: slog.LevelWarn,
		exchange.OutcomeFailed: slog.LevelError, exchange.OutcomePanicked: slog.LevelError,
	} {
		if got := outcome.Level(); got != want {
			t.Errorf("%s: got %s, want %s", outcome, got, want)
		}
	}
}
