package mcp_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// partings are the ways in which clients leave a program. Each function starts a program, and returns a round: clients that use the
// program and leave.
type partings map[string]func(t *testing.T) (p *program, round func())

// leaveNothing fails the test if a second round leaves goroutines or memory behind. The program frees the state of its clients after the
// idle time. The rounds of all partings run one after the other, and their remains are measured together; in the nightly run, each
// parting has a test of its own, which names it.
func (p partings) leaveNothing(t *testing.T, idle time.Duration) {
	t.Helper()
	if gatetest.Nightly() {
		for name, parting := range p {
			t.Run(name, func(t *testing.T) { partings{name: parting}.measure(t, idle, 1<<20) })
		}
		return
	}
	p.measure(t, idle, 256<<10)
	if t.Failed() {
		t.Log("to see which clients leave something behind, set BOWLINE_NIGHTLY=1")
	}
}

func (p partings) measure(t *testing.T, idle time.Duration, slack uint64) {
	t.Helper()
	var programs []*program
	var rounds []func()
	for _, start := range p {
		program, round := start(t)
		program.log.mute() // a log grows
		programs, rounds = append(programs, program), append(rounds, round)
	}
	all := func() {
		for _, round := range rounds {
			round()
		}
	}
	all() // after which the runtime keeps some memory
	time.Sleep(idle * 3 / 2)
	before := settled()
	all()
	before.returnsTo(t, slack)
	for _, program := range programs { // all at once, since each takes a moment to end
		program.stop()
	}
}

// A footprint has the resources that a program uses.
type footprint struct {
	goroutines int
	bytes      uint64 // of the heap; stacks are freed with their goroutines, although the runtime keeps some for later ones
}

// settled returns the footprint of a program after all work has ended.
func settled() footprint {
	before := footprintNow()
	for now := before; ; before = now {
		time.Sleep(50 * time.Millisecond)
		if now = footprintNow(); now.goroutines == before.goroutines {
			return now
		}
	}
}

func footprintNow() footprint {
	runtime.GC()
	runtime.GC() // the second one frees pooled memory
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return footprint{runtime.NumGoroutine(), stats.HeapAlloc}
}

// returnsTo waits until the footprint is about the same as before.
func (before footprint) returnsTo(t *testing.T, slack uint64) {
	t.Helper()
	var now footprint
	for start := time.Now(); time.Since(start) < 30*time.Second; time.Sleep(50 * time.Millisecond) {
		if now = footprintNow(); now.goroutines <= before.goroutines && now.bytes <= before.bytes+slack {
			return
		}
	}
	t.Errorf("%d goroutines and %d KiB are left, there were %d and %d KiB", now.goroutines, now.bytes>>10, before.goroutines, before.bytes>>10)
}
