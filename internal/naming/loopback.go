package naming

import (
	"net"
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

// IsLoopbackAddress reports whether the host of an address such as 127.0.0.1:8080 is one.
func IsLoopbackAddress(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && IsLoopback(host)
}

// IsLoopbackURL reports whether the host of a URL is one.
func IsLoopbackURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && IsLoopback(u.Hostname())
}

// IsSecure reports whether nobody on the way can read what is sent to a URL: it begins with
// https://, or names this machine.
func IsSecure(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname())
}
