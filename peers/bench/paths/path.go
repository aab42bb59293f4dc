// Package paths holds what is measured: one file for each path that has a budget.
package paths

import (
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/peers/bench/contenders"
	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/report"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// Path is one row of the speed budget.
type Path struct {
	// Row is the short name that the -row flag matches.
	Row string
	// Run measures the path.
	Run func(measure.Settings) ([]*report.Report, error)
}

// All returns the paths in the order in which they are printed.
func All() []Path {
	return []Path{
		{"call", call},
		{"legacy", legacyCall},
		{"tcp", callOverTCP},
		{"list", list},
		{"walk", walk},
		{"stdio", stdio},
		{"sse", sse},
		{"listen", listen},
		{"change", change},
		{"cold", coldStart},
	}
}

// The names of the variants, which the budgets refer to.
const (
	floor     = "floor"
	noOp      = "no-op"
	bowline   = report.Bowline
	goSDK     = "go-sdk"
	mcpGo     = "mcp-go"
	validated = "mcp-go validated"
	trpc      = "trpc-mcp-go"
)

// endpoint is the path that every contender serves.
const endpoint = "/mcp"

// contender is a server over HTTP, and the request that it is measured with.
type contender struct {
	name    string
	handler http.Handler
	request wire.Request
	// lossy is set for one that does not always answer in full, so that its reply is checked up to lossyTries times.
	lossy bool
	// serve, if set, serves over TCP in the contender's own way, in place of a plain http.Server with the handler.
	serve func() (address string, stop func() error, err error)
}

const lossyTries = 50

// peers are the modern servers that have the kit, Bowline first.
func peers(kit contenders.Kit, request wire.Request) ([]contender, error) {
	handler, err := contenders.Bowline(kit, endpoint)
	if err != nil {
		return nil, fmt.Errorf("build the bowline server: %w", err)
	}
	return []contender{
		{name: bowline, handler: handler, request: request,
			serve: func() (string, func() error, error) { return contenders.BowlineServe(kit, endpoint) }},
		{name: validated, handler: contenders.MCPGo(kit, true), request: request},
		{name: mcpGo, handler: contenders.MCPGo(kit, false), request: request},
		{name: goSDK, handler: contenders.GoSDK(kit, true), request: request},
	}, nil
}

// check is a test of a whole reply body.
type check func(body []byte) error

// checkCall tests the answer to call number 1 of the echo tool.
func checkCall(body []byte) error {
	frames := wire.Frames(body)
	if len(frames) != 1 {
		return fmt.Errorf("%d messages in the reply, want one: %.300s", len(frames), body)
	}
	return wire.CheckCall(frames[0], 1)
}

// inProcess makes a variant of each contender that calls its handler directly, and refuses one that answers wrongly.
func inProcess(check check, all ...contender) ([]measure.Variant, error) {
	var variants []measure.Variant
	for _, c := range all {
		handler := measure.NewHandler(c.handler, endpoint, c.request)
		if err := check(handler.Do().Body); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		variants = append(variants, measure.Variant{Name: c.name, Run: handler.Run})
	}
	return variants, nil
}

// overTCP makes a variant of each contender that is served on loopback and asked over one connection, and refuses one
// that answers wrongly. The returned function ends the servers.
func overTCP(check check, all ...contender) (variants []measure.Variant, stop func(), err error) {
	var stops []func() error
	stop = func() {
		for _, s := range stops {
			s() //nolint:errcheck // the measurement is over
		}
	}
	for _, c := range all {
		serve := c.serve
		if serve == nil {
			serve = func() (string, func() error, error) { return measure.Listen(&http.Server{Handler: c.handler}) }
		}
		address, end, err := serve()
		if err != nil {
			stop()
			return nil, nil, err
		}
		stops = append(stops, end)
		conn, err := measure.Dial(address, endpoint, c.request)
		if err != nil {
			stop()
			return nil, nil, err
		}
		stops = append(stops, conn.Close)
		if err := checkOverTCP(conn, check, c.lossy); err != nil {
			stop()
			return nil, nil, fmt.Errorf("%s: %w", c.name, err)
		}
		variants = append(variants, measure.Variant{Name: c.name, Run: conn.Run})
	}
	return variants, stop, nil
}

func checkOverTCP(conn *measure.Conn, check check, lossy bool) error {
	tries := 1
	if lossy {
		tries = lossyTries
	}
	var wrong error
	for range tries {
		body, err := conn.Do()
		if err != nil {
			return err
		}
		if wrong = check(body); wrong == nil {
			return nil
		}
	}
	return wrong
}

// replyOf returns a copy of what the contender answers, for floors that write the same bytes.
func replyOf(c contender) []byte {
	handler := measure.NewHandler(c.handler, endpoint, c.request)
	defer handler.Close()
	return append([]byte(nil), handler.Do().Body...)
}
