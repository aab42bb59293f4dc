package mcptest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/slogtest"

	"github.com/bowline-mcp/bowline/internal/engine/request"
)

// The log of a program under test is what it is without the test.
func TestTheLogIsForwardedUnchanged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		log.Reset()
		return (&mistakes{}).logger(slog.New(slog.NewJSONHandler(&log, nil))).Handler()
	}, func(t *testing.T) (line map[string]any) {
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		return line
	})
}

func TestAMistakeIsFoundInALoggerOfALogger(t *testing.T) {
	t.Parallel()
	found := &mistakes{}
	logger := found.logger(slog.New(slog.DiscardHandler))
	logger.With("tool", "echo").WithGroup("call").With("id", 7).Warn("a mistake", "error", &request.Mistake{Text: "it is wrong"})
	if got := found.take(); len(got) != 1 || got[0].Text != "it is wrong" {
		t.Errorf("it finds %v", got)
	}
}
