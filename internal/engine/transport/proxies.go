package transport

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of trusted proxies. The headers that a proxy adds are ignored if
// they come from other addresses, because any client can send them.
type Proxies []netip.Prefix

// ParseProxies parses a list of addresses and networks. It refuses a network of all
// addresses, because that would trust every client.
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

// Client returns the address of a request's client: the connection's or, behind a
// trusted proxy, the last entry of X-Forwarded-For that isn't a trusted proxy. A client can
// forge the entries before it. The header Forwarded (RFC 7239) is ignored: few proxies set
// it, and the others forward what the client sends. The address is invalid if the
// connection has none.
func (p Proxies) Client(r *http.Request) netip.Addr {
	addr := node(r.RemoteAddr)
	if !p.trusts(addr) {
		return addr // without an allocation
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trusts(addr); i-- {
		next := node(hops[i])
		if !next.IsValid() {
			break // it isn't an address
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

// node parses an address with or without a port. The result is invalid if the text is
// neither.
func node(text string) netip.Addr {
	text = strings.TrimSpace(text)
	if addr, err := netip.ParseAddrPort(text); err == nil {
		return addr.Addr().Unmap().WithZone("")
	}
	addr, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return addr.Unmap().WithZone("")
}
