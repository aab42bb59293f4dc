// Package paths defines the measurements: one file for each path with a budget.
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
		{"guarded", guardedCall},
		{"legacy", legacyCall},
		{"tcp", callOverTCP},
		{"list", list},
		{"walk", walk},
		{"stdio", stdio},
		{"sse", sse},
		{"listen", listen},
		{"change", change},
		{"token", token},
		{"cold", coldStart},
		{"command", commandLine},
		{"dev", dev},
	}
}

// The names of the variants, to which budgets refer.
const (
	floor     = "floor"
	noOp      = "no-op"
	bowline   = report.Bowline
	goSDK     = "go-sdk"
	mcpGo     = "mcp-go"
	validated = "mcp-go validated"
	trpc      = "trpc-mcp-go"
)

// endpoint is the URL path that every contender serves.
const endpoint = "/mcp"

// contender is a server over HTTP, and the request for measuring it.
type contender struct {
	name    string
	handler http.Handler
	request wire.Request
	// lossy means that it doesn't always answer completely, so that its reply is checked up to
	// lossyTries times.
	lossy bool
	// serve, if set, serves over TCP with the contender's own HTTP server instead of a plain
	// http.Server with the handler.
	serve func() (address string, stop func() error, err error)
}

const lossyTries = 50

// peers returns the modern servers with the kit, Bowline first.
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

// check checks a whole reply body.
type check func(body []byte) error

// checkCall checks the answer to call number 1 of the echo tool.
func checkCall(body []byte) error {
	frames := wire.Frames(body)
	if len(frames) != 1 {
		return fmt.Errorf("%d messages in the reply, want one: %.300s", len(frames), body)
	}
	return wire.CheckCall(frames[0], 1)
}

// inProcess returns a variant of each contender that calls its handler directly. It returns an
// error if an answer is wrong.
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

// overTCP returns a variant of each contender that is served on loopback and called over one
// connection. It returns an error if an answer is wrong. Stop ends the servers.
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

// replyOf returns a copy of the contender's answer, for floors that write the same bytes.
func replyOf(c contender) []byte {
	handler := measure.NewHandler(c.handler, endpoint, c.request)
	defer handler.Close()
	return append([]byte(nil), handler.Do().Body...)
}
