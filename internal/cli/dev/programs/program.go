package programs

import (
	"context"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/cli/process"
)

// The limits of a program.
const (
	StartLimit = 10 * time.Second // from the start to the first answer
	StopLimit  = 15 * time.Second // for the stop; its own limits are shorter, unless the app sets them
)

// A Program is a process of the app that serves clients.
type Program[T any] struct {
	*process.Process
	Transport  T // how messages reach it
	Stderr     *applog.Stderr
	Generation int
	Retired    context.Context // ends when the program gets no new requests

	retire context.CancelFunc
	stop   func()

	// Guarded by the lock of the set.
	requests int // running
	stopped  bool
}

// endIdle stops the program if another one has replaced it and it has no requests. The caller holds
// the lock of the set.
func (p *Program[T]) endIdle() {
	if p.Retired.Err() != nil && p.requests == 0 {
		p.end()
	}
}

// end stops the program. The caller holds the lock of the set.
func (p *Program[T]) end() {
	if !p.stopped {
		p.stopped = true
		go p.stop()
	}
}
