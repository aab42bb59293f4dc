package paths

import (
	"fmt"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// callContenders returns the contenders for a call of version 2026-07-28, with the floors first.
func callContenders() ([]contender, error) {
	request := wire.ModernCall(1, contenders.EchoTool)
	all, err := peers(contenders.One, request)
	if err != nil {
		return nil, err
	}
	return append([]contender{
		{name: noOp, handler: contenders.NoOp(replyOf(all[0])), request: request},
		{name: floor, handler: contenders.Floor(), request: request},
	}, all...), nil
}

// call measures tools/call of version 2026-07-28, with direct calls of the handler.
func call(settings measure.Settings) ([]*report.Report, error) {
	all, err := callContenders()
	if err != nil {
		return nil, err
	}
	logging, err := contenders.BowlineLogging(contenders.One, endpoint)
	if err != nil {
		return nil, fmt.Errorf("build the bowline server: %w", err)
	}
	variants, err := inProcess(checkCall, append(all, contender{name: "bowline, logging", handler: logging, request: all[0].request})...)
	if err != nil {
		return nil, err
	}
	r := &report.Report{
		Title: "tools/call " + wire.Modern + ", in process",
		Note: "The http.Handler called with a recorder that allocates nothing. Bowline is the whole App: routing, and every limit on; as the peers it writes no log, but for the last row. " +
			"The floor decodes the message and encodes the reply once with encoding/json.",
		Floor: floor,
	}
	if r.Results, err = measure.RoundRobin(settings, variants); err != nil {
		return nil, err
	}
	r.Budgets = []report.Budget{
		{What: "bowline to floor", Measured: r.Ratio(bowline, floor), Limit: 0.6, Unit: "×"},
		{What: "bowline allocs/op", Measured: r.Allocs(bowline), Limit: 12},
		{What: "mcp-go validated to bowline", Measured: r.Ratio(validated, bowline), Limit: 20, AtLeast: true, Unit: "×"},
		{What: "go-sdk to bowline", Measured: r.Ratio(goSDK, bowline), Limit: 100, AtLeast: true, Unit: "×"},
	}
	return []*report.Report{r}, nil
}

// callOverTCP measures tools/call of version 2026-07-28 over one keep-alive connection on loopback.
func callOverTCP(settings measure.Settings) ([]*report.Report, error) {
	all, err := callContenders()
	if err != nil {
		return nil, err
	}
	variants, stop, err := overTCP(checkCall, all...)
	if err != nil {
		return nil, err
	}
	defer stop()
	r := &report.Report{
		Title: "tools/call " + wire.Modern + ", over TCP",
		Note: "One keep-alive connection on loopback; the client sends encoded bytes and allocates nothing. " +
			"The no-op handler reads the body and writes the bytes that Bowline answers.",
		Floor: noOp,
	}
	if r.Results, err = measure.RoundRobin(settings, variants); err != nil {
		return nil, err
	}
	r.Budgets = []report.Budget{{What: "bowline to no-op", Measured: r.Ratio(bowline, noOp), Limit: 1.15, Unit: "×"}}
	return []*report.Report{r}, nil
}
