// Package address answers questions about the addresses that programs listen at.
package address

import (
	"errors"
	"net"
	"syscall"
)

// inUseOnWindows is WSAEADDRINUSE, which package syscall doesn't match with EADDRINUSE.
const inUseOnWindows = syscall.Errno(10048)

// IsInUse reports whether net.Listen failed because a program listens at the address already.
func IsInUse(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, inUseOnWindows)
}

// IsUnspecified reports whether a host means all addresses of the machine, as in :8080,
// 0.0.0.0:8080 and [::]:8080. Clients need the name or number of one.
func IsUnspecified(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
