// Package contenders builds the servers that the benchmark compares: Bowline, its peers, and the
// floors. Each is set up as its documentation recommends, with the same tools from the same Go
// types.
package contenders

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// Kit is the set of tools of a server.
type Kit int

const (
	// One is only the echo tool.
	One Kit = iota
	// Hundred is wire.Tools copies of the echo tool.
	Hundred
	// Thousand is ten times as many.
	Thousand
	// Stream is a tool that sends wire.Notifications progress notifications, then a result.
	Stream
)

// EchoTool and StreamTool are the names of the tools that are called.
const (
	EchoTool   = "echo"
	StreamTool = "stream"
)

const (
	name        = "bench"
	version     = "1.0.0"
	description = "Returns what it was given."
)

// echoNames are the names under which the kit has the echo tool.
func (k Kit) echoNames() []string {
	switch k {
	case Hundred, Thousand:
		names := make([]string, wire.Tools)
		if k == Thousand {
			names = make([]string, 10*wire.Tools)
		}
		for i := range names {
			names[i] = fmt.Sprintf("%s-%03d", EchoTool, i)
		}
		return names
	case Stream:
		return nil
	default:
		return []string{EchoTool}
	}
}

// echo is the handler with the signature that most contenders accept.
func echo(_ context.Context, in wire.EchoIn) (wire.EchoOut, error) { return wire.Echo(in), nil }
