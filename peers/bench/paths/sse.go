package paths

import (
	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// byHand is the floor of the stream, which writes and flushes each frame.
const byHand = "by hand"

// sse measures a call that sends notifications before its result, over TCP.
func sse(settings measure.Settings) ([]*report.Report, error) {
	request := wire.ModernStream(1, contenders.StreamTool)
	all, err := peers(contenders.Stream, request)
	if err != nil {
		return nil, err
	}
	// There is nothing to validate, so mcp-go validated would equal mcp-go.
	all = []contender{{name: byHand, handler: contenders.ByHand(wire.Frames(replyOf(all[0]))), request: request}, all[0], all[2], all[3]}
	all[2].lossy = true
	variants, stop, err := overTCP(checkStream, all...)
	if err != nil {
		return nil, err
	}
	defer stop()
	r := &report.Report{
		Title: "SSE, 100 notifications and a result, over TCP",
		Note: "Progress notifications of one call. The floor writes Bowline's frames and flushes each. " +
			"mcp-go v1.2.1 loses a notification now and then.",
		Floor: byHand,
	}
	if r.Results, err = measure.RoundRobin(settings, variants); err != nil {
		return nil, err
	}
	r.Budgets = []report.Budget{{What: "bowline to by hand", Measured: r.Ratio(bowline, byHand), Limit: 1, Unit: "×"}}
	return []*report.Report{r}, nil
}

func checkStream(body []byte) error { return wire.CheckStream(wire.Frames(body), 1) }
