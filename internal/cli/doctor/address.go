package doctor

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
)

// listening finds out whether the app can listen at its address.
func listening(ctx context.Context, addr string) finding.Finding {
	const subject = "address"
	listener, err := net.Listen("tcp", addr)
	if err == nil {
		_ = listener.Close() // nobody has connected
		return finding.OK(subject, addr+" is free")
	}
	if !address.IsInUse(err) {
		return finding.Broken(subject, fmt.Sprintf("the app can't listen at %s: %v", addr, err), "set APP_ADDR to another address")
	}
	by := owner(addr)
	if by == "" {
		by = "a program"
	}
	if endpoint.IsReady(ctx, addr) {
		return finding.Hint(subject, fmt.Sprintf("%s serves at %s already; is it this app?", by, addr), "stop it before mcp serve, or set APP_ADDR to another address")
	}
	return finding.Broken(subject, fmt.Sprintf("%s listens at %s already", by, addr), "stop it, or set APP_ADDR to another address")
}

// owner returns the program that listens at the port of an address. It is "" if the system
// doesn't say, as for a program of another user; only Linux says it in files.
func owner(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	number, err := net.LookupPort("tcp", port)
	if err != nil {
		return ""
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		lines, _ := os.ReadFile(table)
		for line := range strings.Lines(string(lines)) {
			fields := strings.Fields(line)
			const listens, local, state, inode = "0A", 1, 3, 9
			if len(fields) > inode && fields[state] == listens && strings.HasSuffix(fields[local], fmt.Sprintf(":%04X", number)) {
				return holder("socket:[" + fields[inode] + "]")
			}
		}
	}
	return ""
}

// holder returns the program that has a socket open.
func holder(socket string) string {
	descriptors, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err != nil || target != socket {
			continue
		}
		process := filepath.Dir(filepath.Dir(descriptor))
		name, err := os.ReadFile(filepath.Join(process, "comm"))
		if err != nil {
			return ""
		}
		return fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), filepath.Base(process))
	}
	return ""
}
