package paths

import (
	"fmt"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// list measures tools/list of all tools in one page, in process and over TCP.
func list(settings measure.Settings) ([]*report.Report, error) {
	request := wire.ModernList(1)
	all, err := peers(contenders.Hundred, request)
	if err != nil {
		return nil, err
	}
	page := replyOf(all[0])
	all = append([]contender{{name: noOp, handler: contenders.NoOp(page), request: request}}, all...)
	direct, err := inProcess(checkList, all...)
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("%d tools in one page. The no-op handler writes the bytes that Bowline answers (%d of them).", wire.Tools, len(page))
	inside := &report.Report{Title: "tools/list, 100 tools, in process", Note: note, Floor: noOp}
	if inside.Results, err = measure.RoundRobin(settings, direct); err != nil {
		return nil, err
	}
	inside.Budgets = []report.Budget{{What: "bowline less no-op", Measured: inside.Difference(bowline, noOp), Limit: 1, Unit: " µs"}}

	served, stop, err := overTCP(checkList, all...)
	if err != nil {
		return nil, err
	}
	defer stop()
	outside := &report.Report{Title: "tools/list, 100 tools, over TCP", Note: note, Floor: noOp}
	if outside.Results, err = measure.RoundRobin(settings, served); err != nil {
		return nil, err
	}
	outside.Budgets = []report.Budget{{What: "bowline to no-op", Measured: outside.Ratio(bowline, noOp), Limit: 1.2, Unit: "×"}}
	return []*report.Report{inside, outside}, nil
}

func checkList(body []byte) error {
	frames := wire.Frames(body)
	if len(frames) != 1 {
		return fmt.Errorf("%d messages in the reply, want one", len(frames))
	}
	return wire.CheckList(frames[0], 1)
}
