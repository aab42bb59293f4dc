//go:build linux || darwin

package mcp_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

func TestAThousandSlowBodiesTakeLittleMemory(t *testing.T) {
	const n = 1000
	haveFiles(t, 2*n+200)
	p := startProgram(t, mcp.Config{}, newWireServer())
	before := settled()
	begun := strings.Clone(rawCall(strings.Repeat("x", 4<<20), "echo")[:300])
	for range n {
		write(t, p.dial(t), begun)
	}
	eventually(t, "all requests are read", func() bool { return runtime.NumGoroutine() >= before.goroutines+n })
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	if held := stats.HeapAlloc + stats.StackInuse; held > 64<<20 {
		t.Errorf("%d slow bodies hold %d MiB", n, held>>20)
	}
}
