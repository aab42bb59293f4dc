// Package metadata decides which metadata of clients an authorization server accepts and shows:
// redirect URIs, hosts and names (RFC 7591, section 2). Anybody can register a client, so the
// metadata may come from an attacker.
package metadata

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// CheckHost returns why the host of a URL isn't accepted. It is a name of ASCII letters, digits,
// dots, hyphens and underscores, so that one in another script is shown as browsers encode it
// (RFC 5890, A-labels), or an IP address.
func CheckHost(u *url.URL) error {
	name := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		if address, err := netip.ParseAddr(name); err != nil || !address.Is6() || address.Zone() != "" {
			return errors.New("its host is not an IPv6 address")
		}
	} else if name == "" {
		return errors.New("it has no host")
	} else if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") != "" || len(name) > 253 {
		return errors.New("its host has other characters than letters, digits, dots and hyphens, or is too long; use xn-- for a name in another script")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("its port is not a number from 1 to 65535")
		}
	}
	return nil
}

// Host returns the part of a redirect URI, or of the URL of a client, that users see: its host,
// or its private scheme.
func Host(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	if u.Scheme == "https" || u.Scheme == "http" {
		return u.Host
	}
	return u.Scheme + ":"
}

// Source returns the source of a content security policy that allows a redirect URI, which was
// checked. The policy knows no IPv6 addresses.
func Source(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return "'none'"
	}
	if (u.Scheme == "https" || u.Scheme == "http") && !strings.HasPrefix(u.Host, "[") {
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + ":"
}

// IsOnThisComputer reports whether a redirect URI leads to a program on the user's own machine:
// one at a loopback host, or one with a private scheme.
func IsOnThisComputer(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && u.Scheme != "https"
}
