package fetch

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Reach is the set of the addresses that a client connects to.
type Reach int

const (
	// Everywhere is every address.
	Everywhere Reach = iota

	// OffLink is every address but those of this machine and its link, where cloud providers
	// serve secrets. It has the private networks: issuers of companies are there.
	OffLink

	// Public is the public Internet. It is for URLs that strangers name.
	Public
)

// The errors for an address outside the reach.
var (
	ErrInternal  = errors.New("the address is loopback, link-local or unspecified, and another server must not point there; if a proxy listens there, set Client")
	ErrNotPublic = errors.New("the address is not public")
)

// ReachFrom returns the reach for the URLs that the server at a URL names: a server on another
// machine must not send requests to this one.
func ReachFrom(server string) Reach {
	if u, err := url.Parse(server); err == nil && naming.IsLoopback(u.Hostname()) {
		return Everywhere
	}
	return OffLink
}

// CheckURL returns why secrets must not be sent to a URL. Only names are left to the
// connection, which checks what they resolve to.
func (r Reach) CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("it is not a URL")
	case u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("it is not an https URL")
	case u.Scheme != "https" && (r != Everywhere || !naming.IsSecure(u)):
		return errors.New("it must be an https URL; http is allowed on loopback, if the issuer is there too")
	case u.User != nil || u.Fragment != "":
		return errors.New("it must not have a user or a fragment")
	case strings.EqualFold(u.Hostname(), "localhost"):
		return r.check(netip.IPv6Loopback())
	}
	if address, err := netip.ParseAddr(u.Hostname()); err == nil {
		return r.check(address)
	}
	return nil
}

// check returns an error for an address outside the reach.
func (r Reach) check(address netip.Addr) error {
	address = address.Unmap()
	switch {
	case r == Public && !isPublic(address):
		return ErrNotPublic
	case r == OffLink && (address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsMulticast() || address.IsUnspecified()):
		return ErrInternal
	}
	return nil
}

// isPublic reports whether an address is one of the public Internet, which special-purpose
// registries don't reserve (RFC 6890). One with a zone is not.
func isPublic(address netip.Addr) bool {
	reserved := []string{"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"}
	if address.Is4() {
		reserved = []string{
			"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24",
			"192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		}
	} else if !netip.MustParsePrefix("2000::/3").Contains(address) {
		return false
	}
	return !slices.ContainsFunc(reserved, func(prefix string) bool { return netip.MustParsePrefix(prefix).Contains(address) })
}
