package transport

import (
	"fmt"
	"iter"
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
// it is a trusted proxy's, the one that the proxy names in X-Forwarded-For or Forwarded
// (RFC 7239). Of several, the last counts that is no trusted proxy's itself: what is
// before it may be made up. It is invalid if the connection has none.
func (p Proxies) Client(r *http.Request) netip.Addr {
	peer := node(r.RemoteAddr)
	if !p.trusts(peer) {
		return peer
	}
	list, elements := r.Header["X-Forwarded-For"], r.Header["Forwarded"]
	switch {
	case elements == nil:
		return p.follow(peer, hops(list, false))
	case list == nil:
		return p.follow(peer, hops(elements, true))
	}
	// A proxy sets one of them and lets the client's other pass.
	client := p.follow(peer, hops(list, false))
	if client != p.follow(peer, hops(elements, true)) {
		return peer
	}
	return client
}

// follow goes back from the connection to the first address that isn't trusted. What
// is no address ends it.
func (p Proxies) follow(addr netip.Addr, hops []string) netip.Addr {
	for i := len(hops) - 1; i >= 0 && p.trusts(addr); i-- {
		next := node(hops[i])
		if !next.IsValid() {
			break
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

// hops returns the addresses of a header, the client's first. Those of Forwarded are
// in the parameter "for".
func hops(values []string, forwarded bool) []string {
	var found []string
	for _, value := range values {
		if strings.Count(value, `"`)%2 != 0 {
			found = append(found, "") // a client could hide in quotes what the proxy adds
			continue
		}
		for element := range splitQuoted(value, ',') {
			if forwarded {
				element = parameterFor(element)
			}
			found = append(found, element)
		}
	}
	return found
}

// parameterFor returns the parameter "for" of an element, "" if it has none.
func parameterFor(element string) string {
	for pair := range splitQuoted(element, ';') {
		if name, value, ok := strings.Cut(strings.TrimSpace(pair), "="); ok && strings.EqualFold(name, "for") {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

// splitQuoted splits a text at a separator that isn't inside quotes.
func splitQuoted(text string, separator byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := range len(text) {
			switch {
			case text[i] == '"':
				quoted = !quoted
			case text[i] == separator && !quoted:
				if !yield(text[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(text[start:])
	}
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
