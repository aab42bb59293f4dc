package paths

import (
	"fmt"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// legacyCall measures tools/call in a session, with direct calls of the handler. It includes
// Bowline's modern call, because the budget is relative to it.
func legacyCall(settings measure.Settings) ([]*report.Report, error) {
	const modern = "bowline, " + wire.Modern
	own, err := contenders.Bowline(contenders.One, endpoint)
	if err != nil {
		return nil, fmt.Errorf("build the bowline server: %w", err)
	}
	request := wire.LegacyCall(1, contenders.EchoTool)
	all := []contender{
		{name: bowline, handler: own, request: request},
		{name: trpc, handler: contenders.TRPC(contenders.One, endpoint), request: request},
		{name: validated, handler: contenders.MCPGo(contenders.One, true), request: request},
		{name: mcpGo, handler: contenders.MCPGo(contenders.One, false), request: request},
		{name: goSDK, handler: contenders.GoSDK(contenders.One, false), request: request},
	}
	for i := range all {
		if all[i].request, err = inSession(all[i].handler, request); err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].name, err)
		}
	}
	all = append([]contender{
		{name: floor, handler: contenders.Floor(), request: request},
		{name: modern, handler: own, request: wire.ModernCall(1, contenders.EchoTool)},
	}, all...)
	variants, err := inProcess(checkCall, all...)
	if err != nil {
		return nil, err
	}
	results, err := measure.RoundRobin(settings, variants)
	if err != nil {
		return nil, err
	}
	r := &report.Report{
		Title: "tools/call in a session, in process",
		Note: "Version " + wire.Legacy + " with Mcp-Session-Id; trpc-mcp-go agrees on 2025-03-26, the newest that it has a session for, " +
			"and validates nothing. The floor has no sessions.",
		Results: results, Floor: floor,
	}
	r.Budgets = []report.Budget{
		{What: "legacy to modern, both bowline", Measured: r.Ratio(bowline, modern), Limit: 1.1, Unit: "×"},
	}
	return []*report.Report{r}, nil
}
