package naming

import (
	"net/netip"
	"net/url"
	"strings"
)

// IsLoopback reports whether a host is localhost or a loopback address.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// IsSecure reports whether nobody on the way can read what is sent to a URL: it begins with
// https://, or names this machine.
func IsSecure(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname())
}
