package throttle

import "net/netip"

// A Key tells clients apart: by who they are, or where they call from.
type Key struct {
	principal string
	network   netip.Prefix
}

// KeyOf returns the key of a client: its principal, for the anonymous its address. Of
// an IPv6 address the first 64 bits count, since whoever has one has the rest of them
// too. Clients that have neither, as on stdio, share one key.
func KeyOf(principal string, address netip.Addr) Key {
	if principal != "" || !address.IsValid() {
		return Key{principal: principal}
	}
	address = address.Unmap()
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	network, _ := address.Prefix(bits) // no address has fewer
	return Key{network: network}
}
