// Victim is the program that docs/soak abuses. It serves three tools at /mcp on a free loopback port, whose address it
// prints, with the default configuration and logger. When it has stopped, it prints the ids of the calls of the tool small
// that ran, one a line.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// cost is how much processor time a call of the tool costly takes.
const cost = 36 * time.Millisecond

// A victim is a server with the tools of the program.
type victim struct {
	servers.Server
	rounds int // of hashing, for the cost of a call

	lock sync.Mutex
	ran  []string // the ids of the calls of small
}

// Tools returns the tools.
func (v *victim) Tools() []servers.Tool {
	return []servers.Tool{
		tools.New(tools.Definition{Name: "small", Description: "Returns its id.", InputSchema: idSchema()}, v.small),
		tools.New(tools.Definition{Name: "waits", Description: "Waits for 50 ms.", InputSchema: idSchema()}, waits),
		tools.New(tools.Definition{Name: "costly", Description: "Keeps a processor busy.", InputSchema: idSchema()}, v.costly),
	}
}

// idSchema is the schema of the arguments of both tools.
func idSchema() []byte { return []byte(`{"type":"object","properties":{"id":{"type":"string"}}}`) }

func (v *victim) small(_ context.Context, r *tools.Request) (tools.Result, error) {
	v.lock.Lock()
	v.ran = append(v.ran, r.String("id"))
	v.lock.Unlock()
	return tools.Text(r.String("id")), nil
}

func waits(context.Context, *tools.Request) (tools.Result, error) {
	time.Sleep(50 * time.Millisecond)
	return tools.Text("done"), nil
}

func (v *victim) costly(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(fmt.Sprintf("%x", hash(v.rounds))), nil
}

// hash keeps a processor busy.
func hash(rounds int) (sum [sha256.Size]byte) {
	for range rounds {
		sum = sha256.Sum256(sum[:])
	}
	return sum
}

// calibrate returns how many rounds of hashing take the cost of a call.
func calibrate() int {
	const rounds = 100_000
	begun := time.Now()
	hash(rounds)
	return int(rounds * cost / time.Since(begun))
}

func main() { os.Exit(run(os.Stdout)) }

// run serves until SIGTERM, and returns the exit code.
func run(stdout io.Writer) int {
	v := &victim{rounds: calibrate()}
	app := mcp.New(mcp.Config{Addr: "127.0.0.1:0"})
	app.Router.Web("/mcp", v)
	events.Listen(app.Events, func(_ context.Context, started events.Started) { _, _ = fmt.Fprintln(stdout, started.Address) })
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	code := app.Run(ctx, []string{"serve"}, nil, io.Discard, os.Stderr)
	stop()
	out := bufio.NewWriter(stdout)
	for _, id := range v.ran {
		_, _ = fmt.Fprintln(out, id)
	}
	_ = out.Flush()
	return code
}
