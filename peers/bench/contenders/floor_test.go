package contenders_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

func TestFloorAnswersInTheEraOfTheCall(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	in := string(wire.ModernCall(1, contenders.EchoTool).Body) + "\n" + string(wire.LegacyCall(2, contenders.EchoTool).Body) + "\n"
	if err := contenders.FloorStdio(strings.NewReader(in), &out, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d answers, want 2", len(lines))
	}
	for i, modern := range []bool{true, false} {
		if err := wire.CheckCall([]byte(lines[i]), i+1); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(lines[i], "resultType"); got != modern {
			t.Errorf("resultType is there: %v, want %v: %s", got, modern, lines[i])
		}
	}
}

func TestServeChildNamesTheContenders(t *testing.T) {
	t.Parallel()
	if err := contenders.ServeChild(t.Context(), "nobody"); err == nil || !strings.Contains(err.Error(), "mcp-go validated") {
		t.Errorf("got %v, want the names", err)
	}
}
