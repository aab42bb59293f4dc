package paths

import (
	"fmt"
	"os"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

const inFlight = 32

// stdio measures tools/call of version 2026-07-28 to a child process over pipes: one at a time, then
// many in flight.
func stdio(settings measure.Settings) ([]*report.Report, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the benchmark's own program: %w", err)
	}
	lines := make([][]byte, 32*inFlight)
	for i := range lines {
		lines[i] = wire.ModernCall(i+1, contenders.EchoTool).Body
	}
	var pingPong, pipelined, logging []measure.Variant
	for _, name := range contenders.Children() {
		child, variant, err := startChild(program, name, name, lines[0])
		if err != nil {
			return nil, err
		}
		defer child.Stop()
		pingPong = append(pingPong, variant)
		variant.Run, variant.P50 = child.Pipeline(lines, inFlight), nil
		pipelined = append(pipelined, variant)
	}
	for name, contender := range contenders.Logging() {
		child, variant, err := startChild(program, name, contender, lines[0])
		if err != nil {
			return nil, err
		}
		defer child.Stop()
		logging = append(logging, variant)
	}
	const note = "A child process over pipes. CPU is what all threads of the child used, as the scheduler counts it. " +
		"The floor reads a line, decodes it, encodes the answer and writes it, one after another."
	one := &report.Report{Title: "stdio ping-pong, tools/call", Note: note, Floor: floor, ByCPU: true}
	if one.Results, err = measure.RoundRobin(settings, pingPong); err != nil {
		return nil, err
	}
	one.Budgets = []report.Budget{{What: "bowline to floor, CPU", Measured: one.Ratio(bowline, floor), Limit: 0.6, Unit: "×"}}
	many := &report.Report{Title: fmt.Sprintf("stdio, %d in flight, tools/call", inFlight), Note: note, Floor: floor, ByCPU: true}
	if many.Results, err = measure.RoundRobin(settings, pipelined); err != nil {
		return nil, err
	}
	logged := &report.Report{Title: "stdio ping-pong with a log line, tools/call", Note: note + " Both write a line of text to stderr for each call.", Floor: floor, ByCPU: true}
	if logged.Results, err = measure.RoundRobin(settings, logging); err != nil {
		return nil, err
	}
	logged.Budgets = []report.Budget{{What: "bowline to floor, CPU", Measured: logged.Ratio(bowline, floor), Limit: 0.7, Unit: "×"}}
	return []*report.Report{one, many, logged}, nil
}

// startChild starts a contender, checks its answer to a line, and returns it with its ping-pong under a name.
func startChild(program, name, contender string, line []byte) (*measure.Child, measure.Variant, error) {
	child, err := measure.StartChild(program, "child", contender)
	if err != nil {
		return nil, measure.Variant{}, fmt.Errorf("%s: %w", contender, err)
	}
	if err := checkLine(child, line); err != nil {
		child.Stop()
		return nil, measure.Variant{}, fmt.Errorf("%s: %w", contender, err)
	}
	return child, measure.Variant{Name: name, CPU: child.CPU, Elsewhere: true, Run: child.PingPong(line), P50: child.P50}, nil
}

func checkLine(child *measure.Child, line []byte) error {
	if err := child.Send(line); err != nil {
		return err
	}
	reply, err := child.Receive()
	if err != nil {
		return err
	}
	return wire.CheckCall(reply, 1)
}
