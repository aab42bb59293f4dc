package paths

import (
	"fmt"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// The variants of a guarded call.
const (
	behindJWT    = "bowline, JWT"
	behindStatic = "bowline, static token"
)

// guardedCall measures what a guard adds to tools/call of version 2026-07-28, with a token
// that the server has seen before.
func guardedCall(settings measure.Settings) ([]*report.Report, error) {
	request := wire.ModernCall(1, contenders.EchoTool)
	open, err := contenders.Bowline(contenders.One, endpoint)
	if err != nil {
		return nil, fmt.Errorf("build the bowline server: %w", err)
	}
	jwt, stop, err := contenders.BowlineJWT(contenders.One, endpoint)
	if err != nil {
		return nil, fmt.Errorf("build the bowline server behind an issuer: %w", err)
	}
	defer stop()
	static, err := contenders.BowlineStatic(contenders.One, endpoint)
	if err != nil {
		return nil, fmt.Errorf("build the bowline server behind a static token: %w", err)
	}
	sdk := contenders.GoSDKGuarded(contenders.One)
	variants, err := inProcess(checkCall,
		contender{name: floor, handler: contenders.Floor(), request: request},
		contender{name: bowline, handler: open, request: request},
		contender{name: behindJWT, handler: jwt.Handler, request: request.WithToken(jwt.Token)},
		contender{name: behindStatic, handler: static.Handler, request: request.WithToken(static.Token)},
		contender{name: goSDK, handler: contenders.GoSDK(contenders.One, true), request: request},
		contender{name: "go-sdk, guarded", handler: sdk.Handler, request: request.WithToken(sdk.Token)},
	)
	if err != nil {
		return nil, err
	}
	settings.Rounds, settings.Time = settings.Rounds*5, settings.Time/8 // the machine's speed changes by more than the difference within a second
	results, err := measure.RoundRobin(settings, variants)
	if err != nil {
		return nil, err
	}
	r := &report.Report{
		Title: "guarded tools/call " + wire.Modern + ", in process",
		Note: fmt.Sprintf("A call with an access token that the server has seen before, beside one without a guard. The JWT has %d bytes and is signed with RS256. ", len(jwt.Token)) +
			fmt.Sprintf("The verifier of the official SDK accepts every token without checking it. Medians of %d rounds of %v.", settings.Rounds, settings.Time),
		Results: results, Floor: floor,
	}
	r.Budgets = []report.Budget{
		{What: "JWT less unguarded", Measured: r.Difference(behindJWT, bowline), Limit: 0.7, Unit: " µs"},
		{What: "JWT less unguarded, allocs/op", Measured: r.Allocs(behindJWT) - r.Allocs(bowline), Limit: 4},
	}
	return []*report.Report{r}, nil
}
