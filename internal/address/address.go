// Package address answers questions about the addresses that programs listen at, and about
// the hosts of URLs.
package address

import (
	"errors"
	"net"
	"net/url"
	"strings"
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

// Host returns the host of a URL with a scheme as browsers write it: in lower case, and
// without the default port of the scheme.
func Host(scheme, host string) string {
	port := ":80"
	if strings.EqualFold(scheme, "https") {
		port = ":443"
	}
	return strings.TrimSuffix(strings.ToLower(host), port)
}

// Origin returns the scheme, host and port of a URL as browsers write them.
func Origin(u *url.URL) string { return strings.ToLower(u.Scheme) + "://" + Host(u.Scheme, u.Host) }
