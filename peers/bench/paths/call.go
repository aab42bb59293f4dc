package paths

import (
	"fmt"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// call measures tools/call of version 2026-07-28, with direct calls of the handler.
func call(settings measure.Settings) ([]*report.Report, error) {
	request := wire.ModernCall(1, contenders.EchoTool)
	all, err := peers(contenders.One, request)
	if err != nil {
		return nil, err
	}
	all = append([]contender{
		{name: noOp, handler: contenders.NoOp(replyOf(all[0])), request: request},
		{name: floor, handler: contenders.Floor(), request: request},
	}, all...)
	logging, err := contenders.BowlineLogging(contenders.One, endpoint)
	if err != nil {
		return nil, fmt.Errorf("build the bowline server: %w", err)
	}
	all = append(all, contender{name: "bowline, logging", handler: logging, request: request})
	variants, err := inProcess(checkCall, all...)
	if err != nil {
		return nil, err
	}
	results, err := measure.RoundRobin(settings, variants)
	if err != nil {
		return nil, err
	}
	r := &report.Report{
		Title: "tools/call " + wire.Modern + ", in process",
		Note: "The http.Handler called with a recorder that allocates nothing. Bowline is the whole App: routing, and every limit on; as the peers it writes no log, but for the last row. " +
			"The floor decodes the message and encodes the reply once with encoding/json.",
		Results: results, Floor: floor,
	}
	r.Budgets = []report.Budget{
		{What: "bowline to floor", Measured: r.Ratio(bowline, floor), Limit: 0.6, Unit: "×"},
		{What: "bowline allocs/op", Measured: r.Allocs(bowline), Limit: 12},
		{What: "mcp-go validated to bowline", Measured: r.Ratio(validated, bowline), Limit: 20, AtLeast: true, Unit: "×"},
		{What: "go-sdk to bowline", Measured: r.Ratio(goSDK, bowline), Limit: 100, AtLeast: true, Unit: "×"},
	}
	return []*report.Report{r}, nil
}
