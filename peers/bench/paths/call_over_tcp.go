package paths

import (
	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// callOverTCP measures tools/call of version 2026-07-28 over one keep-alive connection on loopback.
func callOverTCP(settings measure.Settings) ([]*report.Report, error) {
	request := wire.ModernCall(1, contenders.EchoTool)
	all, err := peers(contenders.One, request)
	if err != nil {
		return nil, err
	}
	all = append([]contender{
		{name: noOp, handler: contenders.NoOp(replyOf(all[0])), request: request},
		{name: floor, handler: contenders.Floor(), request: request},
	}, all...)
	variants, stop, err := overTCP(checkCall, all...)
	if err != nil {
		return nil, err
	}
	defer stop()
	results, err := measure.RoundRobin(settings, variants)
	if err != nil {
		return nil, err
	}
	r := &report.Report{
		Title: "tools/call " + wire.Modern + ", over TCP",
		Note: "One keep-alive connection on loopback; the client sends encoded bytes and allocates nothing. " +
			"The no-op handler reads the body and writes the bytes that Bowline answers.",
		Results: results, Floor: noOp,
	}
	r.Budgets = []report.Budget{{What: "bowline to no-op", Measured: r.Ratio(bowline, noOp), Limit: 1.15, Unit: "×"}}
	return []*report.Report{r}, nil
}
