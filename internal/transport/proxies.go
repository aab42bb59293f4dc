package transport

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks whose word is taken for who calls. Any client may send the
// headers by which a proxy says that, so those of others count for nothing.
type Proxies []netip.Prefix

// ParseProxies returns the proxies of a list of addresses and networks. It refuses a
// network of everybody, which would believe every client.
func ParseProxies(list []string) (Proxies, error) {
	var proxies Proxies
	for _, text := range list {
		prefix, err := netip.ParsePrefix(text)
		if addr, single := netip.ParseAddr(text); single == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil || prefix.Bits() == 0 || prefix.Addr().Is4In6() {
			return nil, fmt.Errorf("the proxy %q", text)
		}
		proxies = append(proxies, prefix.Masked())
	}
	return proxies, nil
}

// Client returns the address that a request comes from: that of the connection, or if
// it is a trusted proxy's, the one that the proxy names in X-Forwarded-For. Of several,
// the last counts that is no trusted proxy's itself: what is before it may be made up.
// Forwarded (RFC 7239) counts for nothing: hardly a proxy sets it, and one that doesn't
// lets the client's own pass. The address is invalid if the connection has none.
func (p Proxies) Client(r *http.Request) netip.Addr {
	addr := node(r.RemoteAddr)
	if !p.trusts(addr) {
		return addr // and nothing is allocated
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trusts(addr); i-- {
		next := node(hops[i])
		if !next.IsValid() {
			break // what is no address ends it
		}
		addr = next
	}
	return addr
}

func (p Proxies) trusts(addr netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// node returns the address of a node, with or without a port; an invalid one if it has
// none.
func node(text string) netip.Addr {
	text = strings.TrimSpace(text)
	if addr, err := netip.ParseAddrPort(text); err == nil {
		return addr.Addr().Unmap().WithZone("")
	}
	addr, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return addr.Unmap().WithZone("")
}
